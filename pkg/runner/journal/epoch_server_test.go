package journal

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// countedIn returns a journal of a cluster without a count. All tests share one API server, and
// so one count.
func countedIn(t *testing.T, config *rest.Config) (Counted, *faulty.Transport) {
	t.Helper()
	kept, _ := journalIn(t, rest.CopyConfig(config))
	cluster, f := faulty.Client(t, rest.CopyConfig(config))
	forget(t, cluster)
	return Counted{Journal: kept, Cluster: cluster, Clock: kept.Clock}, f
}

func forget(t *testing.T, cluster kubernetes.Interface) {
	t.Helper()
	err := cluster.CoreV1().ConfigMaps(wellknown.System).Delete(t.Context(), wellknown.FieldManager, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}

func journalCounted(t *testing.T, config *rest.Config) {
	j, _ := countedIn(t, config)
	st := load(t, j)
	if st.Counted != 0 || st.Restored() {
		t.Errorf("counted %d, restored %t", st.Counted, st.Restored())
	}
	commit(t, j, &st, "r/1")
	before := st
	for n := 1; n <= 3; n++ {
		st.Epoch = n
		commit(t, j, &st, "r/2")
		if got := load(t, j); got.Epoch != n || got.Counted != n || got.EpochOf("", false) != n || got.Restored() {
			t.Errorf("epoch %d: %d, counted %d", n, got.Epoch, got.Counted)
		}
	}
	// An old journal is restored.
	old := load(t, j)
	old.Epoch = before.Epoch
	commit(t, j.Journal, &old, "r/3")
	if got := load(t, j); got.Epoch != 0 || got.EpochOf("", false) != 3 || !got.Restored() {
		t.Errorf("epoch %d, current %d, restored %t", got.Epoch, got.EpochOf("", false), got.Restored())
	}
	patch := []byte(`{"data":{"epoch":"many"}}`)
	if _, err := j.Cluster.CoreV1().ConfigMaps(wellknown.System).Patch(t.Context(), wellknown.FieldManager, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := j.Load(t.Context())
	faulty.WantClass(t, err, fault.Stale, "kube-system/awsmigrate", "many")
	forget(t, j.Cluster)
}

// If a run dies or loses a response between the two writes, the journal counts more. It was not
// restored, and the next commit updates the cluster.
func journalCountLost(t *testing.T, config *rest.Config) {
	for _, what := range []faulty.Fate{faulty.LoseAfter, faulty.LoseBefore, faulty.Answer503} {
		j, f := countedIn(t, config)
		st := load(t, j)
		f.Set(func(method string, n int) faulty.Fate {
			if method == "POST" && n <= 1 {
				return what
			}
			return faulty.Deliver
		})
		st.Epoch = 1
		commit(t, j, &st, "r/1")
		if got := load(t, j); got.Epoch != 1 || got.Counted != 1 {
			t.Errorf("%v: epoch %d, counted %d", what, got.Epoch, got.Counted)
		}
		forget(t, j.Cluster)
		if got := load(t, j); got.Restored() || got.EpochOf("", false) != 1 {
			t.Errorf("%v: a count that is lost is read as a restore of Rancher", what)
		}
		st = load(t, j)
		commit(t, j, &st, "r/2")
		if got := load(t, j); got.Counted != 1 {
			t.Errorf("%v: counted %d", what, got.Counted)
		}
		forget(t, j.Cluster)
		if err := j.Cluster.CoreV1().ConfigMaps("default").Delete(t.Context(), faulty.Name(t), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
