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

// backOffEnds is how long after its last end a container is started again at once when it
// ends once more (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13: a back-off is
// forgotten after twice its longest, MaxContainerBackOff).
const backOffEnds = 10 * time.Minute

// leftToSwitch says why the migration lease is not to be fenced in this cluster, so that it
// changes hands with the switch, as client-go has it; "": it may be.
func leftToSwitch(seen migration.Snapshot) string {
	r := seen.Reading
	if at := seen.Result; !fallsShort(at) && (at.Position != position.P3 || at.Mixed) {
		return "the cluster is not at P3: " + seen.Result.Summary
	}
	if len(r.KCMs) < 2 {
		return "there is one kube-controller-manager, and nobody to lead its other controllers while it is started again"
	}
	for _, k := range r.KCMs {
		if k.Mode() != component.InTreeMigrating {
			return k.Name() + " is not seen to be in-tree with the flag"
		}
		if why := unusualElection(k.Args, wellknown.KCMLease); why != "" {
			return k.Name() + ": " + why
		}
	}
	ccm, there := r.Down.CCMContainer()
	if !there {
		return "there is no cloud controller manager"
	}
	if why := unusualElection(ccm.Flags(), wellknown.CCMLease); why != "" {
		return "the cloud controller manager: " + why
	}
	if why := outworks(electing(r)); why != "" {
		return why
	}
	return restartedLately(r)
}

// fallsShort says whether a cluster that has the cloud controller manager is not at P3 for
// the moment, as while a Node does not answer: the DaemonSet wants no pod there then. That
// is over by waiting.
func fallsShort(at position.Result) bool {
	return at.Position < position.P3 && at.Position != position.Unknown
}

// unusualElection says what of a component's leader election a fence does not reckon with;
// "": nothing.
func unusualElection(args component.Args, lock string) string {
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

// electing are the arguments of everybody who may take the migration lease.
func electing(r migration.Reading) map[string]component.Args {
	all := map[string]component.Args{}
	for _, k := range r.KCMs {
		all[k.Name()] = k.Args
	}
	if ccm, there := r.Down.CCMContainer(); there {
		all["the cloud controller manager"] = ccm.Flags()
	}
	return all
}

// outworks says who works on, once fenced, for as long as somebody else waits, or longer;
// "": nobody does. Up to client-go v0.26 whoever waits counts its own duration, whatever
// the lease says; so each duration has to be longer than what each holder works on. A
// holder that dies ends at once, and a lease that nobody fences needs no such margin
// between two programs.
func outworks(all map[string]component.Args) string {
	var patient, brief string
	worksOn, waits := time.Duration(0), time.Duration(math.MaxInt64)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e, err := all[name].Election()
		if err != nil {
			return fmt.Sprintf("%s: its leader election cannot be read: %v", name, err)
		}
		if on := e.RenewDeadline + e.RetryPeriod; on > worksOn {
			patient, worksOn = name, on
		}
		if e.LeaseDuration < waits {
			brief, waits = name, e.LeaseDuration
		}
	}
	if worksOn < waits {
		return ""
	}
	return fmt.Sprintf("%s works for up to %s once it is fenced, and the lease of %s is %s", patient, worksOn, brief, waits)
}

// restartedLately says that the holder's container ended lately, so that its kubelet would
// make a pause before it starts it once more; "": it did not. Where no name tells which of
// them the holder is, none may have. Times are of one machine, the kubelet's and the
// holder's last renewal, or of clocks that differ by less than minutes.
func restartedLately(r migration.Reading) string {
	held := r.Leases.Migration.Last
	mayHold := r.KCMs
	if k, there := r.KCMOn(lease.Host(held.Holder)); there {
		mayHold = []migration.KCM{k}
	}
	for _, k := range mayHold {
		if k.Pod == nil {
			continue // no kubelet starts it
		}
		for _, s := range k.Pod.Statuses {
			if end := s.LastEnd(); end != nil && held.Renew.Sub(end.At) < backOffEnds {
				return fmt.Sprintf("%s ended at %s, and would be started again after a pause", k.Name(), end.At.UTC().Format(time.RFC3339))
			}
		}
	}
	return ""
}

// untilFence is what has to be seen before the lease is fenced, and may come by waiting.
func untilFence(seen migration.Snapshot) []string {
	r := seen.Reading
	open := untilKCMsLead(r)
	wait := func(yes bool, format string, args ...any) {
		if yes {
			open = append(open, fmt.Sprintf(format, args...))
		}
	}
	wait(fallsShort(seen.Result), "the cluster is not at P3: %s", seen.Result.Summary)
	kcm, ccm := lease.JudgeMain(r.Leases.KCM, r.RenewDeadline()), lease.JudgeMain(r.Leases.CCM, r.RenewDeadline())
	owner := r.LeaseVerdict()
	wait(owner.Owner != lease.KCM || owner.Life != lease.Alive, "migration lease: %s", owner.Text())
	wait(kcm.Holder != owner.Holder, "the migration lease is not yet with the kube-controller-manager that leads")
	wait(ccm.Life != lease.Alive, "Lease kube-system/%s: %s", wellknown.CCMLease, ccm.Life)
	wait(ccm.Life == lease.Alive && leads(r.Leases.CCM) < settleTime(r), "the cloud controller manager has led for %s of %s", leads(r.Leases.CCM).Round(time.Second), settleTime(r))
	evidence := r.CCMEvidence()
	wait(!evidence.Complete || evidence.PodsWithout > 0, "the cloud controller manager is not Ready with the flag on every control plane")
	return open
}

// untilKCMsLead is what lacks until every kube-controller-manager is Ready and one leads.
func untilKCMsLead(r migration.Reading) []string {
	var open []string
	for _, k := range r.KCMs {
		if !k.Ready {
			open = append(open, k.Name()+" is not Ready")
		}
	}
	if main := lease.JudgeMain(r.Leases.KCM, r.RenewDeadline()); main.Life != lease.Alive {
		open = append(open, fmt.Sprintf("Lease kube-system/%s: %s", wellknown.KCMLease, main.Life))
	}
	return open
}

// leads is how long the holder of a lease has kept it, by its own clock; 0 where the lease
// does not say since when.
func leads(s lease.Series) time.Duration {
	if s.Last.Acquire.IsZero() {
		return 0
	}
	return s.Last.Renew.Sub(s.Last.Acquire)
}

// longestLease is the longest duration that anybody counts who may take the migration lease.
func longestLease(r migration.Reading) time.Duration {
	longest := r.Leases.Migration.Last.Duration
	for _, args := range electing(r) {
		if e, err := args.Election(); err == nil {
			longest = max(longest, e.LeaseDuration)
		}
	}
	return longest
}

// countLoadBalancers are the Services of type LoadBalancer that are not being deleted.
func countLoadBalancers(services []downstream.Service) int {
	n := 0
	for _, s := range services {
		if !s.Deleting {
			n++
		}
	}
	return n
}
