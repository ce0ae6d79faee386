package procedure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// backOffReset is the time since a container's last end after which the kubelet restarts it
// without a delay (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13: a back-off is
// forgotten after twice its maximum, MaxContainerBackOff).
const backOffReset = 10 * time.Minute

// reasonNotToFence returns why the migration lease must not be fenced in this cluster, or
// empty. The lease then changes hands during the switch, by client-go's rules.
func reasonNotToFence(snap migration.Snapshot) string {
	r := snap.Reading
	if at := snap.Result; !isBelowP3(at) && (at.Position != position.P3 || at.Mixed) {
		return "the cluster is not at P3: " + snap.Result.Summary
	}
	for _, k := range r.KCMs {
		if k.Mode() != component.InTreeMigrating {
			return k.Name() + " is not seen to be in-tree with the flag"
		}
	}
	if _, there := r.Down.CCMContainer(); !there {
		return "there is no cloud controller manager"
	}
	if why := reasonInSettings(r); why != "" {
		return why
	}
	return judgeRecentRestart(r)
}

// reasonInSettings returns why the settings in force exclude a fence at every position, or
// empty. The CCM gets the leader election of kube-controller-manager when it is installed.
func reasonInSettings(r migration.Reading) string {
	if len(r.KCMs) < 2 {
		return "there is one kube-controller-manager: its other controllers would stop during the restart"
	}
	for _, k := range r.KCMs {
		if why := judgeElection(k.Args, wellknown.KCMLease); why != "" {
			return k.Name() + ": " + why
		}
	}
	if ccm, there := r.Down.CCMContainer(); there {
		if why := judgeElection(ccm.Flags(), wellknown.CCMLease); why != "" {
			return "the cloud controller manager: " + why
		}
	}
	return judgeMargin(electionArgs(r))
}

// isBelowP3 reports whether the cluster is temporarily below P3. If a Node does not respond,
// the DaemonSet wants no pod there. This resolves without action.
func isBelowP3(at position.Result) bool {
	return at.Position < position.P3 && at.Position != position.Unknown
}

// judgeElection returns why a fence cannot rely on a component's leader election, or empty.
func judgeElection(args component.Args, lock string) string {
	e, err := args.Election()
	switch {
	case err != nil:
		return fmt.Sprintf("its leader election cannot be read: %v", err)
	case !e.Enabled:
		return "it takes part in no leader election"
	case e.Lock != "leases" || e.Namespace != wellknown.System || e.Name != "" && e.Name != lock:
		return fmt.Sprintf("its lock is %s %s/%s", e.Lock, e.Namespace, migration.OrElse(e.Name, lock))
	case e.LeaseDuration <= e.RenewDeadline+e.RetryPeriod:
		return fmt.Sprintf("its lease of %s is not longer than renew deadline and retry period, %s and %s", e.LeaseDuration, e.RenewDeadline, e.RetryPeriod)
	}
	return ""
}

// electionArgs returns the arguments of every process that may take the migration lease, by
// name.
func electionArgs(r migration.Reading) map[string]component.Args {
	all := map[string]component.Args{}
	for _, k := range r.KCMs {
		all[k.Name()] = k.Args
	}
	if ccm, there := r.Down.CCMContainer(); there {
		all["the cloud controller manager"] = ccm.Flags()
	}
	return all
}

// judgeMargin returns an error text if a fenced holder may work for as long as another
// candidate minWait, or longer; it is empty otherwise. Up to client-go v0.26 a waiting candidate
// uses its own lease duration, regardless of the lease's. So every duration must exceed the
// work time of every holder. A holder that dies stops at once, and an unfenced lease needs no
// such margin between two programs.
func judgeMargin(all map[string]component.Args) string {
	var longestWorker, shortestWaiter string
	maxWork, minWait := time.Duration(0), time.Duration(math.MaxInt64)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e, err := all[name].Election()
		if err != nil {
			return fmt.Sprintf("%s: its leader election cannot be read: %v", name, err)
		}
		if on := e.RenewDeadline + e.RetryPeriod; on > maxWork {
			longestWorker, maxWork = name, on
		}
		if e.LeaseDuration < minWait {
			shortestWaiter, minWait = name, e.LeaseDuration
		}
	}
	if maxWork < minWait {
		return ""
	}
	return fmt.Sprintf("%s works for up to %s once it is fenced, and the lease of %s is %s", longestWorker, maxWork, shortestWaiter, minWait)
}

