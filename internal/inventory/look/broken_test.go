package look

import (
	"math"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// maxAllocated bounds the bytes that a list of all clusters allocates, garbage included.
const maxAllocated = 128 << 20

// A journal beyond the limits affects only the row of its own cluster, and needs little memory.
func (w *world) brokenJournal(t *testing.T) {
	text := `{"schema":"` + journal.Schema + `","intents":[{}` + strings.Repeat(",{}", 200_000) + `]}`
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: journal.Name("untouched")}, Data: map[string]string{"sha256": "", "journal.json": text}}
	if _, err := w.kube.CoreV1().ConfigMaps(workspace).Create(t.Context(), kept, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var fleet inventory.Fleet
	// A busy machine retries, and every retry allocates: one list of three shows the need.
	used := uint64(math.MaxUint64)
	for try := 0; try < 3 && used > maxAllocated; try++ {
		used = min(used, faulty.Allocated(func() { fleet = w.list(t, w.rancher("")) }))
	}
	if err := w.kube.CoreV1().ConfigMaps(workspace).Delete(t.Context(), kept.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(wantedRows)
	at := slices.IndexFunc(want, func(line string) bool { return strings.HasPrefix(line, workspace+"/untouched ") })
	want[at] = workspace + "/untouched RKE2 v1.26.15 aws at unknown: unknown by Fleet ! JournalBroken"
	same(t, "rows", lines(fleet), want)
	w.reached()
	if used > maxAllocated {
		t.Errorf("%d MB were allocated", used>>20)
	}
}
