package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
)

// Bounds for 5,000 nodes and 150,000 pods.
const (
	maxAgainstPods     = 1.2 // times the wall time of listing the pods' metadata
	minAgainstJSONPath = 3   // minimum ratio of jsonpath's CPU time to ours
	peak               = 150 << 20
	programSize        = 80 << 20 // ours: the mapped program counts as its memory
)

// describedNodes is the number of Nodes that kubectl describes; the time for all is extrapolated.
// It describes one at a time, with three lists each, which would take an hour for all.
const describedNodes = 50

// latency is the minimum time of an EC2 answer. lost is the number of instances without a Node.
const (
	latency = 50 * time.Millisecond
	lost    = 2
)

// rounds is the number of runs of each quick contender, in turn; the minimum of each figure
// counts.
const rounds = 3

// BenchmarkAuditSideBySide compares the audit of all nodes, with EC2's agreement, to the
// documented commands that show ProviderIDs alone.
func BenchmarkAuditSideBySide(b *testing.B) {
	n := count(b)
	server := apiserver.New(b, apiserver.Options{})
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		b.Fatal(err)
	}
	createNodes(b, client, n)
	createPods(b, client, n)
	cloud := &standin.AWS{Count: n, Lost: lost, Latency: latency}
	env := environment(server.Kubeconfig(b), serveAWS(b, cloud))
	binaries, err := component.Dir()
	if err != nil {
		b.Fatal(err)
	}
	kubectl := filepath.Join(binaries, "kubectl")
	file, err := os.Stat(program(b))
	if err != nil {
		b.Fatal(err)
	}
	if file.Size() > programSize {
		b.Errorf("the program has %s, want %s at most: is it linked with every method of every type?", mb(file.Size()), mb(programSize))
	}
	for b.Loop() {
		compare(b, env, kubectl, n)
		fmt.Printf("calls of AWS in one audit: %v\n", perAudit(cloud.Calls()))
	}
	b.ReportMetric(0, "ns/op") // only the ratios are reported
}

func compare(b *testing.B, env []string, kubectl string, n int) {
	b.Helper()
	shell := func(line string) usage { return measure(b, env, "sh", "-c", line) }
	best := minUsage(
		func() usage { return audit(b, env, n, lost) },
		func() usage {
			return shell(kubectl + ` get nodes -o jsonpath='{range .items[*]}{.metadata.name}{"\t"}{.spec.providerID}{"\n"}{end}' | tail -1`)
		},
		func() usage { return shell(kubectl + ` get --raw /api/v1/nodes | tail -c 1`) },
		func() usage { return measurePodList(b, env, n*podsOnNode) },
	)
	ours, jsonpath, list, pods := best[0], best[1], best[2], best[3]
	describe := describeAll(b, shell, kubectl, n)
	fmt.Printf("\n%d nodes, %d pods, EC2 answering in %s\n%-52s %10s %10s %10s %9s %9s\n", n, n*podsOnNode, latency, "", "seconds", "CPU", "peak", "audit is", "of CPU")
	row := func(what string, u usage) {
		fmt.Printf("%-52s %10.2f %10.2f %10s %9s %9s\n", what, u.Seconds, u.CPU, mb(u.Peak), ratio(u.Seconds, ours.Seconds), ratio(u.CPU, ours.CPU))
	}
	row("awsmigrate verify, with EC2 and IAM", ours)
	row("metadata of the pods alone (client-go)", pods)
	row("kubectl get --raw /api/v1/nodes (bare LIST)", list)
	row("kubectl get nodes -o jsonpath", jsonpath)
	row(fmt.Sprintf("kubectl describe nodes | grep ProviderID (time of %d × %d)", min(describedNodes, n), n/min(describedNodes, n)), describe)
	b.ReportMetric(describe.Seconds/ours.Seconds, "x-describe")
	b.ReportMetric(ours.Seconds/pods.Seconds, "of-pods")
	b.ReportMetric(jsonpath.Seconds/ours.Seconds, "x-jsonpath")
	b.ReportMetric(jsonpath.CPU/ours.CPU, "x-jsonpath-CPU")
	b.ReportMetric(list.Seconds/ours.Seconds, "x-list")
	b.ReportMetric(float64(ours.Peak)/(1<<20), "MB-peak")
	if n >= 5000 { // the bounds apply to 5,000 nodes
		judge(b, ours, jsonpath, pods)
	}
}