// judgeRecentRestart returns a text if the holder's container ended recently, so that its
// kubelet would delay the next restart; it is empty otherwise. If no host name identifies the
// holder, it judges all candidates. The times are from one machine (the kubelet's and the
// holder's last renewal), or from clocks that differ by less than minutes.
func judgeRecentRestart(r migration.Reading) string {
	held := r.Leases.Migration.Last
	mayHold := r.KCMs
	if k, there := r.KCMOn(lease.Host(held.Holder)); there {
		mayHold = []migration.KCM{k}
	}
	for _, k := range mayHold {
		if k.Pod == nil {
			continue // no kubelet restarts it
		}
		for _, s := range k.Pod.Statuses {
			if end := s.LastEnd(); end != nil && held.Renew.Sub(end.At) < backOffReset {
				return fmt.Sprintf("%s ended at %s, and would be started again after a pause", k.Name(), end.At.UTC().Format(time.RFC3339))
			}
		}
	}
	return ""
}

// missingForFence lists the conditions for a fence that are not met yet and may be met by
// waiting.
func missingForFence(snap migration.Snapshot) []string {
	r := snap.Reading
	missing := missingForKCMs(r)
	wait := func(yes bool, format string, args ...any) {
		if yes {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	wait(isBelowP3(snap.Result), "the cluster is not at P3: %s", snap.Result.Summary)
	kcm, ccm := lease.JudgeMain(r.Leases.KCM, r.RenewDeadline()), lease.JudgeMain(r.Leases.CCM, r.RenewDeadline())
	owner := r.LeaseVerdict()
	wait(owner.Owner != lease.KCM || owner.Life != lease.Alive, "migration lease: %s", owner.Text())
	wait(kcm.Holder != owner.Holder, "the migration lease is not yet with the kube-controller-manager that leads")
	wait(ccm.Life != lease.Alive, "Lease kube-system/%s: %s", wellknown.CCMLease, ccm.Life)
	wait(ccm.Life == lease.Alive && leadTime(r.Leases.CCM) < settleTime(r), "the cloud controller manager has led for %s of %s", leadTime(r.Leases.CCM).Round(time.Second), settleTime(r))
	evidence := r.CCMEvidence()
	wait(!evidence.Complete || evidence.PodsWithout > 0, "the cloud controller manager is not Ready with the flag on every control plane")
	return missing
}

// missingForKCMs lists the conditions missing until every kube-controller-manager is Ready and one
// leads.
func missingForKCMs(r migration.Reading) []string {
	var missing []string
	for _, k := range r.KCMs {
		if !k.Ready {
			missing = append(missing, k.Name()+" is not Ready")
		}
	}
	if main := lease.JudgeMain(r.Leases.KCM, r.RenewDeadline()); main.Life != lease.Alive {
		missing = append(missing, fmt.Sprintf("Lease kube-system/%s: %s", wellknown.KCMLease, main.Life))
	}
	return missing
}

// leadTime returns how long the holder has kept a lease, by the holder's clock; zero if the
// lease has no acquire time.
func leadTime(s lease.Series) time.Duration {
	if s.Last.Acquire.IsZero() {
		return 0
	}
	return s.Last.Renew.Sub(s.Last.Acquire)
}

// maxLeaseDuration returns the longest lease duration of all processes that may take the
// migration lease.
func maxLeaseDuration(r migration.Reading) time.Duration {
	longest := r.Leases.Migration.Last.Duration
	for _, args := range electionArgs(r) {
		if e, err := args.Election(); err == nil {
			longest = max(longest, e.LeaseDuration)
		}
	}
	return longest
}

// countLoadBalancers counts the Services of type LoadBalancer that are not being deleted.
func countLoadBalancers(services []downstream.Service) int {
	n := 0
	for _, s := range services {
		if !s.Deleting {
			n++
		}
	}
	return n
}
