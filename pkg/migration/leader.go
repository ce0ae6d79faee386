package migration

import (
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// CloudControllers is the process that is seen to run the cloud controllers: the holder
// of the migration lease; where nobody renews that, the leader of a component that does
// not ask for it. Who was not seen to renew is not claimed to run anything.
func (s Snapshot) CloudControllers() runner.Leader {
	r := s.Reading
	if held := r.LeaseVerdict(); held.Life == lease.Alive && (held.Owner == lease.KCM || held.Owner == lease.CCM) {
		return s.leader(held, wellknown.MigrationLease)
	}
	if ccm := lease.JudgeMain(r.Leases.CCM, r.RenewDeadline()); ccm.Life == lease.Alive && r.ccmRunsAlone() {
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
	return runner.Leader{Component: string(v.Owner), Host: v.Host(), ID: v.Holder, Renewed: mark.since, RenewedAfter: mark.after, Leads: mark.held}
}

// ccmRunsAlone says whether every CCM there is leads by its own lease alone.
func (r Reading) ccmRunsAlone() bool {
	ccm := r.CCMEvidence()
	return r.Down.CCM != nil && ccm.Complete && !ccm.Migration && ccm.PodsWith == 0
}

// inTreeWithoutFlag says whether the kube-controller-manager on a host, which acquired the
// main lease at a time of that host's clock, is seen to run the cloud controllers by it.
func (r Reading) inTreeWithoutFlag(host string, acquired time.Time) bool {
	k, there := r.KCMOn(host)
	return there && r.ModeInForce(k) == component.InTree && !k.startedAfter(acquired)
}

// KCMOn is the kube-controller-manager of a host, by the name that its identity begins with:
// the operating system's, which may be another than the Node's. On a machine that Rancher
// makes it is that of the infrastructure object.
func (r Reading) KCMOn(host string) (k KCM, there bool) {
	for _, k := range r.KCMs {
		if sameHost(k.Node, host) || sameHost(k.Member, host) || lease.NamedBy(host, k.Infrastructure) {
			return k, true
		}
	}
	return KCM{}, false
}

// startedAfter says whether its container is seen to have started after a time: another
// process, with other arguments perhaps, ran on its host then.
func (k KCM) startedAfter(t time.Time) bool {
	started, err := time.Parse(time.RFC3339, k.Started)
	return err == nil && started.After(t)
}

// sameHost says whether a Node's name and a host name are of one machine: one of them may
// be without its domain.
func sameHost(node, host string) bool {
	short, _, _ := strings.Cut(node, ".")
	shortHost, _, _ := strings.Cut(host, ".")
	return node != "" && (node == host || (short == host || node == shortHost) && short == shortHost)
}
