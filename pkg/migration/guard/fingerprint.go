package guard

import (
	"context"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// FingerprintNote is the journal's key for the state of the cluster before the first write.
const FingerprintNote = "fingerprint"

// NoteFingerprint records the fingerprint once per migration. Later runs then compare with
// the first reading instead of the results of an earlier run. begun reports whether the
// migration has an edit that is not undone. Without one, a new fingerprint replaces the old.
func NoteFingerprint(ctx context.Context, tx *runner.Tx, s migration.Snapshot, facts downstream.Facts, found cloud.Facts, begun bool) error {
	if _, known, err := Fingerprint(tx.Record()); err != nil || known && begun {
		return err
	}
	taken, err := continuity.Take(facts, found)
	if err != nil {
		return migration.CouldNotRead("fingerprint of "+s.Reading.Object, err)
	}
	packed, err := taken.Encode()
	if err != nil {
		return err
	}
	if _, noted := tx.Record().Notes[BalancersNote]; noted {
		if err := tx.Note(ctx, BalancersNote, nil); err != nil {
			return err
		}
	}
	return tx.Note(ctx, FingerprintNote, packed)
}

// BalancersNote is the journal's key for the load balancers directly before the hand-over. What
// changed in AWS until then was not the CCM: every start of a kube-controller-manager corrects
// all load balancers (k8s.io/cloud-provider:controllers/service/controller.go).
const BalancersNote = "balancers"

// NoteBalancers records the load balancers before the hand-over.
func NoteBalancers(ctx context.Context, tx *runner.Tx, facts downstream.Facts, found cloud.Facts) error {
	taken, err := continuity.Take(facts, found)
	if err != nil {
		return fmt.Errorf("load balancers before the hand-over: %w", err)
	}
	taken.Nodes = nil
	packed, err := taken.Encode()
	if err != nil {
		return err
	}
	return tx.Note(ctx, BalancersNote, balancers{Run: tx.Run(), Print: packed})
}

// balancers is the value of BalancersNote.
type balancers struct {
	Run   string `json:"run"`
	Print []byte `json:"print"` // by Fingerprint.Encode
}

// BalancersRun returns the run that recorded the load balancers before the hand-over, or "".
func BalancersRun(record journal.Record) (string, error) {
	var noted balancers
	_, err := record.NoteInto(BalancersNote, &noted)
	return noted.Run, err
}

// UpdateUIDs updates the fingerprint with the Nodes that were deleted and registered again
// since. Nothing can restore the old Nodes, and a person started this run. A warning names
// each Node.
func UpdateUIDs(ctx context.Context, tx *runner.Tx, s migration.Snapshot) error {
	then, _, err := firstFingerprint(tx.Record())
	if err != nil {
		return err
	}
	var now []continuity.NodePrint
	for i := range s.Reading.Down.Nodes {
		node := &s.Reading.Down.Nodes[i]
		now = append(now, continuity.NodePrint{Name: node.Name, UID: node.UID, ProviderID: node.ProviderID, Machine: node.Labels[downstream.LabelMachine]})
	}
	again, names := then.UpdateUIDs(now)
	if len(names) == 0 {
		return nil
	}
	packed, err := again.Encode()
	if err != nil {
		return err
	}
	tx.Warn("deleted and registered again since the migration began, and taken as they are now: Node " + strings.Join(names, ", Node "))
	return tx.Note(ctx, FingerprintNote, packed)
}

// Fingerprint returns the fingerprint of a journal, if it has one. Its load balancers in AWS are
// those before the hand-over, if they were recorded.
func Fingerprint(record journal.Record) (continuity.Fingerprint, bool, error) {
	first, known, err := firstFingerprint(record)
	if err != nil || !known {
		return first, false, err
	}
	var noted balancers
	if _, err := record.NoteInto(BalancersNote, &noted); err != nil || noted.Print == nil {
		return first, err == nil, err
	}
	later, err := continuity.Decode(noted.Print)
	if err != nil {
		return first, false, record.BrokenNote(BalancersNote, err)
	}
	return first.WithBalancers(later), true, nil
}

// firstFingerprint returns the fingerprint of the preflight, if the journal has one.
func firstFingerprint(record journal.Record) (continuity.Fingerprint, bool, error) {
	var packed []byte
	known, err := record.NoteInto(FingerprintNote, &packed)
	if err != nil || !known {
		return continuity.Fingerprint{}, false, err
	}
	then, err := continuity.Decode(packed)
	if err != nil {
		return continuity.Fingerprint{}, false, record.BrokenNote(FingerprintNote, err)
	}
	return then, true, nil
}
