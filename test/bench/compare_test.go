package bench

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/apiserver"
	"github.com/awsmigrate/awsmigrate/test/bench/standin"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
)

// Bounds of the design, for 5,000 nodes.
const (
	againstDescribe = 50
	againstJSONPath = 5
	peak            = 150 << 20
)

// latency is what an answer of EC2 takes at least.
const latency = 50 * time.Millisecond

// BenchmarkAuditSideBySide compares the audit of all nodes, with EC2's agreement,
// to the documented ways of looking at ProviderIDs alone.
func BenchmarkAuditSideBySide(b *testing.B) {
	n := count(b)
	server := apiserver.New(b, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		b.Fatal(err)
	}
	createNodes(b, client, n)
	cloud := &standin.AWS{Count: n, Lost: 2, Latency: latency}
	env := environment(server.Kubeconfig(b), serveAWS(b, cloud))
	binaries, err := component.Dir()
	if err != nil {
		b.Fatal(err)
	}
	kubectl := filepath.Join(binaries, "kubectl")
	for b.Loop() {
		compare(b, env, kubectl, n)
	}
	b.ReportMetric(0, "ns/op") // the ratios are the result
}

func compare(b *testing.B, env []string, kubectl string, n int) {
	b.Helper()
	shell := func(line string) usage { return measure(b, env, "", "sh", "-c", line) }
	var ours usage
	var saw audited
	for range 3 { // the fastest of three, for us and for those that are quick
		if u, a := audit(b, env, n, 2); ours.Seconds == 0 || u.Seconds < ours.Seconds {
			ours, saw = u, a
		}
	}
	fastest := func(line string) usage {
		best := shell(line)
		for range 2 {
			if u := shell(line); u.Seconds < best.Seconds {
				best = u
			}
		}
		return best
	}
	jsonpath := fastest(kubectl + ` get nodes -o jsonpath='{range .items[*]}{.metadata.name}{"\t"}{.spec.providerID}{"\n"}{end}' | tail -1`)
	list := fastest(kubectl + ` get --raw /api/v1/nodes | tail -c 1`)
	describe := shell(kubectl + ` describe nodes | grep -c ProviderID`)
	if got := string(describe.Output); got != fmt.Sprintf("%d\n", n) {
		b.Fatalf("describe shows %q ProviderIDs, want %d", got, n)
	}
	fmt.Printf("\n%d nodes, EC2 answering in %s\n%-52s %10s %10s %10s %9s\n", n, latency, "", "seconds", "CPU", "peak", "audit is")
	row := func(what string, u usage) {
		fmt.Printf("%-52s %10.2f %10.2f %10s %9s\n", what, u.Seconds, u.CPU, mb(u.Peak), fmt.Sprintf("1/%.1f", u.Seconds/ours.Seconds))
	}
	row("awsmigrate: nodes, EC2, checks 3xx and 4xx", ours)
	row("kubectl get --raw /api/v1/nodes (bare LIST)", list)
	row("kubectl get nodes -o jsonpath", jsonpath)
	row("kubectl describe nodes | grep ProviderID", describe)
	fmt.Printf("calls of AWS: %v\n", saw.Calls)
	b.ReportMetric(describe.Seconds/ours.Seconds, "x-describe")
	b.ReportMetric(jsonpath.Seconds/ours.Seconds, "x-jsonpath")
	b.ReportMetric(list.Seconds/ours.Seconds, "x-list")
	b.ReportMetric(float64(ours.Peak)/(1<<20), "MB-peak")
	if n < 5000 {
		return // the bounds are for 5,000
	}
	if r := describe.Seconds / ours.Seconds; r < againstDescribe {
		b.Errorf("the audit takes 1/%.1f of describe, want 1/%d", r, againstDescribe)
	}
	if r := jsonpath.Seconds / ours.Seconds; r < againstJSONPath {
		b.Errorf("the audit takes 1/%.1f of jsonpath, want 1/%d", r, againstJSONPath)
	}
	if ours.Peak > peak {
		b.Errorf("the audit takes %s, want %s at most", mb(ours.Peak), mb(peak))
	}
}

func createNodes(b *testing.B, client kubernetes.Interface, n int) {
	b.Helper()
	var g errgroup.Group
	g.SetLimit(16)
	start := time.Now()
	for i := range n {
		g.Go(func() error {
			node := standin.Node(i)
			node.ResourceVersion, node.UID = "", ""
			_, err := client.CoreV1().Nodes().Create(b.Context(), node, metav1.CreateOptions{})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d nodes in %s", n, time.Since(start).Round(time.Second))
}
