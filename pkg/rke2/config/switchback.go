package config

// SwitchBack undoes SwitchProvider from what the cluster says alone, when the
// journal with the exact inverse is lost: provider aws again, no
// cloud-provider=external arguments, kube-controller-manager with the
// leader-migration flag. disable-cloud-controller stays: whether the user had it
// is not known, it must not differ between servers, and beside a provider name
// it changes nothing up to RKE2 1.35.
func SwitchBack(s Spec, machines []Machine) (Edit, error) {
	provider, err := guard(s, machines)
	if err != nil {
		return Edit{}, err
	}
	if provider != ProviderAWS && provider != ProviderExternal {
		return Edit{}, wrongProvider(s, machines, ProviderAWS+" or "+ProviderExternal)
	}
	e := edits(s)
	for _, p := range e.winners(KeyProvider, machines).places {
		if err := e.set(Location{p, KeyProvider}, present(ProviderAWS)); err != nil {
			return Edit{}, err
		}
	}
	if err := e.addFlag(machines, isExternal); err != nil {
		return Edit{}, err
	}
	if err := e.takeOutEverywhere(KeyKubeletArg, machines, machines, isExternal); err != nil {
		return Edit{}, err
	}
	return e.finish(s, machines, intent{keys: []string{KeyProvider, KeyManagerArg, KeyKubeletArg}, holds: isInTree})
}

func isInTree(m Machine, c Config) (string, bool) {
	switch {
	case KubeletProvider(c) != ProviderAWS:
		return "a kubelet with provider aws", false
	case m.ControlPlane() && ManagerProvider(c) != ProviderAWS:
		return "a kube-controller-manager with provider aws", false
	}
	return hasFlag(m, c)
}
