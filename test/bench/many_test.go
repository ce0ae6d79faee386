package bench

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
)

// most is what 50,000 nodes may take: far less than their list, which has 1 GB.
const most = 768 << 20

// BenchmarkFiftyThousandNodes holds the audit's memory and its calls of AWS to
// bounds far beyond the size that Kubernetes itself is made for.
func BenchmarkFiftyThousandNodes(b *testing.B) {
	const n = 50_000
	env, nodes, cloud := standIns(b, n)
	for b.Loop() {
		before := cloud.Calls()
		u := audit(b, env, n, lost)
		calls := since(before, cloud.Calls())
		fmt.Printf("\n%d nodes: %.1f s, %.1f s of CPU, peak %s, %d pages of nodes, calls of AWS: %v\n", n, u.Seconds, u.CPU, mb(u.Peak), nodes.Pages(), calls)
		b.ReportMetric(float64(u.Peak)/(1<<20), "MB-peak")
		if u.Peak > most {
			b.Errorf("took %s, want %s at most", mb(u.Peak), mb(most))
		}
		if got := calls["DescribeInstances tag-key"] + calls["DescribeInstances instance-id"]; got > 60 {
			b.Errorf("%d calls of DescribeInstances, want the probe, a page for every thousand, and few that are sent again", got)
		}
	}
}

// TestAuditOfTheStandIns holds them to what the audit takes for an answer: no suite
// but the benchmarks has them all.
func TestAuditOfTheStandIns(t *testing.T) {
	const n = 200
	env, _, _ := standIns(t, n)
	audit(t, env, n, lost)
}

// standIns is the environment of a cluster of n Nodes and its AWS, of which nothing
// is real.
func standIns(t testing.TB, n int) (env []string, nodes *standin.Nodes, cloud *standin.AWS) {
	t.Helper()
	nodes, cloud = &standin.Nodes{Count: n}, &standin.AWS{Count: n, Lost: lost}
	server := httptest.NewServer(nodes)
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: x, cluster: {server: %q}}]\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nusers: [{name: x}]\ncurrent-context: x\n", server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return environment(kubeconfig, serveAWS(t, cloud)), nodes, cloud
}

// since are the calls that came after before was read.
func since(before, after map[string]int) map[string]int {
	for kind := range before {
		after[kind] -= before[kind]
	}
	return after
}
