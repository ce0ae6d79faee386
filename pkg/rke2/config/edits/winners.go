package edits

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// winners holds the places that win for a key on some machines, and the machines that have no
// value for it.
type winners struct {
	places []config.Place
	unset  []config.Machine
	first  map[config.Place]config.Machine // an example for each place, for messages
}

func (e *editor) winners(key string, scope []config.Machine) winners {
	w := winners{first: map[config.Place]config.Machine{}}
	for _, m := range scope {
		v, ok := config.Effective(e.spec, m)[key]
		if !ok {
			w.unset = append(w.unset, m)
			continue
		}
		if _, seen := w.first[v.Location.Place]; !seen {
			w.first[v.Location.Place] = m
			w.places = append(w.places, v.Location.Place)
		}
	}
	slices.Sort(w.places)
	return w
}

func (e *editor) cell(at config.Location) cell {
	v, ok := e.spec.ValuesAt(at.Place)[at.Key]
	return cell{v, ok}
}

// rewrite changes the arguments in one place and keeps their form. met reports whether the result
// serves its purpose.
func (e *editor) rewrite(at config.Location, m config.Machine, change func([]any) []any, met func(args []string) bool) error {
	c := e.cell(at)
	if err := e.readable(at, m); err != nil {
		return err
	}
	f := formOf(c)
	to := f.write(change(elements(c)))
	if !met(notation.Args(to.value)) {
		return refuse(e.spec.Object, "ArgumentsBeatOurs",
			fmt.Sprintf("%s, which wins for machine %s, holds arguments that beat the one to be added", at, m.Name),
			"no second spelling of "+config.FlagProvider+" or "+config.FlagLeaderMigration, "remove it from that place")
	}
	if f == formString && formOf(to) == formList {
		e.note("%s becomes a list: RKE2 takes a string as one argument, whatever is in it", at)
	}
	return e.set(at, to)
}

// readable returns an error if a value is not a list of arguments, or contains a null: to test
// such a list makes evanphx/json-patch 4.12 and 5.9, and thus the API server, panic.
func (e *editor) readable(at config.Location, m config.Machine) error {
	if bad := unreadable(e.cell(at)); bad != "" {
		return refuse(e.spec.Object, "UnreadableArguments",
			fmt.Sprintf("%s, which wins for machine %s, %s", at, m.Name, bad),
			"a list of arguments, or one string", "write it as a list of strings, or remove it")
	}
	return nil
}

func unreadable(c cell) string {
	if formOf(c) == formOther {
		return "is " + notation.TypeName(c.value)
	}
	for _, v := range elements(c) {
		switch v.(type) {
		case nil, map[string]any, []any:
			return "holds " + notation.TypeName(v)
		}
	}
	return ""
}

// fits reports whether a key that is set in a place, where it is absent, reaches every machine of
// targets and changes nothing for the others of scope.
func (e *editor) fits(at config.Location, targets, scope []config.Machine) bool {
	if at.Place >= 0 && !e.spec.Entries[at.Place].HasConfig {
		return false
	}
	if _, taken := e.spec.ValuesAt(at.Place)[at.Key]; taken {
		return false
	}
	for _, m := range targets {
		if !e.spec.Matches(at.Place, m) {
			return false
		}
	}
	for _, m := range scope {
		v, set := config.Effective(e.spec, m)[at.Key]
		if set && v.Location.Place < at.Place && e.spec.Matches(at.Place, m) {
			return false
		}
	}
	return true
}

// exposes reports whether the removal of a key from a place would expose the value of a weaker
// one.
func (e *editor) exposes(at config.Location, machines []config.Machine) bool {
	for _, m := range machines {
		v, ok := config.Effective(e.spec, m)[at.Key]
		if ok && v.Location.Place == at.Place && len(v.Shadowed) > 0 {
			return true
		}
	}
	return false
}

// takeOut removes arguments from a place. If nothing remains, it removes our entry, or the key if
// that exposes no other value.
func (e *editor) takeOut(at config.Location, machines []config.Machine, drop func(arg string) bool) error {
	c := e.cell(at)
	rest := removeArgs(elements(c), drop)
	if len(rest) > 0 || e.exposes(at, machines) {
		return e.set(at, formOf(c).write(rest))
	}
	if at.Place >= 0 {
		if isOurs(e.spec.Entries[at.Place], at.Key) {
			return e.drop(at.Place, at.Key, false)
		}
	}
	return e.set(at, absent())
}
