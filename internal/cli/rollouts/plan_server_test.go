package rollouts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// A plan by name has the members as the controller shows them, and writes nothing.
func planByName(t *testing.T, s *server) {
	spec := waves("a1 a2 a3")
	spec.Waves = append(spec.Waves, v1alpha1.Wave{Name: "test", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "test"}}})
	n := s.space(t, spec)
	n.cluster(t, "labelled", "aws", map[string]any{"env": "test"})
	n.cluster(t, "alone", "aws", nil)
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.AwaitingOwner, message: "say who edits it"})
	n.member(t, "a3", state{shown: status.AwaitingApproval, plan: hash("3"), unseen: true})
	n.member(t, "labelled", state{shown: status.AwaitingApproval, plan: hash("4")})
	n.member(t, "alone", state{shown: status.AwaitingApproval, plan: hash("5")})
	before := n.now(t).ResourceVersion
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "wave a · 3 clusters", "1 with a plan: a1", "1 without a plan: a2 say who edits it", "1 not looked at yet: a3",
		"wave test · 1 cluster", "1 cluster in no wave: alone", "next awsmigrate rollout status --name eu --namespace planbyname")
	n.run(t, nil, "plan", "--name", "eu", "-o", "wide").expect(t, 0, "a1 with a plan 111111111111", "labelled with a plan 444444444444")
	got := n.run(t, nil, "plan", "--name", "eu", "-o", "json")
	got.expect(t, 0)
	var doc view.RolloutPlanDocument
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || len(doc.Waves) != 2 || doc.Waves[0].Clusters[0].Plan != hash("1") || doc.Approved {
		t.Errorf("%v: %+v", err, doc)
	}
	if after := n.now(t).ResourceVersion; after != before {
		t.Error("the rollout was written")
	}
}

// A plan by file reads Rancher's clusters. It has those of its namespace that could be migrated.
func planByFile(t *testing.T, s *server) {
	n := s.space(t, v1alpha1.MigrationRolloutSpec{})
	n.cluster(t, "one", "aws", map[string]any{"env": "test"})
	n.cluster(t, "two", "aws", map[string]any{"env": "prod"})
	n.cluster(t, "three", "aws", nil)
	n.cluster(t, "other-cloud", "rancher-vsphere", map[string]any{"env": "test"})
	file := manifest(t, `
# a rollout of this test
apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: new}
spec:
  waves:
  - {name: test, selector: {matchLabels: {env: test}}}
  - {name: prod, selector: {matchLabels: {env: prod}}, soak: 1h, clusters: [one, typo]}
`)
	// Rancher's copies of the clusters are missing here, so each could not be read.
	n.run(t, nil, "plan", "--file", file).expect(t, 10, n.name+"/new", "wave test · 1 cluster", "1 could not be checked: one", "wave prod · 1 cluster · 1 at a time · 0 failures allowed · deadline 24h · soak 1h",
		"1 missing: one", "wave test matches it earlier", "1 missing: typo", "no cluster of this name can be migrated", "could not be checked: two", "1 cluster in no wave: three", "next kubectl apply -f "+file+" -n planbyfile")
	elsewhere := manifest(t, strings.Replace(read(t, file), "name: new", "name: new, namespace: elsewhere", 1))
	n.run(t, nil, "plan", "--file", elsewhere).expect(t, 2, `flag --namespace: "planbyfile", but metadata.namespace`, `is "elsewhere"`)
}

func manifest(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rollout.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func notFound(t *testing.T, s *server) {
	n := s.space(t, v1alpha1.MigrationRolloutSpec{})
	for _, command := range []string{"plan", "status", "approve", "pause", "resume", "retry"} {
		n.run(t, nil, command, "--name", "eu").expect(t, 2, "MigrationRollout notfound/eu: does not exist", "kubectl get awsr -n notfound")
	}
}
