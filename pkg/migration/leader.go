package migration

import (
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// CloudControllers returns the process that runs the cloud controllers: the holder of the
// migration lease. If no process renews that lease, it is the leader of a component that
// does not use it. The result is empty unless the run saw the process renew its lease.
func (s Snapshot) CloudControllers() runner.Leader {
	r := s.Reading
	if held := r.LeaseVerdict(); held.Life == lease.Alive && (held.Owner == lease.KCM || held.Owner == lease.CCM) {
		return s.leader(held, wellknown.MigrationLease)
	}
	if ccm := lease.JudgeMain(r.Leases.CCM, r.RenewDeadline()); ccm.Life == lease.Alive && (r.ccmRunsAlone() || r.ccmRunsAloneOn(ccm.Host(), r.Leases.CCM.Last.Acquire)) {
		ccm.Owner = lease.CCM
		return s.leader(ccm, wellknown.CCMLease)
	}
	if kcm := lease.JudgeMain(r.Leases.KCM, r.RenewDeadline()); kcm.Life == lease.Alive && r.inTreeWithoutFlag(kcm.Host(), r.Leases.KCM.Last.Acquire) {
		kcm.Owner = lease.KCM
		return s.leader(kcm, wellknown.KCMLease)
	}
	return runner.Leader{}
}

func (s Snapshot) leader(v lease.Verdict, name string) runner.Leader {
	mark := s.Unchanged[name]
	return runner.Leader{
		Component: string(v.Owner), Host: v.Host(), ID: v.Holder,
		Renewed: mark.since, RenewedAfter: mark.after, Leads: mark.held, Starts: lease.StartTimeUnder(name),
	}
}

// ccmRunsAlone reports whether a CCM exists and every CCM leads without the migration lease.
func (r Reading) ccmRunsAlone() bool {
	ccm := r.CCMEvidence()
	return r.Down.CCM != nil && ccm.Complete && !ccm.Migration && ccm.PodsWith == 0
}

// ccmRunsAloneOn reports whether the CCM's pods on host run without leader migration, as in the
// middle of a rolling update that removes the flag. acquired is the time of the CCM's lease, by
// the host's clock.
func (r Reading) ccmRunsAloneOn(host string, acquired time.Time) bool {
	alone := false
	for _, pod := range r.CCMPodsOn(host) {
		container, _ := downstream.RunsCCM(pod.Containers)
		if on, err := container.Flags().Bool(component.EnableLeaderMigration, false); on || err != nil || pod.Started.After(acquired) {
			return false
		}
		alone = true
	}
	return alone
}

// CCMLeads reports whether a CCM that still runs was seen renewing its main lease. A pod that was
// replaced renewed the lease until its end, so a container that is younger than the leadership of its
// host does not count. Both times are by that host's clock.
func (r Reading) CCMLeads() bool {
	main := lease.JudgeMain(r.Leases.CCM, r.RenewDeadline())
	return main.Life == lease.Alive && !slices.ContainsFunc(r.CCMPodsOn(main.Host()), func(pod downstream.Pod) bool {
		return pod.Started.After(r.Leases.CCM.Last.Acquire)
	})
}

// CCMPodsOn returns the pods of the CCM on a host that have not ended.
func (r Reading) CCMPodsOn(host string) []downstream.Pod {
	var found []downstream.Pod
	k, _ := r.KCMOn(host)
	for _, pod := range r.Down.CCMPods {
		if _, is := downstream.RunsCCM(pod.Containers); is && !pod.Over() && (sameHost(pod.Node, host) || k.Node != "" && pod.Node == k.Node) {
			found = append(found, pod)
		}
	}
	return found
}

// inTreeWithoutFlag reports whether the main lease alone lets the kube-controller-manager on
// host run the cloud controllers. acquired is the time of that lease, by the host's clock.
func (r Reading) inTreeWithoutFlag(host string, acquired time.Time) bool {
	k, there := r.KCMOn(host)
	return there && r.ModeInForce(k) == component.InTree && !k.startedAfter(acquired)
}

// KCMOn returns the kube-controller-manager of a host. A leader's identity begins with the
// host name of the operating system, which may differ from the Node's name. On a machine
// that Rancher provisions, it is the name of the infrastructure object.
func (r Reading) KCMOn(host string) (k KCM, there bool) {
	for _, k := range r.KCMs {
		if sameHost(k.Node, host) || sameHost(k.Member, host) || lease.NamedBy(host, k.Infrastructure) {
			return k, true
		}
	}
	return KCM{}, false
}

// startedAfter reports whether the container started after t. If so, an earlier process,
// perhaps with other arguments, ran on its host at t.
func (k KCM) startedAfter(t time.Time) bool {
	started, err := time.Parse(time.RFC3339, k.Started)
	return err == nil && started.After(t)
}

// sameHost reports whether a Node's name and a host name are names of one machine. Either
// may lack its domain.
func sameHost(node, host string) bool {
	short, _, _ := strings.Cut(node, ".")
	shortHost, _, _ := strings.Cut(host, ".")
	return node != "" && (node == host || (short == host || node == shortHost) && short == shortHost)
}
