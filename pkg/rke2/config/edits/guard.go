package edits

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// guard returns an error if no edit may start: machines that were not read, have no role, or
// disagree about provider or cloud configuration. It returns the provider of all machines.
func guard(s config.Spec, machines []config.Machine) (provider string, err error) {
	if len(filterMachines(machines, config.Machine.ControlPlane)) == 0 {
		return "", refuse(s.Object, "NoControlPlane",
			fmt.Sprintf("none of %d machines has the label %s=true", len(machines), config.LabelControlPlane),
			"the cluster's machines, with their role labels", "")
	}
	for _, m := range machines {
		if !m.Server() && !m.Worker() {
			return "", refuse(s.Object, "NoRole", "machine "+m.Name+" has no role label", "control-plane, etcd or worker",
				"wait until Rancher has labelled the machine, or delete it")
		}
	}
	providers := config.Providers(s, machines)
	if err := config.Agree(s.Object, config.KeyProvider, providers); err != nil {
		return "", err
	}
	if err := config.Agree(s.Object, config.KeyCloudConfig, config.CloudConfigs(s, machines)); err != nil {
		return "", err
	}
	return providers[0].Value, nil
}

func wrongProvider(s config.Spec, machines []config.Machine, wanted string) error {
	return refuse(s.Object, "Provider", config.Providers(s, machines)[0].String(), config.KeyProvider+" "+wanted+" on every machine", "")
}

func filterMachines(machines []config.Machine, want func(config.Machine) bool) []config.Machine {
	var out []config.Machine
	for _, m := range machines {
		if want(m) {
			out = append(out, m)
		}
	}
	return out
}

// intent describes the purpose of an edit: the keys that it may touch, and the condition that
// every machine must meet afterwards.
type intent struct {
	keys  []string
	holds func(m config.Machine, c config.Config) (wanted string, ok bool)
}

// finish returns the edit only if it serves its purpose on every machine and changes nothing
// else. It is the last guard against places that were overlooked.
func (e *editor) finish(before config.Spec, machines []config.Machine, want intent) (Edit, error) {
	touched := map[string]bool{}
	for _, k := range want.keys {
		touched[k] = true
	}
	for _, m := range machines {
		old, now := config.Effective(before, m), config.Effective(e.spec, m)
		if key := findUnintended(old, now, touched); key != "" {
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
	if again, err := e.edit.Apply(before); err != nil || !sameSpec(again, e.spec) {
		return Edit{}, &fault.Error{
			Class: fault.Unexpected, Reason: "EditNotRepeatable", Object: before.Object,
			Seen: "the edit gives another result when it is applied again", Wanted: "the same one", Err: err,
		}
	}
	if err := e.edit.Inverse().check(); err != nil {
		return Edit{}, &fault.Error{
			Class: fault.Check, Reason: "NoInverse", Object: before.Object,
			Seen:   "an undo could not restore the present configuration",
			Wanted: "arguments that are true, false or " + config.ProviderExternal, Fix: "correct or remove that value", Err: err,
		}
	}
	return e.edit, nil
}

// findUnintended returns a key that differs in more than the values that our edits add and
// remove, or is empty.
func findUnintended(old, now config.Config, touched map[string]bool) string {
	for _, c := range []config.Config{old, now} {
		for key := range c {
			a, b := old[key].Raw, now[key].Raw
			switch {
			case notation.Equal(a, b):
			case !touched[key]:
				return key
			case config.IsArgs(key) && !onlyOurs(a, b):
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