// ratio formats our figure as a fraction of another.
func ratio(other, ours float64) string { return fmt.Sprintf("1/%.1f", other/ours) }

// minUsage runs each contender in turn, so that a change in the machine's speed affects all alike.
// For each it returns the run with the least CPU time, and the least wall time of all its runs.
func minUsage(contenders ...func() usage) []usage {
	best := make([]usage, len(contenders))
	for round := range rounds {
		for i, run := range contenders {
			u, seconds := run(), best[i].Seconds
			if round == 0 || u.Seconds < seconds {
				seconds = u.Seconds
			}
			if round == 0 || u.CPU < best[i].CPU {
				best[i] = u
			}
			best[i].Seconds = seconds
		}
	}
	return best
}

// measurePodList measures listing the metadata of all pods, the minimum that an audit must read.
func measurePodList(b *testing.B, env []string, pods int) usage {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	u := measure(b, env, "env", child+"="+asListPods, self)
	if got := string(u.Output); got != fmt.Sprintf("%d\n", pods) {
		b.Fatalf("%q pods are listed, want %d", got, pods)
	}
	return u
}

// perAudit divides the number of calls to AWS by the number of audits.
func perAudit(calls map[string]int) map[string]int {
	for kind := range calls {
		calls[kind] /= rounds
	}
	return calls
}

// judge compares an audit with the bounds.
func judge(b *testing.B, ours, jsonpath, pods usage) {
	b.Helper()
	if r := ours.Seconds / pods.Seconds; r > maxAgainstPods {
		b.Errorf("the audit takes %.2f times the wall time of listing the pods' metadata, want %.1f at most", r, maxAgainstPods)
	}
	if r := jsonpath.CPU / ours.CPU; r < minAgainstJSONPath {
		b.Errorf("the audit takes 1/%.1f of jsonpath's CPU time, want 1/%d", r, minAgainstJSONPath)
	}
	if ours.Peak > peak {
		b.Errorf("the audit takes %s, want %s at most", mb(ours.Peak), mb(peak))
	}
}

// describeAll extrapolates from a sample the usage of kubectl describing n nodes.
func describeAll(b *testing.B, shell func(string) usage, kubectl string, n int) usage {
	b.Helper()
	line := kubectl + " describe nodes"
	sample := min(describedNodes, n)
	for i := range sample {
		line += " " + standin.Name(i)
	}
	u := shell(line + " | grep -c ProviderID")
	if got := string(u.Output); got != fmt.Sprintf("%d\n", sample) {
		b.Fatalf("describe shows %q ProviderIDs, want %d", got, sample)
	}
	u.Seconds *= float64(n) / float64(sample)
	u.CPU *= float64(n) / float64(sample)
	return u
}

// podsOnNode makes 150,000 pods on 5,000 Nodes, the limit of Kubernetes: RKE2's own pods on each
// node, and pods of Deployments.
const podsOnNode = 30

// createPods creates pods and a Lease for each Node.
func createPods(b *testing.B, client kubernetes.Interface, n int) {
	b.Helper()
	ctx := b.Context()
	for _, namespace := range []string{metav1.NamespaceSystem, corev1.NamespaceNodeLease} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			b.Fatal(err)
		}
	}
	var g errgroup.Group
	g.SetLimit(16)
	for i := range n {
		g.Go(func() error {
			for _, pod := range standin.Pods(i, podsOnNode) {
				if _, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			lease := standin.Lease(i)
			_, err := client.CoordinationV1().Leases(lease.Namespace).Create(ctx, lease, metav1.CreateOptions{})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
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
