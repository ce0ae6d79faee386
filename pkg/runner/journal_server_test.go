package runner

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var journalTests = map[string]func(*testing.T, *rest.Config){
	"is created, updated and read back": journalLives,
	"two writers":                       journalTwoWriters,
	"two creators":                      journalTwoCreators,
	"a lost answer is looked up":        journalLostAnswers,
	"the API is away for a while":       journalOutage,
	"of another cluster":                journalOfAnotherCluster,
	"deleted under way":                 journalDeleted,
	"truncated in place":                journalTruncated,
	"grows and shrinks":                 journalGrows,
	"may not be written":                journalForbidden,
}

// journalIn is a journal with a name of its own on a clock that nobody waits for.
func journalIn(t *testing.T, config *rest.Config) (*ConfigMapJournal, *faults) {
	c, f := client(t, config)
	j := NewConfigMapJournal(c, "default", nameOf(t), Target{Kind: "rke2", Name: "demo", Namespace: "default", UID: "uid-1"})
	j.Clock = newStepClock()
	return j, f
}

func nameOf(t *testing.T) string {
	name := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
	return JournalName(strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", "-"), ",", "")))
}

func commit(t *testing.T, j Journal, st *JournalState, id string) {
	t.Helper()
	st.Commit = id
	if err := j.Commit(t.Context(), st); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, j Journal) JournalState {
	t.Helper()
	st, err := j.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func journalLives(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	if d := cmp.Diff(JournalState{}, load(t, j)); d != "" {
		t.Error(d)
	}
	st := fullState()
	commit(t, j, &st, "r/1")
	label := []byte(`{"metadata":{"labels":{"theirs":"stays"}}}`)
	if _, err := j.client.CoreV1().ConfigMaps("default").Patch(t.Context(), j.name, types.MergePatchType, label, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	st = load(t, j)
	st.Notes["more"] = json.RawMessage(`1`)
	commit(t, j, &st, "r/2")
	got := load(t, j)
	if got.Version != st.Version || got.Version == "" {
		t.Errorf("version %q, read %q", st.Version, got.Version)
	}
	if d := cmp.Diff(compactAll(st), compactAll(got)); d != "" {
		t.Error(d)
	}
	cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, get)
	if err != nil {
		t.Fatal(err)
	}
	if cm.Labels["theirs"] != "stays" || cm.Labels[managedBy] != wellknown.FieldManager {
		t.Errorf("labels %v", cm.Labels)
	}
}

func journalTwoWriters(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	first := JournalState{Runs: []RunRecord{{ID: "run-a", Who: "alice"}}}
	commit(t, j, &first, "run-a/1")
	second := load(t, j)
	commit(t, j, &first, "run-a/2")
	second.Commit = "run-b/1"
	err := j.Commit(t.Context(), &second)
	wantClass(t, err, fault.Stale, "run-a", "alice")
	if got := load(t, j); got.Commit != "run-a/2" {
		t.Errorf("%s is what is stored", got.Commit)
	}
}

func journalTwoCreators(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var first, second JournalState
	commit(t, j, &first, "run-a/1")
	second.Commit = "run-b/1"
	wantClass(t, j.Commit(t.Context(), &second), fault.Stale, "wrote the journal")
}

func journalLostAnswers(t *testing.T, config *rest.Config) {
	j, f := journalIn(t, config)
	var st JournalState
	for i, what := range []fate{loseAfter, loseBefore, answer503, loseAfter, loseBefore} {
		f.set(func(method string, n int) fate {
			if method != "GET" && n <= 1 {
				return what
			}
			return deliver
		})
		st.Intents = append(st.Intents, Intent{Object: fmt.Sprint(i)})
		commit(t, j, &st, fmt.Sprintf("r/%d", i))
		writes := f.counted("POST") + f.counted("PATCH")
		if want := map[fate]int{loseAfter: 1, loseBefore: 2, answer503: 2}[what]; writes != want {
			t.Errorf("commit %d: %d writes, want %d", i, writes, want)
		}
		if got := load(t, j); got.Version != st.Version || len(got.Intents) != i+1 {
			t.Errorf("commit %d: version %q, read %q with %d intents", i, st.Version, got.Version, len(got.Intents))
		}
	}
	// The answer and the look-up after it are lost: it still ends well.
	f.set(func(method string, n int) fate {
		if n <= 1 {
			return loseAfter
		}
		return deliver
	})
	commit(t, j, &st, "r/last")
	if got := load(t, j); got.Version != st.Version {
		t.Errorf("version %q, read %q", st.Version, got.Version)
	}
}

func journalOutage(t *testing.T, config *rest.Config) {
	j, f := journalIn(t, config)
	f.set(func(string, int) fate { return loseBefore })
	start := j.Clock.Now()
	st := JournalState{Commit: "r/1"}
	err := j.Commit(t.Context(), &st)
	if err == nil || !Transient(err) || st.Version != "" {
		t.Fatalf("version %q: %v", st.Version, err)
	}
	if d := j.Clock.Since(start); d > outage || d < outage-2*maxBackoff {
		t.Errorf("gave up after %s", d)
	}
	f.set(func(_ string, n int) fate {
		if n < 6 {
			return answer503
		}
		return deliver
	})
	commit(t, j, &st, "r/1")
}

func journalOfAnotherCluster(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var st JournalState
	commit(t, j, &st, "r/1")
	other := NewConfigMapJournal(j.client, j.namespace, j.name, Target{Name: "demo", UID: "uid-2"})
	_, err := other.Load(t.Context())
	wantClass(t, err, fault.Usage, "ConfigMap default/", "uid-1", "uid-2")
	nobody := NewConfigMapJournal(j.client, j.namespace, "awsmigrate-nobody", Target{Name: "demo"})
	if err := nobody.Commit(t.Context(), &JournalState{}); err == nil {
		t.Error("a journal without cluster was written")
	}
}

func journalDeleted(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var st JournalState
	commit(t, j, &st, "r/1")
	if err := j.client.CoreV1().ConfigMaps("default").Delete(t.Context(), j.name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	st.Commit = "r/2"
	wantClass(t, j.Commit(t.Context(), &st), fault.Stale, "deleted")
	if got := load(t, j); got.Version != "" {
		t.Error("it was created again")
	}
}

func journalTruncated(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	st := fullState()
	commit(t, j, &st, "r/1")
	cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, get)
	if err != nil {
		t.Fatal(err)
	}
	cm.Data[keyText] = cm.Data[keyText][:100]
	if _, err := j.client.CoreV1().ConfigMaps("default").Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = j.Load(t.Context())
	wantClass(t, err, fault.Stale, "ConfigMap default/"+j.name, "truncated")
	st.Commit = "r/2"
	wantClass(t, j.Commit(t.Context(), &st), fault.Stale, "truncated")
}

func journalGrows(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	st := JournalState{Notes: map[string]json.RawMessage{}}
	for i, n := range []int{1, 5000, 2} {
		st.Notes["fingerprint"] = nodesNote(n)
		commit(t, j, &st, fmt.Sprintf("r/%d", i))
		if got := load(t, j); !sameJSON(got.Notes["fingerprint"], st.Notes["fingerprint"]) {
			t.Errorf("%d nodes: lost", n)
		}
		cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, get)
		if err != nil {
			t.Fatal(err)
		}
		if packed := n == 5000; (len(cm.BinaryData) == 1) != packed || (cm.Data[keyText] == "") != packed {
			t.Errorf("%d nodes: %d packed, %d bytes of text", n, len(cm.BinaryData), len(cm.Data[keyText]))
		}
	}
}

func journalForbidden(t *testing.T, config *rest.Config) {
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody"}
	j, f := journalIn(t, config)
	start := time.Now()
	if err := j.Commit(t.Context(), &JournalState{Commit: "r/1"}); !Denied(err) {
		t.Errorf("%v", err)
	}
	if _, err := j.Load(t.Context()); !Denied(err) {
		t.Errorf("%v", err)
	}
	if f.counted("POST") != 1 {
		t.Errorf("tried %d times in %s", f.counted("POST"), time.Since(start))
	}
}
