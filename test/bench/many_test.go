package bench

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
)

// maxPeak is the memory limit for 50,000 nodes, far below the size of their list (1 GB).
const maxPeak = 768 << 20

// BenchmarkFiftyThousandNodes checks the audit's memory and its calls to AWS far beyond the size
// that Kubernetes supports.
func BenchmarkFiftyThousandNodes(b *testing.B) {
	const n = 50_000
	env, nodes, cloud := standIns(b, n)
	for b.Loop() {
		before := cloud.Calls()
		u := audit(b, env, n, lost)
		calls := callsSince(before, cloud.Calls())
		fmt.Printf("\n%d nodes: %.1f s, %.1f s of CPU, peak %s, %d pages of nodes, calls of AWS: %v\n", n, u.Seconds, u.CPU, mb(u.Peak), nodes.Pages(), calls)
		b.ReportMetric(float64(u.Peak)/(1<<20), "MB-peak")
		if u.Peak > maxPeak {
			b.Errorf("took %s, want %s at most", mb(u.Peak), mb(maxPeak))
		}
		if got := calls["DescribeInstances tag-key"] + calls["DescribeInstances instance-id"]; got > 60 {
			b.Errorf("%d calls of DescribeInstances, want the probe, a page for every thousand, and few that are sent again", got)
		}
	}
}

// The stand-ins answer as the audit expects. Only the benchmarks use them all together.
func TestAudit_ofStandIns_isComplete(t *testing.T) {
	const n = 200
	env, _, _ := standIns(t, n)
	audit(t, env, n, lost)
}

// standIns returns the environment of a simulated cluster of n Nodes and its simulated AWS.
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

// callsSince returns the calls that followed before.
func callsSince(before, after map[string]int) map[string]int {
	for kind := range before {
		after[kind] -= before[kind]
	}
	return after
}
