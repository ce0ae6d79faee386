package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// rewriteJournal changes the text of the journal as a version of awsmigrate would.
func rewriteJournal(w *World, change func(string) string) {
	rewriteJournalIn(w.mgmt, w, fleet, change)
}

func rewriteJournalIn(s *server, w *World, namespace string, change func(string) string) {
	journal := s.get("configmaps", namespace, "awsmigrate-demo")
	data := mapAt(journal, "data")
	data["journal.json"] = change(text(data, "journal.json"))
	sum := sha256.Sum256([]byte(text(data, "journal.json")))
	data["sha256"] = hex.EncodeToString(sum[:])
	s.put("configmaps", journal, w.now)
}

// The journal changes between two runs; the first stops after install-ccm. An empty reason means
// that the second run ends as without the change.
func TestJournalsThatMeanNothingOrMuch(t *testing.T) {
	rewrite := func(change func(string) string) func(*World) {
		return func(w *World) { rewriteJournal(w, change) }
	}
	for _, tt := range []struct {
		name   string
		change func(*World)
		class  fault.Class
		reason string
	}{
		{"a month old", rewrite(func(s string) string { return strings.ReplaceAll(s, "2000-01-01T", "1999-12-01T") }), 0, ""},
		{"deleted", func(w *World) { w.mgmt.remove(key{"configmaps", fleet, "awsmigrate-demo"}) }, 0, ""},
		{"of an earlier schema", rewrite(func(s string) string { return strings.Replace(s, "journal/v1", "journal/v0", 1) }), fault.Stale, "JournalSchema"},
		{"of a newer schema", rewrite(func(s string) string { return strings.Replace(s, "journal/v1", "journal/v2", 1) }), fault.Stale, "JournalSchema"},
		{"truncated", rewrite(func(s string) string { return s[:len(s)/2] }), fault.Stale, "JournalBroken"},
		{"empty", rewrite(func(string) string { return "" }), fault.Stale, "JournalBroken"},
		{"changed by hand", func(w *World) {
			journal := w.mgmt.get("configmaps", fleet, "awsmigrate-demo")
			data := mapAt(journal, "data")
			data["journal.json"] = strings.Replace(text(data, "journal.json"), "alice", "mallory", 1)
			w.mgmt.put("configmaps", journal, w.now)
		}, fault.Stale, "JournalBroken"},
		{"of another cluster of that name", func(w *World) {
			system := w.down.peek("namespaces", "", kubeSystem)
			old := text(system, "metadata", "uid")
			rewrite(func(s string) string { return strings.ReplaceAll(s, old, "11111111-0000-4000-8000-000000000000") })(w)
		}, fault.Usage, "JournalOfAnotherCluster"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			if ended := do(t, Run{ID: runID(1), Until: "install-ccm"}, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			tt.change(w)
			dump := w.Dump()
			ended := do(t, Run{ID: runID(2)}, w)
			if tt.reason == "" {
				if ended.Err != nil {
					t.Fatal(ended.Err)
				}
				if wrong := append(w.Violations(), w.cordonFaults()...); len(wrong) > 0 {
					t.Error(wrong)
				}
				return
			}
			e, _ := fault.As(ended.Err)
			if e == nil || e.Class != tt.class || e.Reason != tt.reason {
				t.Errorf("ended with %v, wanted %s", ended.Err, tt.reason)
			}
			for name, was := range dump {
				if is := w.Dump()[name]; is != was && !strings.Contains(name, " leases") {
					t.Errorf("%s was changed all the same", name)
				}
			}
		})
	}
}
