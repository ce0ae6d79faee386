package config

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// programs maps the argument keys to the components that they configure.
func programs() map[string]string {
	return map[string]string{KeyAPIServerArg: wellknown.APIServer, KeyManagerArg: wellknown.KCM,
		keySchedulerArg: component.Scheduler, keyProxyArg: component.Proxy, KeyKubeletArg: component.Kubelet}
}

// RemovedArgs returns the flags and feature gates at which a component of a version exits.
func RemovedArgs(s Spec, machines []Machine, version string) []Finding {
	v, err := component.ParseVersion(version)
	if err != nil {
		return nil
	}
	var out findings
	for _, m := range machines {
		c := Effective(s, m)
		for _, key := range append(componentKeys(), keyProxyArg) {
			if key != keyProxyArg && !runsComponent(m, key) {
				continue
			}
			for _, f := range removedOf(programs()[key], c.Args(key), v) {
				f.Location = c[key].Location.String()
				out.add(m, f)
			}
		}
	}
	return out
}

// removedOf returns the arguments of one component that a version no longer takes.
func removedOf(program string, args []string, v component.Version) []Finding {
	var found []Finding
	for _, arg := range args {
		if flag := notation.FlagName(arg); component.FlagRemoved(program, flag, v) {
			found = append(found, Finding{Seen: flag, Why: fmt.Sprintf("%s of %s does not know it and exits", program, v)})
		}
	}
	for _, refused := range gatesOf(args).Refused(v) {
		found = append(found, Finding{Seen: component.FeatureGates + " " + refused.Gate, Why: program + " of " + refused.Why})
	}
	return found
}
