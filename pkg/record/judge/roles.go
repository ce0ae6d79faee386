package judge

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// role holds the leases under which a process runs a controller.
type role struct {
	// main and migration report whether it may run the controller while it holds that lease.
	main, migration bool
	// never reports whether it may not run the controller at all.
	never bool
}

// or returns the combined role if the process may be either of two.
func (r role) or(o role) role {
	return role{r.main || o.main, r.migration || o.migration, r.never || o.never}
}

// unknownRole returns the role of a process with unknown arguments. A process that acquired the
// migration lease has the flag; its controllers under it depend on its provider.
func unknownRole(flagged bool) role {
	return role{main: !flagged, migration: true, never: true}
}

// roleOfMode returns the role by a kube-controller-manager's mode. It is unknown whether its
// flags exclude a controller.
func roleOfMode(m record.Mode) role {
	return role{main: m == record.InTree, migration: m == record.Migrating, never: true}
}

// modeOfPod returns the mode of a kube-controller-manager with the arguments of a pod, or "".
func modeOfPod(p record.Pod) record.Mode {
	switch mode := component.Parse(p.Flags).Mode(); {
	case p.Frozen != "":
		return ""
	case mode.IsExternal():
		return record.External
	case mode == component.InTreeMigrating:
		return record.Migrating
	case mode == component.InTree:
		return record.InTree
	}
	return ""
}

// roleOf returns the role by a program's flags, for one controller.
//
// The in-tree provider is "aws". With "external" a kube-controller-manager has no cloud
// controllers, and the flag only makes it compete for the lease
// (kubernetes/kubernetes:cmd/kube-controller-manager/app/controllermanager.go@v1.26.13).
func roleOf(p record.Pod, controller string, flagged bool) role {
	args := component.Parse(p.Flags)
	if p.Frozen != "" {
		return unknownRole(flagged)
	}
	if p.Program == wellknown.KCM && !args.Mode().IsInTree() || !enabled(args, controller) {
		return role{never: true}
	}
	on, err := args.Bool(component.EnableLeaderMigration, false)
	switch {
	case err != nil:
		return unknownRole(flagged)
	case !on:
		return role{main: true}
	case args.Has(component.LeaderMigrationConfig):
		if listsAll(p, args) {
			return role{migration: true}
		}
		// Controllers that the file does not list run under the main lease, which the holder of the
		// migration lease also holds.
		return role{main: true, migration: true}
	case p.Program == wellknown.CCM && downstream.DefaultUnsafe(p.Image):
		return role{main: true, migration: controller == Lifecycle}
	}
	return role{migration: true}
}

// listsAll reports whether a pod's leader migration file lists every cloud controller: it is the
// file of awsmigrate's chart if the pod carries the digest of the same release.
func listsAll(p record.Pod, args component.Args) bool {
	return p.MigrationFile == wellknown.MigrationFileDigest && args.Last(component.LeaderMigrationConfig) == wellknown.MigrationFilePath
}

// enabled reports whether the flags enable the controller. Routes are configured only with both
// flags (k8s.io/cloud-provider/app/core.go@v0.26.13, startRouteController).
func enabled(args component.Args, controller string) bool {
	if controller == Route {
		allocate, err := args.Bool(component.AllocateNodeCIDRs, false)
		configure, err2 := args.Bool(component.ConfigureCloudRoutes, true)
		if err == nil && err2 == nil && (!allocate || !configure) {
			return false
		}
	}
	list := args.Last(component.Controllers)
	if list == "" {
		return true
	}
	all := false
	for _, word := range strings.Split(list, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "*":
			all = true
		case names(controller, strings.TrimPrefix(word, "-")):
			return !strings.HasPrefix(word, "-")
		}
	}
	return all
}

// names reports whether a name denotes a controller: since cloud-provider v0.28 they have new
// names (kubernetes/cloud-provider:names/controller_names.go@v0.28.0).
func names(controller, name string) bool {
	switch controller {
	case Service:
		return name == Service || name == "service-lb-controller"
	case Route:
		return name == Route || name == "node-route-controller"
	}
	return name == Lifecycle || name == "cloud-node-lifecycle-controller"
}

// timingOf returns the election timing of a pod's program.
func timingOf(p record.Pod) timing {
	e, err := component.Parse(p.Flags).Election()
	if err != nil || p.Frozen != "" {
		return defaults()
	}
	return timing{deadline: e.RenewDeadline, retry: e.RetryPeriod}
}

// elects reports whether the program elects a leader by the recorded leases.
func elects(p record.Pod) bool {
	e, err := component.Parse(p.Flags).Election()
	return err != nil || e.Enabled && strings.Contains(e.Lock, "leases") && e.Name == "" && e.Namespace == wellknown.System
}
