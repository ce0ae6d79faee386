package edits

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// SwitchBack undoes SwitchProvider from the cluster's configuration alone, if the journal with
// the exact inverse is lost. It sets the provider to aws, removes cloud-provider=external
// arguments, and gives kube-controller-manager the leader-migration flag. It keeps
// disable-cloud-controller: the user may have set it, it must not differ between servers, and
// together with a provider name it has no effect up to RKE2 1.35.
func SwitchBack(s config.Spec, machines []config.Machine) (Edit, error) {
	provider, err := guard(s, machines)
	if err != nil {
		return Edit{}, err
	}
	if provider != config.ProviderAWS && provider != config.ProviderExternal {
		return Edit{}, wrongProvider(s, machines, config.ProviderAWS+" or "+config.ProviderExternal)
	}
	if err := anotherProvider(s, machines); err != nil {
		return Edit{}, err
	}
	e := newEditor(s)
	if err := e.setProvider(machines, config.ProviderAWS); err != nil {
		return Edit{}, err
	}
	if err := e.addFlag(machines, isExternal); err != nil {
		return Edit{}, err
	}
	if err := e.takeOutEverywhere(config.KeyKubeletArg, machines, machines, isExternal); err != nil {
		return Edit{}, err
	}
	return e.finish(s, machines, intent{keys: []string{config.KeyProvider, config.KeyManagerArg, config.KeyKubeletArg}, holds: isInTree})
}

// anotherProvider returns an error if other arguments would still name another provider, or none,
// after SwitchBack removes those of a switch. We must not remove the others.
func anotherProvider(s config.Spec, machines []config.Machine) error {
	for _, m := range machines {
		keys := []string{config.KeyKubeletArg}
		if m.ControlPlane() {
			keys = append(keys, config.KeyManagerArg)
		}
		c := config.Effective(s, m)
		for _, key := range keys {
			rest := slices.DeleteFunc(slices.Clone(c.Args(key)), isExternal)
			if provider, set := notation.Last(rest, config.FlagProvider); set && provider != config.ProviderAWS {
				return refuse(s.Object, "AnotherProvider", fmt.Sprintf("%s of machine %s sets %s=%s", c[key].Location, m.Name, config.FlagProvider, provider),
					"provider aws, or nothing said of it", "take that argument out, wait until Rancher has applied it, and start again")
			}
		}
	}
	return nil
}

func isInTree(m config.Machine, c config.Config) (string, bool) {
	switch {
	case config.KubeletProvider(c) != config.ProviderAWS:
		return "a kubelet with provider aws", false
	case m.ControlPlane() && config.ManagerProvider(c) != config.ProviderAWS:
		return "a kube-controller-manager with provider aws", false
	}
	return hasFlag(m, c)
}
