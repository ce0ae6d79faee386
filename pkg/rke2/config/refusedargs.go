package config

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// programs maps the argument keys to the components that they configure.
func programs() map[string]string {
	return map[string]string{KeyAPIServerArg: wellknown.APIServer, KeyManagerArg: wellknown.KCM,
		keySchedulerArg: component.Scheduler, keyProxyArg: component.Proxy, KeyKubeletArg: component.Kubelet}
}

// RefusedArgs returns the flags, values and feature gates at which a component of a version
// exits. APIServer judges the cloud provider of kube-apiserver.
func RefusedArgs(s Spec, machines []Machine, v component.Version) []Finding {
	var out findings
	for _, m := range machines {
		c := Effective(s, m)
		for _, key := range append(componentKeys(), keyProxyArg) {
			if key != keyProxyArg && !runsComponent(m, key) {
				continue
			}
			for _, f := range refusedOf(programs()[key], c.Args(key), v) {
				f.Location = c[key].Location.String()
				out.add(m, f)
			}
		}
	}
	return out
}

// refusedOf returns the arguments of one component at which a version of it exits.
func refusedOf(program string, args []string, v component.Version) []Finding {
	var all []component.Argument
	for _, arg := range args {
		if flag := notation.FlagName(arg); program != wellknown.APIServer || flag != FlagProvider {
			all = append(all, component.Argument{Flag: flag, Value: notation.FlagValue(arg)})
		}
	}
	var found []Finding
	for _, refused := range component.RefusedArguments(program, all, v) {
		found = append(found, Finding{Seen: refused.Seen, Why: program + " of " + refused.Why})
	}
	return found
}
