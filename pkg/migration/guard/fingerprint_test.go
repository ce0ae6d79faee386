package guard

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Control planes must not join or leave between preflight and a write.
func TestRequireSameControlPlanes_members_changeRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		then   []continuity.NodePrint
		noted  []string
		change func(*migration.Reading)
		reason string
	}{
		"the same":                     {clustertest.Prints(), nil, nil, ""},
		"no preflight was made":        {nil, nil, func(r *migration.Reading) { r.Members = r.Members[1:] }, ""},
		"one joined":                   {append(clustertest.Prints()[1:2], clustertest.Prints()[2]), nil, nil, "ControlPlanesChanged"},
		"one left":                     {clustertest.Prints(), nil, func(r *migration.Reading) { r.Members = r.Members[1:] }, "ControlPlanesChanged"},
		"another in its place":         {clustertest.Prints(), nil, func(r *migration.Reading) { r.Members[0].Nodes = []string{"cp-2"} }, "ControlPlanesChanged"},
		"the same in another order":    {clustertest.Prints(), nil, func(r *migration.Reading) { slices.Reverse(r.Members) }, ""},
		"a worker left":                {clustertest.Prints(), nil, func(r *migration.Reading) { r.Members = r.Members[:2] }, ""},
		"a later preflight saw it":     {clustertest.Prints()[1:], []string{"cp-0", "cp-1"}, nil, ""},
		"one joined after that":        {clustertest.Prints(), []string{"cp-0"}, nil, "ControlPlanesChanged"},
		"the machine is no longer one": {clustertest.Prints(), nil, func(r *migration.Reading) { r.Members[0].ControlPlane = false }, "ControlPlanesChanged"},
	} {
		tx, snap := clustertest.TxFor(t, migration.StepPreflight), clustertest.At(position.P3)
		if tt.then != nil {
			clustertest.NotePrint(t, tx, tt.then...)
		}
		if tt.noted != nil {
			if err := tx.Note(t.Context(), controlPlanesNote, tt.noted); err != nil {
				t.Fatal(err)
			}
		}
		if tt.change != nil {
			tt.change(&snap.Reading)
		}
		snap.Record = tx.Record()
		if got := clustertest.ReasonOf(RequireSameControlPlanes(snap)); got != tt.reason {
			t.Errorf("%s: %q, want %q", name, got, tt.reason)
		}
		// A preflight that passes accepts the new control planes.
		if err := NoteControlPlanes(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		snap.Record = tx.Record()
		if err := RequireSameControlPlanes(snap); err != nil {
			t.Errorf("%s: %v after a preflight", name, err)
		}
	}
}

// Control planes are noted only if they differ from the journal's. The ID identifies a machine
// that has one.
func TestNoteControlPlanes_members_changesNoted(t *testing.T) {
	withID := clustertest.Prints()
	withID[0].Machine = "m-0"
	for name, tt := range map[string]struct {
		then  []continuity.NodePrint
		id    string
		noted []string
	}{
		"the same":               {clustertest.Prints(), "", nil},
		"no fingerprint":         {nil, "", nil},
		"one joined":             {clustertest.Prints()[1:], "", []string{"cp-0", "cp-1"}},
		"the same, by its ID":    {withID, "m-0", nil},
		"another machine's Node": {withID, "m-9", []string{"cp-1", "m-9"}},
	} {
		tx, snap := clustertest.TxFor(t, migration.StepPreflight), clustertest.At(position.P3)
		if tt.then != nil {
			clustertest.NotePrint(t, tx, tt.then...)
		}
		snap.Reading.Members[0].ID = tt.id
		var noted []string
		if err := NoteControlPlanes(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.NoteInto(controlPlanesNote, &noted); err != nil || !slices.Equal(noted, tt.noted) {
			t.Errorf("%s: %v, %v", name, err, noted)
		}
	}
}

// The fingerprint changes only for Nodes that were registered again.
func TestUpdateUIDs_nodes_registeredAgainUpdated(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*downstream.Node)
		none   bool
		uid    string // of the worker, in the fingerprint afterwards
	}{
		"nothing happened":          {func(*downstream.Node) {}, false, "uid-worker"},
		"registered again":          {func(n *downstream.Node) { n.UID = "new" }, false, "new"},
		"on another instance":       {func(n *downstream.Node) { n.UID, n.ProviderID = "new", "aws:///us-east-1a/i-other" }, false, "uid-worker"},
		"of another Machine":        {func(n *downstream.Node) { n.UID, n.Labels = "new", map[string]string{downstream.LabelMachine: "m"} }, false, "uid-worker"},
		"without a fingerprint yet": {func(n *downstream.Node) { n.UID = "new" }, true, ""},
	} {
		tx, snap := clustertest.TxFor(t, migration.StepPreflight), clustertest.At(position.P3)
		if !tt.none {
			clustertest.NotePrint(t, tx, clustertest.Prints()...)
		}
		tt.change(&snap.Reading.Down.Nodes[2])
		if err := UpdateUIDs(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		after, known, err := Fingerprint(tx.Record())
		if err != nil || known == tt.none || known && after.Nodes[2].UID != tt.uid {
			t.Errorf("%s: %v, known %t, %+v", name, err, known, after.Nodes)
		}
		if known {
			after.Nodes[2].UID = "uid-worker"
			if d := cmp.Diff(clustertest.Prints(), after.Nodes); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// An unreadable fingerprint is a broken journal, regardless of the defect.
func TestFingerprint_unreadable_isABrokenJournal(t *testing.T) {
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, note := range map[string]any{
		"not packed":       []byte("x"),
		"no text":          42,
		"not JSON":         packed("{"),
		"another schema":   packed(`{"schema":99}`),
		"beyond the limit": packed(`{"schema":1,"nodes":[{}` + strings.Repeat(",{}", 1<<18) + `]}`),
	} {
		raw, err := json.Marshal(note)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = Fingerprint(journal.Record{Object: "ConfigMap a/b", Notes: map[string]json.RawMessage{FingerprintNote: raw}})
		if !fault.HasReason(err, "JournalBroken") || fault.ClassOf(err) != fault.Stale || !strings.Contains(err.Error(), "ConfigMap a/b") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
