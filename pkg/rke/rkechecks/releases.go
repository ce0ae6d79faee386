package rkechecks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// judgeOnRelease returns the services that do not start on a release, by their arguments.
func judgeOnRelease(p Prepared, release string) []verify.Finding {
	v, err := component.ParseVersion(release)
	if missing := haveFile(p); len(missing) > 0 || err != nil {
		return missing
	}
	var found []verify.Finding
	for _, s := range services(p.Config) {
		program, known := programs()[s.key]
		if !known {
			continue
		}
		object := p.where("services", s.key)
		value, _ := s.Flag(component.FeatureGates)
		given := component.ParseGates(value)
		for _, gate := range component.MigrationGates() {
			if why := given.Fatal(gate, v); why != "" {
				found = append(found, verify.Failure(object, fmt.Sprintf("%s %s=%t: %s does not start: %s", component.FeatureGates, gate, given[gate], program, why),
					"no "+gate, "remove "+component.FeatureGates+" "+gate))
			}
		}
		found = append(found, refusedIn(object, program, s, v)...)
	}
	return found
}

// refusedProvider returns a failure if a component of a version refuses its cloud provider.
// kube-apiserver validates it from 1.29 to 1.32, and refuses external with two gates off
// (kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.29.10). rke gives it
// external after the switch (rancher/rke:cluster/plan.go@v1.5.9). The other components have no
// aws from 1.27 on.
func refusedProvider(object, program string, s service, v component.Version) []verify.Finding {
	refuse := func(name, seen string) []verify.Finding {
		return []verify.Finding{verify.Failure(object, fmt.Sprintf("%s of %s refuses %s", program, v, seen), "arguments that it accepts", "remove "+name)}
	}
	provider, explicit := s.Flag(component.CloudProvider)
	first := map[string]int{wellknown.APIServer: 29, wellknown.KCM: 27, component.Kubelet: 27}[program]
	switch {
	case first == 0 || !v.AtLeast(1, first):
		return nil
	case explicit && provider == rkestate.ProviderAWS:
		return refuse(component.CloudProvider, component.CloudProvider+"="+provider)
	case program != wellknown.APIServer || v.AtLeast(1, 33):
		return nil
	}
	gates, _ := s.Flag(component.FeatureGates)
	for _, gate := range []string{component.GateNoProviders, component.GateNoKubeletCreds} {
		if pair := component.ParseGates(gates).Off(gate, v); pair != "" {
			return refuse(component.FeatureGates+" "+pair, component.CloudProvider+"=external with "+component.FeatureGates+" "+pair)
		}
	}
	return nil
}

// imageOnRelease returns a failure if an image of Kubernetes beats the version of an upgrade.
func imageOnRelease(p Prepared, release string) []verify.Finding {
	if missing := haveFile(p); len(missing) > 0 {
		return missing
	}
	p.Options.KubernetesVersion = release
	return judgeKubernetesImage(p)
}
