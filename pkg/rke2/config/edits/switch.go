package edits

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// argExternal makes a component leave the cloud to a separate controller.
const argExternal = config.FlagProvider + "=" + config.ProviderExternal

// EndState is the configuration of a migrated cluster.
type EndState string

const (
	// External sets cloud-provider-name to external. RKE2 then no longer takes node names from
	// EC2, so it requires nodes with explicit names.
	External EndState = "external"
	// Overrides leaves cloud-provider-name at aws and gives kubelet and kube-controller-manager
	// cloud-provider=external. It preserves node names.
	Overrides EndState = "overrides"
)

// SwitchProvider makes every component external, removes the leader-migration flag from
// kube-controller-manager, and disables RKE2's own cloud controller on all servers. It never
// touches kube-apiserver-arg.
func SwitchProvider(s config.Spec, machines []config.Machine, end EndState) (Edit, error) {
	provider, err := guard(s, machines)
	if err != nil {
		return Edit{}, err
	}
	e := newEditor(s)
	switch {
	case end == External && (provider == config.ProviderAWS || provider == config.ProviderExternal):
		err = e.toExternal(machines)
	case end == Overrides && provider == config.ProviderAWS:
		err = e.toOverrides(machines)
	case end == External || end == Overrides:
		err = wrongProvider(s, machines, config.ProviderAWS)
	default:
		err = refuse(s.Object, "EndState", "end state "+strconv.Quote(string(end)), "external or overrides", "")
	}
	if err != nil {
		return Edit{}, err
	}
	if err := e.disableOwnController(machines); err != nil {
		return Edit{}, err
	}
	keys := []string{config.KeyProvider, config.KeyDisableCCM, config.KeyManagerArg}
	if end == Overrides {
		keys = []string{config.KeyKubeletArg, config.KeyDisableCCM, config.KeyManagerArg}
	}
	return e.finish(s, machines, intent{keys: keys, holds: isSwitched})
}

func isSwitched(m config.Machine, c config.Config) (string, bool) {
	switch {
	case config.KubeletProvider(c) != config.ProviderExternal:
		return "a kubelet with provider external", false
	case m.ControlPlane() && config.ManagerProvider(c) != config.ProviderExternal:
		return "a kube-controller-manager with provider external", false
	case m.Server() && !notation.IsTrue(c.Text(config.KeyDisableCCM)):
		return config.KeyDisableCCM + " true", false
	}
	return hasNoFlag(m, c)
}

func (e *editor) toExternal(machines []config.Machine) error {
	if err := e.setProvider(machines, config.ProviderExternal); err != nil {
		return err
	}
	for _, m := range machines {
		c := config.Effective(e.spec, m)
		for key, provider := range map[string]string{config.KeyKubeletArg: config.KubeletProvider(c), config.KeyManagerArg: config.ManagerProvider(c)} {
			if provider != config.ProviderExternal && (key == config.KeyKubeletArg || m.ControlPlane()) {
				return refuse(e.spec.Object, "ArgumentsBeatOurs",
					fmt.Sprintf("%s of machine %s sets %s=%s, which beats %s", c[key].Location, m.Name, config.FlagProvider, provider, config.KeyProvider),
					"no "+config.FlagProvider+" in "+key, "remove that argument; it changes nothing today")
			}
		}
	}
	return e.takeOutEverywhere(config.KeyManagerArg, filterMachines(machines, config.Machine.ControlPlane), machines, isLeaderMigration)
}

// setProvider sets the provider in every place that wins, unless RKE2 already reads it there.
func (e *editor) setProvider(machines []config.Machine, name string) error {
	for _, p := range e.winners(config.KeyProvider, machines).places {
		at := config.Location{Place: p, Key: config.KeyProvider}
		if now, _ := e.cell(at).value.(string); notation.Trimmed(now) == name {
			continue
		}
		if err := e.set(at, present(name)); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) toOverrides(machines []config.Machine) error {
	external := func(args []string) bool {
		v, _ := notation.Last(args, config.FlagProvider)
		return v == config.ProviderExternal
	}
	override := func(args []any) []any {
		args = removeArgs(args, isLeaderMigration)
		if !external(notation.Args(args)) {
			args = append(args, argExternal)
		}
		return args
	}
	kubelets := e.winners(config.KeyKubeletArg, machines)
	for _, p := range kubelets.places {
		add := func(args []any) []any {
			if external(notation.Args(args)) {
				return args
			}
			return append(args, argExternal)
		}
		if err := e.rewrite(config.Location{Place: p, Key: config.KeyKubeletArg}, kubelets.first[p], add, external); err != nil {
			return err
		}
	}
	if err := e.addKubeletArg(kubelets.unset, machines); err != nil {
		return err
	}
	controlPlanes := filterMachines(machines, config.Machine.ControlPlane)
	managers := e.winners(config.KeyManagerArg, controlPlanes)
	for _, p := range managers.places {
		if err := e.rewrite(config.Location{Place: p, Key: config.KeyManagerArg}, managers.first[p], override, external); err != nil {
			return err
		}
	}
	if len(managers.unset) == 0 {
		return nil
	}
	return e.addManagerArg(managers.unset, controlPlanes, argExternal)
}

// addKubeletArg adds kubelet-arg for machines that have none: in the place of their
// cloud-provider-name, so that the two are together in Rancher's UI, or else in
// machineGlobalConfig, which has the lowest precedence.
func (e *editor) addKubeletArg(unset, machines []config.Machine) error {
	byPlace := map[config.Place][]config.Machine{}
	var order []config.Place
	for _, m := range unset {
		p := config.Effective(e.spec, m)[config.KeyProvider].Location.Place
		if byPlace[p] == nil {
			order = append(order, p)
		}
		byPlace[p] = append(byPlace[p], m)
	}
	slices.Sort(order)
	for _, p := range order {
		at := config.Location{Place: p, Key: config.KeyKubeletArg}
		if !e.fits(at, byPlace[p], machines) {
			at.Place = config.Global
		}
		if e.cell(at).there {
			continue // an earlier group got it in machineGlobalConfig
		}
		if err := e.set(at, present([]any{argExternal})); err != nil {
			return err
		}
	}
	return nil
}

// disableOwnController sets disable-cloud-controller on all servers. The value must be the same
// on each of them, and from 1.36 on RKE2's own controller returns without it.
func (e *editor) disableOwnController(machines []config.Machine) error {
	w := e.winners(config.KeyDisableCCM, filterMachines(machines, config.Machine.Server))
	for _, p := range w.places {
		at := config.Location{Place: p, Key: config.KeyDisableCCM}
		switch v := e.cell(at).value.(type) {
		case nil, bool:
			if err := e.set(at, present(true)); err != nil {
				return err
			}
		case string:
			if notation.IsTrue(v) {
				continue
			}
			if !notation.IsBoolean(v) {
				return e.notBoolean(at, w.first[p], strconv.Quote(v))
			}
			if err := e.set(at, present("true")); err != nil {
				return err
			}
		default:
			return e.notBoolean(at, w.first[p], notation.TypeName(v))
		}
	}
	if len(w.unset) == 0 {
		return nil
	}
	return e.set(config.Location{Place: config.Global, Key: config.KeyDisableCCM}, present(true))
}

func (e *editor) notBoolean(at config.Location, m config.Machine, seen string) error {
	return refuse(e.spec.Object, "NotBoolean", fmt.Sprintf("%s, which wins for machine %s, is %s", at, m.Name, seen),
		"true or false", "write true, or remove it")
}
