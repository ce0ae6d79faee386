package config

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// guard refuses what no edit may start from: machines that were not read, have
// no role, or disagree about provider or cloud configuration. It gives the
// provider that all machines have.
func guard(s Spec, machines []Machine) (provider string, err error) {
	if len(pick(machines, Machine.ControlPlane)) == 0 {
		return "", refuse(s.Object, "NoControlPlane",
			fmt.Sprintf("none of %d machines has the label %s=true", len(machines), LabelControlPlane),
			"the cluster's machines, with their role labels", "")
	}
	for _, m := range machines {
		if !m.Server() && !m.Worker() {
			return "", refuse(s.Object, "NoRole", "machine "+m.Name+" has no role label", "control-plane, etcd or worker",
				"wait until Rancher has labelled the machine, or delete it")
		}
	}
	providers := Providers(s, machines)
	if err := Agree(s.Object, KeyProvider, providers); err != nil {
		return "", err
	}
	if err := Agree(s.Object, KeyCloudConfig, CloudConfigs(s, machines)); err != nil {
		return "", err
	}
	return providers[0].Value, nil
}

func wrongProvider(s Spec, machines []Machine, wanted string) error {
	return refuse(s.Object, "Provider", Providers(s, machines)[0].String(), KeyProvider+" "+wanted+" on every machine", "")
}

func pick(machines []Machine, want func(Machine) bool) []Machine {
	var out []Machine
	for _, m := range machines {
		if want(m) {
			out = append(out, m)
		}
	}
	return out
}

// intent is what an edit is for: which keys it may touch and what must hold for
// every machine afterwards.
type intent struct {
	keys  []string
	holds func(m Machine, c Config) (wanted string, ok bool)
}

// finish gives the edit only if it does what it is for and nothing else, on
// every machine. It is the last guard against a place nobody thought of.
func (e *editor) finish(before Spec, machines []Machine, want intent) (Edit, error) {
	touched := map[string]bool{}
	for _, k := range want.keys {
		touched[k] = true
	}
	for _, m := range machines {
		old, now := Effective(before, m), Effective(e.spec, m)
		if key := unintended(old, now, touched); key != "" {
			return Edit{}, refuse(before.Object, "NoSafePlace",
				fmt.Sprintf("%s of machine %s (%s) would change in more than our arguments", key, m.Name, old[key].Location),
				"an edit that loses nothing", "set "+key+" in one place only")
		}
		if wanted, ok := want.holds(m, now); !ok {
			return Edit{}, refuse(before.Object, "NoSafePlace",
				fmt.Sprintf("no edit was found that gives machine %s %s", m.Name, wanted), wanted,
				"set "+strings.Join(want.keys, ", ")+" in one place only")
		}
	}
	if again, err := e.edit.Apply(before); err != nil || !again.same(e.spec) {
		return Edit{}, &fault.Error{
			Class: fault.Unexpected, Reason: "EditNotRepeatable", Object: before.Object,
			Seen: "the edit gives another result when it is applied again", Wanted: "the same one", Err: err,
		}
	}
	return e.edit, nil
}

// unintended names a key that differs in anything but what edits here put in
// and take out.
func unintended(old, now Config, touched map[string]bool) string {
	for _, c := range []Config{old, now} {
		for key := range c {
			a, b := old[key].Raw, now[key].Raw
			switch {
			case notation.Equal(a, b):
			case !touched[key]:
				return key
			case isArgs(key) && !onlyOurs(a, b):
				return key
			}
		}
	}
	return ""
}

func onlyOurs(before, after any) bool {
	removed, added := notation.Delta(before, after)
	for _, e := range append(removed, added...) {
		if !isLeaderMigration(e.Value) && !isExternal(e.Value) {
			return false
		}
	}
	return true
}
