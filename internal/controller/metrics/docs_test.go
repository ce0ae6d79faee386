package metrics

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lasso "github.com/rancher/lasso/pkg/metrics"
	"k8s.io/client-go/util/workqueue"
)

// described returns the rows of the tables in docs/metrics.md: metrics with type and labels, and
// the prefixes of libraries.
func described(t *testing.T) (metrics map[string]string, prefixes []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	metrics = map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+) \\|([^|]*)\\|").FindAllStringSubmatch(string(text), -1) {
		labels := strings.FieldsFunc(row[3], func(r rune) bool { return strings.ContainsRune("`, ", r) })
		slices.Sort(labels)
		metrics[row[1]] = row[2] + " of " + strings.Join(labels, ", ")
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+_)` \\|").FindAllStringSubmatch(string(text), -1) {
		prefixes = append(prefixes, row[1])
	}
	return metrics, prefixes
}

// docs/metrics.md has every metric with type and labels, and no other. Metrics of libraries have
// a documented prefix.
func TestMetrics_each_isDocumented(t *testing.T) {
	p := everything(t)
	Libraries(p.registry)
	workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](), workqueue.TypedRateLimitingQueueConfig[string]{Name: "q"}).ShutDown()
	lasso.IncTotalHandlerExecutions("", "controller", "handler", false)
	p.scrape()
	families, err := p.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want, prefixes := described(t)
	have, used := map[string]string{}, map[string]bool{}
	for _, family := range families {
		name := family.GetName()
		if at := slices.IndexFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }); at >= 0 {
			used[prefixes[at]] = true
			continue
		}
		var labels []string
		for _, label := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, label.GetName())
		}
		have[name] = strings.ToLower(family.GetType().String()) + " of " + strings.Join(labels, ", ")
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("in docs/metrics.md (-), in the registry (+):\n%s", diff)
	}
	if len(used) != len(prefixes) {
		t.Errorf("docs/metrics.md has the prefixes %q, of which there are %v", prefixes, used)
	}
}
