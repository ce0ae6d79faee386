package edits

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// EnableLeaderMigration adds enable-leader-migration to the effective arguments of every control
// plane's kube-controller-manager, in the places that win, and removes nothing. The provider
// remains aws. The result is empty if all have the flag.
//
// It returns an error if machines disagree about provider or cloud configuration, or if a
// kube-controller-manager is already external. With the flag, that one would hold the migration
// lease without running any controller (Kubernetes documentation,
// controller-manager-leader-migration: MUST NOT).
func EnableLeaderMigration(s config.Spec, machines []config.Machine) (Edit, error) {
	provider, err := guard(s, machines)
	if err != nil {
		return Edit{}, err
	}
	if provider != config.ProviderAWS {
		return Edit{}, wrongProvider(s, machines, config.ProviderAWS)
	}
	for _, m := range filterMachines(machines, config.Machine.ControlPlane) {
		c := config.Effective(s, m)
		if p := config.ManagerProvider(c); p != config.ProviderAWS {
			return Edit{}, refuse(s.Object, "ManagerNotInTree",
				fmt.Sprintf("%s of machine %s sets %s=%s", c[config.KeyManagerArg].Location, m.Name, config.FlagProvider, p),
				"a kube-controller-manager with provider aws", managerAdvice(p))
		}
	}
	e := newEditor(s)
	if err := e.addFlag(machines, func(string) bool { return false }); err != nil {
		return Edit{}, err
	}
	return e.finish(s, machines, intent{keys: []string{config.KeyManagerArg}, holds: hasFlag})
}

// managerAdvice distinguishes a cluster that was already switched from one with another
// provider.
func managerAdvice(provider string) string {
	if provider == config.ProviderExternal {
		return "look with `status` whether the cluster is switched already: then nothing is left to enable"
	}
	return "take cloud-provider out of " + config.KeyManagerArg
}

// DisableLeaderMigration removes the flag without a journal. It also removes an entry that holds
// nothing else. With a journal use Edit.Inverse, which restores the previous text exactly.
func DisableLeaderMigration(s config.Spec, machines []config.Machine) (Edit, error) {
	if _, err := guard(s, machines); err != nil {
		return Edit{}, err
	}
	e := newEditor(s)
	if err := e.takeOutEverywhere(config.KeyManagerArg, filterMachines(machines, config.Machine.ControlPlane), machines, isLeaderMigration); err != nil {
		return Edit{}, err
	}
	return e.finish(s, machines, intent{keys: []string{config.KeyManagerArg}, holds: hasNoFlag})
}

// addFlag adds the flag to every control plane's kube-controller-manager, and removes our other
// arguments from the same places.
func (e *editor) addFlag(machines []config.Machine, drop func(arg string) bool) error {
	controlPlanes := filterMachines(machines, config.Machine.ControlPlane)
	flagged := func(args []string) bool { return notation.On(args, config.FlagLeaderMigration) }
	w := e.winners(config.KeyManagerArg, controlPlanes)
	for _, p := range w.places {
		change := func(args []any) []any {
			args = removeArgs(args, drop)
			if !flagged(notation.Args(args)) {
				args = append(args, config.FlagLeaderMigration)
			}
			return args
		}
		if err := e.rewrite(config.Location{Place: p, Key: config.KeyManagerArg}, w.first[p], change, flagged); err != nil {
			return err
		}
	}
	if len(w.unset) == 0 {
		return nil
	}
	return e.addManagerArg(w.unset, controlPlanes, config.FlagLeaderMigration)
}

// takeOutEverywhere removes arguments from the strongest place to the weakest, so that a removed
// entry does not move places that it still has to visit.
func (e *editor) takeOutEverywhere(key string, scope, machines []config.Machine, drop func(arg string) bool) error {
	w := e.winners(key, scope)
	for i := len(w.places) - 1; i >= 0; i-- {
		at := config.Location{Place: w.places[i], Key: key}
		args := notation.Args(e.cell(at).value)
		if len(args) == 0 || len(removeArgs(elements(e.cell(at)), drop)) == len(args) {
			continue
		}
		if err := e.readable(at, w.first[w.places[i]]); err != nil {
			return err
		}
		if err := e.takeOut(at, machines, drop); err != nil {
			return err
		}
	}
	return nil
}

func hasFlag(m config.Machine, c config.Config) (string, bool) {
	return config.KeyManagerArg + " with " + config.FlagLeaderMigration, !m.ControlPlane() || config.LeaderMigrationOn(c)
}

func hasNoFlag(m config.Machine, c config.Config) (string, bool) {
	_, there := notation.Last(c.Args(config.KeyManagerArg), config.FlagLeaderMigration)
	return config.KeyManagerArg + " without " + config.FlagLeaderMigration, !m.ControlPlane() || !there
}
