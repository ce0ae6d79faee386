package judge

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// role is under which lease a process runs a controller.
type role struct {
	// main and migration: it may run it while it holds that lease.
	main, migration bool
	// never: it may as well not run it at all.
	never bool
}

// or is what holds where one of both is the process.
func (r role) or(o role) role {
	return role{r.main || o.main, r.migration || o.migration, r.never || o.never}
}

// unknownRole is that of a process whose arguments nobody saw. One that took the
// migration lease has the flag; what it runs under it depends on its provider.
func unknownRole(flagged bool) role {
	return role{main: !flagged, migration: true, never: true}
}

// roleOfMode is what the mode of a kube-controller-manager says of it. Whether it is told to leave
// a controller out is not known.
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

// roleOf is what the flags of a program say of one controller.
//
// The in-tree provider is "aws"; with "external" a kube-controller-manager has no cloud
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
		// What the file does not list runs under the main lease, which whoever holds the
		// migration lease holds, too.
		return role{main: true, migration: true}
	case p.Program == wellknown.CCM && downstream.DefaultUnsafe(p.Image):
		return role{main: true, migration: controller == Lifecycle}
	}
	return role{migration: true}
}

// listsAll says whether the leader migration file of a pod lists every cloud controller:
// where it is the one that awsmigrate's chart mounts, by the digest that the same release
// notes on the pod.
func listsAll(p record.Pod, args component.Args) bool {
	return p.MigrationFile == wellknown.MigrationFileDigest && args.Last(component.LeaderMigrationConfig) == wellknown.MigrationFilePath
}

// enabled says whether the flags leave the controller on. Routes are configured only
// with both flags (k8s.io/cloud-provider/app/core.go@v0.26.13, startRouteController).
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

// names says whether a name is one of a controller's: from cloud-provider v0.28 they
// have new ones (kubernetes/cloud-provider:names/controller_names.go@v0.28.0).
func names(controller, name string) bool {
	switch controller {
	case Service:
		return name == Service || name == "service-lb-controller"
	case Route:
		return name == Route || name == "node-route-controller"
	}
	return name == Lifecycle || name == "cloud-node-lifecycle-controller"
}

// timingOf are the durations that a pod's program elects by.
func timingOf(p record.Pod) timing {
	e, err := component.Parse(p.Flags).Election()
	if err != nil || p.Frozen != "" {
		return defaults()
	}
	return timing{deadline: e.RenewDeadline, retry: e.RetryPeriod}
}

// elects says whether the program elects a leader by the leases that are recorded.
func elects(p record.Pod) bool {
	e, err := component.Parse(p.Flags).Election()
	return err != nil || e.Enabled && strings.Contains(e.Lock, "leases") && e.Name == "" && e.Namespace == wellknown.System
}
