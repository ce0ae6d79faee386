//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// ofItsOwn matches what a controller in mode audit may write: objects of its kind, events on
// them, and its Lease.
var ofItsOwn = regexp.MustCompile(`^/apis/(awsmigrate\.io/v1alpha1/namespaces/fleet-default/clustermigrations(/demo/status)?|events\.k8s\.io/v1/.*/events|coordination\.k8s\.io/v1/namespaces/fleet-default/leases(/awsmigrate)?)(\?|$)`)

// TestFreshInstallation installs the charts with their default values. Ten minutes later every
// cluster with the in-tree provider has a row, and nothing else was written.
func TestFreshInstallation(t *testing.T) {
	lab := boot(t, "--lease", quick, "--workers", "1")
	ctx := within(t, 10*time.Minute)
	for name, spec := range map[string]map[string]any{
		"imported": {},
		"light":    {"kubernetesVersion": "v1.26.13+k3s1", "rkeConfig": map[string]any{"machineGlobalConfig": map[string]any{"cloud-provider-name": "aws"}}},
		"azure":    {"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{"machineGlobalConfig": map[string]any{"cloud-provider-name": "azure"}}},
		"none":     {"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{}},
	} {
		must(t, lab.AddCluster(ctx, name, spec))
	}
	since := time.Now()
	installed, err := lab.Install(ctx, "../../charts", nil)
	must(t, err)
	controller := startController(ctx, t, lab, installed, "awsmigrate-0")
	m := show(ctx, t, lab, controller, "an audit", func(m *v1alpha1.ClusterMigration) bool { return m.Status.Audit != nil })
	t.Log(scenario.Summary(m))
	if m.Status.Position != "P0" || m.Status.Audit.OK == 0 || int(m.Status.Audit.Fail) != len(m.Status.Audit.Failing) {
		t.Errorf("position %q, audit %+v", m.Status.Position, m.Status.Audit)
	}
	waitFor(t, time.Minute) // for an object that should not be there
	if got := objects(ctx, t, lab); !slices.Equal(got, []string{"demo"}) {
		t.Errorf("objects for %v", got)
	}
	trace, err := lab.Trace(since, "awsmigrate")
	must(t, err)
	for _, w := range trace {
		if w.Server != "management" || !ofItsOwn.MatchString(w.Path) {
			t.Errorf("wrote %s %s %s", w.Server, w.Verb, w.Path)
		}
	}
	asked, err := lab.Requests(installed.Release.Account())
	must(t, err)
	if missed := asked.Missed(); asked.All == 0 || len(missed) > 0 {
		t.Errorf("asked %d times, refused %v", asked.All, missed)
	}
	t.Logf("%d requests, %d writes", asked.All, len(trace))
}

func objects(ctx context.Context, t *testing.T, lab *scenario.Lab) []string {
	t.Helper()
	text, err := lab.KubectlManagement(ctx, "", "get", "awsm", "-A", "-o", "json")
	must(t, err)
	var list struct {
		Items []v1alpha1.ClusterMigration `json:"items"`
	}
	must(t, json.Unmarshal([]byte(text), &list))
	var names []string
	for _, m := range list.Items {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}
