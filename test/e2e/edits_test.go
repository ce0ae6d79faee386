//go:build slow

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestEditsKeepEveryArgument migrates clusters whose owners configured more than a provider.
// Afterwards every process and every node has its old arguments, those that the migration adds,
// and no others.
func TestEditsKeepEveryArgument(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags []string
		args  []string
		// theirs are arguments that must be in force, so that the test cannot pass on a lab
		// that ignores them.
		theirs map[string]string
	}{
		{"entries", []string{"--cluster-file", "testdata/entries.yaml", "--workers", "1"}, []string{"--install-method", "additional-manifest"},
			map[string]string{"node-monitor-grace-period": "45s", "concurrent-service-syncs": "2", "concurrent-endpoint-syncs": ""}},
		{"strings", []string{"--cluster-file", "testdata/strings.yaml", "--layout", "all-role"}, nil,
			map[string]string{"node-monitor-grace-period": "50s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lab := boot(t, append([]string{"--lease", quick, "--api-restart", "5s"}, tt.flags...)...)
			editsKeepEveryArgument(t, lab, tt.args, tt.theirs)
		})
	}
}

func editsKeepEveryArgument(t *testing.T, lab *scenario.Lab, args []string, theirs map[string]string) {
	ctx := within(t, 20*time.Minute)
	before := readArguments(ctx, t, lab)
	managers, err := lab.RunningNow(ctx, "kube-controller-manager")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range managers {
		for flag, value := range theirs {
			if got, _ := m.Last(flag); got != value {
				t.Errorf("%s runs with --%s=%q before the migration, wanted %q", m.Name, flag, got, value)
			}
		}
	}
	manifest := additionalManifest(ctx, t, lab)
	migration := scenario.Migration{Lab: lab, Out: testWriter{t}, Args: append(args, "--until", "verify")}
	evidence, err := migration.Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("to P4 in %.0f s", evidence.Took.Seconds())
	if seen, err := lab.Standing(ctx); err != nil || seen != "P4" {
		t.Errorf("the cluster is at %s, %v; wanted P4", seen, err)
	}
	after := readArguments(ctx, t, lab)
	for who, had := range before {
		gained, lost := subtract(after[who], had), subtract(had, after[who])
		if len(lost) > 0 {
			t.Errorf("%s lost %q", who, lost)
		}
		if want := gains(who, had); !slices.Equal(gained, want) {
			t.Errorf("%s gained %q, wanted %q", who, gained, want)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d processes and nodes, were %d", len(after), len(before))
	}
	otherDocumentsAreKept(ctx, t, lab, manifest)
}

// gains returns the arguments that the end state `overrides` adds to a process or a node.
func gains(who string, had []string) []string {
	switch {
	case strings.HasPrefix(who, "kube-controller-manager "):
		return []string{"--cloud-provider=external"}
	case strings.HasPrefix(who, "Node ") && slices.Contains(had, "server"):
		return []string{"--disable-cloud-controller true", "--kube-controller-manager-arg cloud-provider=external", "--kubelet-arg cloud-provider=external"}
	case strings.HasPrefix(who, "Node "):
		return []string{"--kubelet-arg cloud-provider=external"}
	}
	return nil
}

// readArguments returns the configuration in force: the arguments of every
// kube-controller-manager and kube-apiserver process, and RKE2's start arguments on every Node,
// without the parts that change with each start.
func readArguments(ctx context.Context, t *testing.T, lab *scenario.Lab) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, kind := range []string{"kube-controller-manager", "kube-apiserver"} {
		running, err := lab.RunningNow(ctx, kind)
		if err != nil || len(running) == 0 {
			t.Fatalf("%d processes %s, %v", len(running), kind, err)
		}
		for _, p := range running {
			if p.Node == "" {
				continue // the management cluster's
			}
			var args []string
			for _, arg := range p.Args {
				if !strings.HasPrefix(arg, "--cloud-config=") { // the lab writes one for each start
					args = append(args, arg)
				}
			}
			all[kind+" of "+p.Node] = args
		}
	}
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		all["Node "+n.Name] = joinPairs(nodeArgs(t, n.Annotations))
	}
	return all
}

// joinPairs joins every flag with its value.
func joinPairs(args []string) []string {
	var pairs []string
	for _, arg := range args {
		if i := len(pairs) - 1; i >= 0 && strings.HasPrefix(pairs[i], "--") && !strings.Contains(pairs[i], " ") {
			pairs[i] += " " + arg
			continue
		}
		pairs = append(pairs, arg)
	}
	return pairs
}

// subtract returns the elements that a has more often than b, sorted.
func subtract(a, b []string) []string {
	count := map[string]int{}
	for _, one := range a {
		count[one]++
	}
	for _, one := range b {
		count[one]--
	}
	var more []string
	for _, one := range slices.Sorted(maps.Keys(count)) {
		for range max(0, count[one]) {
			more = append(more, one)
		}
	}
	return more
}

func additionalManifest(ctx context.Context, t *testing.T, lab *scenario.Lab) string {
	t.Helper()
	cluster, err := lab.Cluster(ctx)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := unstructured.NestedString(cluster.Object, "spec", "rkeConfig", "additionalManifest")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// otherDocumentsAreKept checks that additionalManifest is unchanged byte for byte, with at most
// one HelmChart appended.
func otherDocumentsAreKept(ctx context.Context, t *testing.T, lab *scenario.Lab, before string) {
	t.Helper()
	added, kept := strings.CutPrefix(additionalManifest(ctx, t, lab), before)
	switch {
	case !kept:
		t.Errorf("additionalManifest no longer begins with\n%s\nbut is\n%.2000s", before, additionalManifest(ctx, t, lab))
	case before == "":
		if added != "" {
			t.Errorf("additionalManifest is %.500s", added)
		}
	case strings.Count(added, "kind: HelmChart") != 1 || strings.Count(added, "\n---\n") != 1:
		t.Errorf("additionalManifest gained %.500s", added)
	}
}
