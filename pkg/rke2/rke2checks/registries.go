package rke2checks

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Registries returns the image registries of the control planes: one for all if they agree,
// otherwise one per control plane. If the Cluster sets none, the Node's record of its
// arguments counts, which includes Rancher's setting.
func Registries(f rancher.Facts, nodes map[string][]*downstream.Node) []downstream.Registry {
	var mirrors []downstream.Mirror
	for _, m := range f.Cluster.Spec.Mirrors {
		plain := downstream.Mirror{Of: m.Of, Rewrites: m.Rewrites}
		for _, endpoint := range m.Endpoints {
			plain.Endpoints = append(plain.Endpoints, downstream.Plain(endpoint))
		}
		mirrors = append(mirrors, plain)
	}
	var all []downstream.Registry
	for _, m := range f.ControlPlanes() {
		r := downstream.Registry{Object: "Machine " + m.Name, Default: config.Registry(f.Cluster.Spec, m.Machine), Mirrors: mirrors}
		for _, node := range nodes[m.UID] {
			if args, err := config.ParseNodeArgs(node.Annotations[config.NodeArgsAnnotation]); err == nil && r.Default == "" {
				r.Default, _ = args.Last(config.KeyRegistry)
			}
		}
		all = append(all, r)
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(r downstream.Registry) bool { return r.Default != all[0].Default }) {
		all[0].Object = f.ObjectName()
		return all[:1]
	}
	return all
}
