package procedure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// undoPreflight sees that there is a way back before anything is written.
type undoPreflight struct{ base }

func (s *undoPreflight) Plan(_ context.Context, seen migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"version, names of Nodes that joined, cluster at rest"}, Notes: s.ownerNotes(seen), Takes: 1}, s.refused(seen)
}

// refused says why no step back may be taken. A second Node while something rolls is for
// the guard of the step in hand, which brakes.
func (s *undoPreflight) refused(seen migration.Snapshot) error {
	if len(seen.Reading.Pending) == 0 {
		if err := renamedMeanwhile(seen); err != nil {
			return err
		}
	}
	return undoRefused(seen)
}

// renamedMeanwhile refuses a machine that came back under a second name since the undo began.
func renamedMeanwhile(s migration.Snapshot) error {
	for _, r := range guard.RenamesOf(s) {
		if r.New != r.Old {
			return &fault.Error{Class: fault.Check, Reason: "NodeRenamed", Object: "Node " + r.New,
				Seen:   fmt.Sprintf("is a second Node of machine %s beside %s (%s), and came since the undo began, while nobody watched", r.Machine, r.Old, r.Why),
				Wanted: "one Node for each machine, under the name it had",
				Fix:    "find out why; an undo that a person confirms goes back from this name, too"}
		}
	}
	return nil
}

func (s *undoPreflight) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.refused(seen); err != nil {
		return migration.Failed(err), nil
	}
	if err := errors.Join(guard.NoteRenamed(ctx, tx, seen), guard.TakeAgain(ctx, tx, seen)); err != nil {
		return runner.Verdict{}, err
	}
	seen.Record = tx.Record()
	if err := s.requireRestOrOurPause(seen); err != nil && !s.Undoing(seen) {
		if wait := s.waitForInterruptedRun(tx, seen); wait != nil {
			return *wait, nil
		}
		return migration.Failed(err), nil
	}
	v := migration.Met(fmt.Sprintf("Kubernetes %s has an in-tree provider; Nodes that joined have names it would give them", seen.Reading.Version))
	v.Stable = 1
	return v, nil
}

// undoRefused says why there is no way back.
func undoRefused(s migration.Snapshot) error {
	if !anyExternal(s) {
		return nil
	}
	version, err := component.ParseVersion(s.Reading.Version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", s.Reading.Object, err)
	}
	if version.AtLeast(1, 27) {
		return &fault.Error{Class: fault.Check, Reason: "NoWayBack", Object: s.Reading.Object, Seen: "runs Kubernetes " + s.Reading.Version,
			Wanted: "1.26 or older: later ones have no in-tree AWS provider", Fix: "stay with the external provider"}
	}
	before, known, err := guard.Fingerprint(s.Record)
	if err != nil {
		return err
	}
	if !known {
		before = continuity.Fingerprint{}
	}
	if bad := wouldBeRenamed(before, s.Reading.Stale, s.Reading.Down.Nodes); len(bad) > 0 {
		return &fault.Error{Class: fault.Check, Reason: "NodesWouldBeRenamed", Object: strings.Join(bad, ", "),
			Seen:   "joined after the fingerprint, under a name that is not its instance's private DNS name",
			Wanted: "the name that an in-tree kubelet takes whatever its arguments say", Fix: "replace these machines, then run again"}
	}
	return nil
}

// anyExternal says whether any component would have to become in-tree again.
func anyExternal(s migration.Snapshot) bool {
	if s.Result.MayHaveReached(position.P4) {
		return true
	}
	for _, k := range s.Reading.KCMs {
		if k.Mode() == component.ModeUnknown || k.Mode().IsExternal() {
			return true
		}
	}
	return false
}

// wouldBeRenamed are the Nodes that joined after the fingerprint and that an
// in-tree kubelet would register under another name: EC2's private DNS name, which
// the cloud controller manager writes as InternalDNS
// (k8s.io/legacy-cloud-providers/aws, CurrentNodeName; k8s.io/cloud-provider,
// node controller). A name that a machine of the fingerprint was given by a rename
// goes with the undo.
func wouldBeRenamed(before continuity.Fingerprint, found map[string]bool, nodes []downstream.Node) []string {
	var bad []string
	for i := range nodes {
		node := &nodes[i]
		if guard.HasNode(before, node.Name) || found[node.Name] || slices.ContainsFunc(node.Addresses, func(a downstream.Address) bool {
			return a.Type == "InternalDNS" && a.Address == node.Name
		}) {
			continue
		}
		bad = append(bad, "Node "+node.Name)
	}
	return bad
}

// requireRestOrOurPause is RequireRest on a cluster that a brake of ours may hold.
func (m *Migration) requireRestOrOurPause(seen migration.Snapshot) error {
	r := seen.Reading
	r.Pending = slices.DeleteFunc(slices.Clone(r.Pending), func(u migration.PendingCondition) bool { return u.OurPause })
	return r.RequireSettled()
}

// Undoing says whether the cluster moves, or lies between two positions, by a step
// of ours that an undo ends.
func (m *Migration) Undoing(seen migration.Snapshot) bool {
	now, err := m.progress(seen).undoing()
	return err == nil && now.step != ""
}

// requireNoCCM is the guard in the write that takes the flag away.
func requireNoCCM(s migration.Snapshot) error {
	if s.Reading.Down.CCM == nil && len(s.Reading.Down.CCMPods) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.Stale, Reason: "CCMStillThere", Object: "DaemonSet kube-system/" + wellknown.CCM,
		Seen:   "is there, or pods of it are",
		Wanted: "none: a kube-controller-manager without the flag runs the controllers beside it", Fix: "run again: undo-install-ccm comes first",
		Transient: s.Reading.Down.CCM == nil}
}

// mayComeBack is the guard in the write that makes components in-tree again: no
// kube-controller-manager may be given the provider unless somebody holds the
// migration lease at that moment, under leader migration. A run that has just begun
// may not have seen the lease move yet, and waits.
func mayComeBack(s migration.Snapshot) error {
	owner, ccm := s.Reading.LeaseVerdict(), s.Reading.CCMEvidence()
	seen, wanted, passing := "", "", true
	switch {
	case owner.Life != lease.Alive || owner.Owner != lease.CCM && owner.Owner != lease.KCM:
		seen, wanted = fmt.Sprintf("%s, %s", owner.Owner, owner.Life), "held by the CCM, or by a kube-controller-manager with the flag, and renewing"
	case ccm.Seen != position.Yes || !ccm.Migration || ccm.PodsWithout > 0:
		seen, wanted = fmt.Sprintf("CCM with the flag: %t, pods without it: %d", ccm.Migration, ccm.PodsWithout), "a CCM with the flag, and no pod without: it runs the controllers whoever holds the lease"
	case !s.Reading.Down.MayGet || !s.Reading.Down.MayUpdate:
		seen, wanted, passing = wellknown.KCMUser+" may not get and update it", "the grant: without it nobody runs the controllers once the CCM is gone", false
	default:
		return nil
	}
	return &fault.Error{Class: fault.Stale, Reason: "NotReadyToComeBack", Object: "Lease kube-system/" + wellknown.MigrationLease, Seen: seen, Wanted: wanted,
		Fix: "run again: undo-disable-leader-migration comes first", Transient: passing}
}
