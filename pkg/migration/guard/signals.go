package guard

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

// NewNodesOpen describes the Nodes that joined during the run and wait for the CCM.
func NewNodesOpen(s migration.Snapshot) []string {
	before, _, _ := Fingerprint(s.Record) // without a fingerprint every Node counts as new and must be initialized
	var open []string
	for i := range s.Reading.Down.Nodes {
		node := &s.Reading.Down.Nodes[i]
		if HasNode(before, node.Name) {
			continue
		}
		for _, taint := range node.Taints {
			if taint.Key == uninitializedTaint {
				open = append(open, fmt.Sprintf("new Node %s is not initialized by the cloud controller manager yet", node.Name))
			}
		}
	}
	return open
}

// SignalsOf returns the facts of this reading that the guard judges.
func SignalsOf(s migration.Snapshot) Signals {
	verdict := s.Reading.LeaseVerdict()
	out := Signals{
		At: s.At, Gap: maxHandoverGap(s.Reading), Unseen: s.Unseen, Outage: s.Outage, Renames: RenamesOf(s), LeaseHolder: verdict.Holder,
		LeaseMark:   s.Reading.Leases.Migration.Last.ResourceVersion,
		LeaseNeeded: s.Reading.Leases.Migration.Last.Exists && onlyByMigrationLease(s.Reading),
		CCMHolds:    verdict.Owner == lease.CCM && verdict.Life == lease.Alive,
		CCMRestarts: restartsOf(s.Reading.Down.CCMPods),
	}
	if s.Back {
		// An undo leaves the CCM installed. On RKE it restarts all API servers at once. The
		// CCM then loses its lease and restarts without a fault of its own.
		out.CCMRestarts = nil
	}
	for _, k := range s.Reading.KCMs {
		if k.Mode() == component.ExternalMigrating {
			out.Starving = append(out.Starving, k.Member)
		}
	}
	for _, m := range s.Reading.Members {
		for _, name := range m.Nodes {
			if node := s.Reading.Down.Node(name); node != nil && m.Kubelet == migration.KubeletExternal && !node.IsReady() {
				out.SwitchedNotReady = append(out.SwitchedNotReady, m.Name)
			}
		}
	}
	return out
}

// onlyByMigrationLease reports whether only the holder of the migration lease can run the
// cloud controllers. A kube-controller-manager that is in-tree without the flag can lead and
// run all of them without that lease.
func onlyByMigrationLease(r migration.Reading) bool {
	for _, k := range r.KCMs {
		if !k.Mode().IsExternal() && !k.Mode().IsMigrating() {
			return false
		}
	}
	return true
}

// maxHandoverGap returns the longest gap of a normal hand-over with the durations in force.
func maxHandoverGap(r migration.Reading) time.Duration {
	longest := time.Duration(0)
	for _, k := range r.KCMs {
		if !k.Known {
			continue
		}
		if election, err := k.Args.Election(); err == nil {
			_, gap := election.Gap()
			longest = max(longest, gap)
		}
	}
	return longest
}

func restartsOf(pods []downstream.Pod) map[string]int32 {
	restarts := make(map[string]int32, len(pods))
	for i := range pods {
		restarts[pods[i].Name] += pods[i].Restarts
	}
	return restarts
}
