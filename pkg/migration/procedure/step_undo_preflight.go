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

// undoPreflight checks that rollback is possible before anything is written.
type undoPreflight struct{ base }

func (s *undoPreflight) Plan(_ context.Context, snap migration.Snapshot) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"version, names of Nodes that joined, cluster at rest"}, Notes: s.ownerNotes(snap), Takes: 1}, s.requireUndoable(snap)
}

// requireUndoable returns an error if no undo step may run. A second Node during a rollout is
// left to the guard of the current step, which pauses the rollout.
func (s *undoPreflight) requireUndoable(snap migration.Snapshot) error {
	if len(snap.Reading.Pending) == 0 {
		if err := requireNoRename(snap); err != nil {
			return err
		}
	}
	return judgeUndo(snap)
}

// requireNoRename refuses a machine that got a second Node name since the undo began.
func requireNoRename(s migration.Snapshot) error {
	for _, r := range guard.RenamesOf(s) {
		if r.New != r.Old {
			return &fault.Error{Class: fault.Check, Reason: "NodeRenamed", Object: "Node " + r.New,
				Seen:   fmt.Sprintf("is a second Node of machine %s next to %s (%s), added since the undo began, while no run watched", r.Machine, r.Old, r.Why),
				Wanted: "one Node for each machine, under the name it had",
				Fix:    "find out why; an undo that a person confirms accepts this name, too"}
		}
	}
	return nil
}

func (s *undoPreflight) Verify(ctx context.Context, tx *runner.Tx, snap migration.Snapshot) (runner.Verdict, error) {
	if err := s.requireUndoable(snap); err != nil {
		return migration.Failed(err), nil
	}
	if err := errors.Join(guard.NoteRenamed(ctx, tx, snap), guard.UpdateUIDs(ctx, tx, snap)); err != nil {
		return runner.Verdict{}, err
	}
	snap.Record = tx.Record()
	if err := s.requireRestOrOurPause(snap); err != nil && !s.Undoing(snap) {
		if wait := s.waitForInterruptedRun(tx, snap); wait != nil {
			return *wait, nil
		}
		return migration.Failed(err), nil
	}
	v := migration.Met(fmt.Sprintf("Kubernetes %s has an in-tree provider; nodes that joined have the names that it gives", snap.Reading.Version))
	v.Stable = 1
	return v, nil
}

// judgeUndo returns an error if rollback is impossible.
func judgeUndo(s migration.Snapshot) error {
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
	if bad := nodesToRename(before, s.Reading.Stale, s.Reading.Down.Nodes); len(bad) > 0 {
		return &fault.Error{Class: fault.Check, Reason: "NodesWouldBeRenamed", Object: strings.Join(bad, ", "),
			Seen:   "joined after the fingerprint, under a name that is not its instance's private DNS name",
			Wanted: "the name that an in-tree kubelet takes regardless of its arguments", Fix: "replace these machines, then run again"}
	}
	return nil
}

// anyExternal reports whether any component would have to become in-tree again.
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

// nodesToRename returns the Nodes that joined after the fingerprint and that an in-tree kubelet
// would register under another name: EC2's private DNS name, which the CCM writes as
// InternalDNS (k8s.io/legacy-cloud-providers/aws, CurrentNodeName; k8s.io/cloud-provider, node
// controller). It ignores the new name of a renamed machine of the fingerprint, which the undo
// reverts.
func nodesToRename(before continuity.Fingerprint, found map[string]bool, nodes []downstream.Node) []string {
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

// requireRestOrOurPause is RequireRest, but accepts our own pause.
func (m *Migration) requireRestOrOurPause(snap migration.Snapshot) error {
	r := snap.Reading
	r.Pending = slices.DeleteFunc(slices.Clone(r.Pending), func(u migration.PendingCondition) bool { return u.OurPause })
	return r.RequireSettled()
}

// Undoing reports whether a step that an undo ends still rolls out, or left the cluster between
// two positions.
func (m *Migration) Undoing(snap migration.Snapshot) bool {
	now, err := m.progress(snap).currentUndo()
	return err == nil && now.step != ""
}

// requireNoCCM is the precondition of the write that removes the flag.
func requireNoCCM(s migration.Snapshot) error {
	if s.Reading.Down.CCM == nil && len(s.Reading.Down.CCMPods) == 0 {
		return nil
	}
	return &fault.Error{Class: fault.Stale, Reason: "CCMStillThere", Object: "DaemonSet kube-system/" + wellknown.CCM,
		Seen:   "is there, or pods of it are",
		Wanted: "no CCM: a kube-controller-manager without the flag runs the same controllers", Fix: "run again: undo-install-ccm comes first",
		Transient: s.Reading.Down.CCM == nil}
}

// requireLeaseHeld is the precondition of the write that makes components in-tree again. A
// kube-controller-manager may get the provider only while a process with leader migration holds
// the migration lease. A new run may not have seen the lease change yet, and waits.
func requireLeaseHeld(s migration.Snapshot) error {
	owner, ccm := s.Reading.LeaseVerdict(), s.Reading.CCMEvidence()
	state, wanted, passing := "", "", true
	switch {
	case owner.Life != lease.Alive || owner.Owner != lease.CCM && owner.Owner != lease.KCM:
		state, wanted = fmt.Sprintf("%s, %s", owner.Owner, owner.Life), "held by the CCM, or by a kube-controller-manager with the flag, and renewing"
	case ccm.Seen != position.Yes || !ccm.Migration || ccm.PodsWithout > 0:
		state, wanted = fmt.Sprintf("CCM with the flag: %t, pods without it: %d", ccm.Migration, ccm.PodsWithout), "a CCM with the flag, and no pod without it: such a pod runs the controllers regardless of the lease"
	case !s.Reading.Down.MayGet || !s.Reading.Down.MayUpdate:
		state, wanted, passing = wellknown.KCMUser+" may not get and update it", "the grant: without it no process runs the controllers once the CCM is gone", false
	default:
		return nil
	}
	return &fault.Error{Class: fault.Stale, Reason: "NotReadyToComeBack", Object: "Lease kube-system/" + wellknown.MigrationLease, Seen: state, Wanted: wanted,
		Fix: "run again: undo-disable-leader-migration comes first", Transient: passing}
}
