package journal

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
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
	"counted by the cluster":            journalCounted,
	"its count is lost on the way":      journalCountLost,
}

// journalIn returns a journal with a unique name and a clock that never makes a test wait.
func journalIn(t *testing.T, config *rest.Config) (*ConfigMap, *faulty.Transport) {
	c, f := faulty.Client(t, config)
	j := NewConfigMap(c, "default", faulty.Name(t), Target{Kind: "rke2", Name: "demo", Namespace: "default", UID: "uid-1"})
	j.Clock = faulty.NewClock()
	return j, f
}

func commit(t *testing.T, j Journal, st *State, id string) {
	t.Helper()
	st.Commit = id
	if err := j.Commit(t.Context(), st); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, j Journal) State {
	t.Helper()
	st, err := j.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func journalLives(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	if d := cmp.Diff(State{}, load(t, j)); d != "" {
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
	cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if cm.Labels["theirs"] != "stays" || cm.Labels[wellknown.ManagedBy] != wellknown.FieldManager || cm.Labels[wellknown.InBackup] != "true" {
		t.Errorf("labels %v", cm.Labels)
	}
}

func journalTwoWriters(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	first := State{Runs: []Run{{ID: "run-a", Who: "alice"}}}
	commit(t, j, &first, "run-a/1")
	second := load(t, j)
	commit(t, j, &first, "run-a/2")
	second.Commit = "run-b/1"
	err := j.Commit(t.Context(), &second)
	faulty.WantClass(t, err, fault.Stale, "run-a", "alice")
	if got := load(t, j); got.Commit != "run-a/2" {
		t.Errorf("%s is stored", got.Commit)
	}
}

func journalTwoCreators(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var first, second State
	commit(t, j, &first, "run-a/1")
	second.Commit = "run-b/1"
	faulty.WantClass(t, j.Commit(t.Context(), &second), fault.Stale, "wrote the journal")
}

func journalLostAnswers(t *testing.T, config *rest.Config) {
	j, f := journalIn(t, config)
	var st State
	for i, what := range []faulty.Fate{faulty.LoseAfter, faulty.LoseBefore, faulty.Answer503, faulty.LoseAfter, faulty.LoseBefore} {
		f.Set(func(method string, n int) faulty.Fate {
			if method != "GET" && n <= 1 {
				return what
			}
			return faulty.Deliver
		})
		st.Intents = append(st.Intents, Intent{Object: fmt.Sprint(i)})
		commit(t, j, &st, fmt.Sprintf("r/%d", i))
		writes := f.Counted("POST") + f.Counted("PATCH")
		if want := map[faulty.Fate]int{faulty.LoseAfter: 1, faulty.LoseBefore: 2, faulty.Answer503: 2}[what]; writes != want {
			t.Errorf("commit %d: %d writes, want %d", i, writes, want)
		}
		if got := load(t, j); got.Version != st.Version || len(got.Intents) != i+1 {
			t.Errorf("commit %d: version %q, read %q with %d intents", i, st.Version, got.Version, len(got.Intents))
		}
	}
	// The response and the read after it are lost: the commit still succeeds.
	f.Set(func(method string, n int) faulty.Fate {
		if n <= 1 {
			return faulty.LoseAfter
		}
		return faulty.Deliver
	})
	commit(t, j, &st, "r/last")
	if got := load(t, j); got.Version != st.Version {
		t.Errorf("version %q, read %q", st.Version, got.Version)
	}
}

func journalOutage(t *testing.T, config *rest.Config) {
	j, f := journalIn(t, config)
	f.Set(func(string, int) faulty.Fate { return faulty.LoseBefore })
	start := j.Clock.Now()
	st := State{Commit: "r/1"}
	err := j.Commit(t.Context(), &st)
	if err == nil || !retry.Transient(err) || st.Version != "" {
		t.Fatalf("version %q: %v", st.Version, err)
	}
	if d := j.Clock.Since(start); d > retry.Outage || d < retry.Outage-10*time.Second {
		t.Errorf("gave up after %s", d)
	}
	f.Set(func(_ string, n int) faulty.Fate {
		if n < 6 {
			return faulty.Answer503
		}
		return faulty.Deliver
	})
	commit(t, j, &st, "r/1")
}

func journalOfAnotherCluster(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var st State
	commit(t, j, &st, "r/1")
	other := NewConfigMap(j.client, j.namespace, j.name, Target{Name: "demo", UID: "uid-2"})
	_, err := other.Load(t.Context())
	faulty.WantClass(t, err, fault.Usage, "ConfigMap default/", "uid-1", "uid-2")
	unpinned := NewConfigMap(j.client, j.namespace, "awsmigrate-unused", Target{Name: "demo"})
	if err := unpinned.Commit(t.Context(), &State{}); err == nil {
		t.Error("a journal without cluster was written")
	}
}

func journalDeleted(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	var st State
	commit(t, j, &st, "r/1")
	if err := j.client.CoreV1().ConfigMaps("default").Delete(t.Context(), j.name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	st.Commit = "r/2"
	faulty.WantClass(t, j.Commit(t.Context(), &st), fault.Stale, "deleted")
	if got := load(t, j); got.Version != "" {
		t.Error("it was created again")
	}
}

func journalTruncated(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	st := fullState()
	commit(t, j, &st, "r/1")
	cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cm.Data[keyText] = cm.Data[keyText][:100]
	if _, err := j.client.CoreV1().ConfigMaps("default").Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = j.Load(t.Context())
	faulty.WantClass(t, err, fault.Stale, "ConfigMap default/"+j.name, "truncated")
	st.Commit = "r/2"
	faulty.WantClass(t, j.Commit(t.Context(), &st), fault.Stale, "truncated")
}

func journalGrows(t *testing.T, config *rest.Config) {
	j, _ := journalIn(t, config)
	st := State{Notes: map[string]json.RawMessage{}}
	for i, n := range []int{1, 5000, 2} {
		st.Notes["fingerprint"] = nodesNote(n)
		commit(t, j, &st, fmt.Sprintf("r/%d", i))
		if got := load(t, j); !SameJSON(got.Notes["fingerprint"], st.Notes["fingerprint"]) {
			t.Errorf("%d nodes: lost", n)
		}
		cm, err := j.client.CoreV1().ConfigMaps("default").Get(t.Context(), j.name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if packed := n == 5000; (len(cm.BinaryData) == 1) != packed || (cm.Data[keyText] == "") != packed {
			t.Errorf("%d nodes: %d packed, %d bytes of text", n, len(cm.BinaryData), len(cm.Data[keyText]))
		}
	}
}

func journalForbidden(t *testing.T, config *rest.Config) {
	config.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	j, f := journalIn(t, config)
	start := time.Now()
	if err := j.Commit(t.Context(), &State{Commit: "r/1"}); !retry.Denied(err) {
		t.Errorf("%v", err)
	}
	if _, err := j.Load(t.Context()); !retry.Denied(err) {
		t.Errorf("%v", err)
	}
	if f.Counted("POST") != 1 {
		t.Errorf("tried %d times in %s", f.Counted("POST"), time.Since(start))
	}
}
