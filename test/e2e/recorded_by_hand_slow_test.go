//go:build slow

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/test/recorded"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestRecordedByHand migrates with kubectl alone, in three ways: with both controllers at once,
// in the right order with edits that keep the Nodes, and with the guide's edit, which renames
// them. Records through Rancher and with only the cluster's own kubeconfig agree with the
// observer each time.
func TestRecordedByHand(t *testing.T) {
	lab := boot(t)
	ctx := within(t, 30*time.Minute)
	t.Run("without leader migration", func(t *testing.T) {
		byRancher, byItself := recordedTwice(ctx, t, lab, "double", doubleByHand)
		if tally, found := byRancher.tally, overlapsOf(byRancher.result, judge.Service); tally.TrueOverlaps == 0 || tally.Seen == 0 {
			t.Errorf("%+v: %+v; wanted the double run seen", tally, found)
		}
		tells(ctx, t, lab, byRancher.file, 3, "Two processes ran a cloud controller at once")
		if verdict := byItself.result.Verdict(); verdict == judge.Single || verdict == judge.ByRule {
			t.Errorf("by a kubeconfig alone: %s", verdict)
		}
	})
	t.Run("in the right order", func(t *testing.T) {
		before, err := lab.Identities(ctx)
		must(t, err)
		byRancher, _ := recordedTwice(ctx, t, lab, "order", migratesByHand(overrides))
		handedOverByHand(ctx, t, lab, byRancher)
		if renamed := secondNames(ctx, t, lab, before); len(renamed) > 0 {
			t.Errorf("Nodes were renamed: %s", renamed)
		}
	})
	must(t, lab.Lab(ctx, "reset"))
	t.Run("with the edit of the guide", func(t *testing.T) {
		before, err := lab.Identities(ctx)
		must(t, err)
		byRancher, byItself := recordedTwice(ctx, t, lab, "guide", migratesByHand(external))
		handedOverByHand(ctx, t, lab, byRancher)
		renamed := secondNames(ctx, t, lab, before)
		if len(renamed) == 0 {
			t.Error("no Node was renamed")
		}
		tells(ctx, t, lab, byRancher.file, 0, renamed...)
		tells(ctx, t, lab, byItself.file, 0, renamed...)
	})
}

// handedOverByHand checks the record of a migration without a double run.
func handedOverByHand(ctx context.Context, t *testing.T, lab *scenario.Lab, kept keptRecord) {
	t.Helper()
	if kept.tally.TrueOverlaps > 0 || kept.result.Verdict() == judge.Double {
		t.Errorf("%+v, %s: wanted no overlap", kept.tally, kept.result.Verdict())
	}
	if o := handedOver(kept.result); o.Kind == judge.Seen || o.Second.Program != scenario.CloudControllerManager {
		t.Errorf("from kube-controller-manager to the CCM: %+v", o)
	}
	tells(ctx, t, lab, kept.file, 0, "| CCM 1 on ")
}

// keptRecord is a record with the result of its comparison with the observer.
type keptRecord struct {
	file   string
	result judge.Result
	tally  recorded.Tally
}

// recordedTwice records an action both through Rancher and by the cluster's own kubeconfig. The
// action may read the first file.
func recordedTwice(ctx context.Context, t *testing.T, lab *scenario.Lab, name string, what func(context.Context, *testing.T, *scenario.Lab, string)) (byRancher, byItself keptRecord) {
	t.Helper()
	byRancher.file, byItself.file = recordIn(lab, name), recordIn(lab, name+"-itself")
	ended := recording(ctx, t, lab, byRancher.file)
	endedToo := recordingOf(ctx, t, lab, byItself.file, "--kubeconfig", lab.Kubeconfig("downstream"))
	what(ctx, t, lab, byRancher.file)
	endedToo()
	ended()
	byRancher.result, byRancher.tally = asTrue(ctx, t, lab, byRancher.file, false)
	byItself.result, byItself.tally = asTrue(ctx, t, lab, byItself.file, false)
	return byRancher, byItself
}

// doubleByHand installs a cloud controller manager next to in-tree kube-controller-managers,
// both without the flag, and deletes it once a record shows the effect.
func doubleByHand(ctx context.Context, t *testing.T, lab *scenario.Lab, file string) {
	t.Helper()
	since := time.Now()
	must(t, lab.UpstreamCCM(ctx, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"))
	must(t, scenario.Until(ctx, "both to run the service controller", func(ctx context.Context) (bool, string, error) {
		seen, text, err := lab.Observe(ctx, since)
		return len(seen.Of(scenario.Service).RunBy()) == 2, text, err
	}))
	must(t, scenario.Until(ctx, "the record to show it", func(context.Context) (bool, string, error) {
		result, err := scenario.ReadRecord(file)
		return result.Verdict() == judge.Double, string(result.Verdict()), err
	}))
	_, err := lab.Kubectl(ctx, "", "-n", "kube-system", "delete", "daemonset", "aws-cloud-controller-manager")
	must(t, err)
	runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
}

// migratesByHand follows the order of docs/procedures.md with kubectl: the right to the lease,
// the flag, the cloud controller manager with the flag, then external without it, by an edit.
func migratesByHand(edit func(map[string]any)) func(context.Context, *testing.T, *scenario.Lab, string) {
	return func(ctx context.Context, t *testing.T, lab *scenario.Lab, _ string) {
		t.Helper()
		since := time.Now()
		_, err := lab.Kubectl(ctx, theGrant, "apply", "-f", "-")
		must(t, err)
		must(t, lab.EditRKEConfig(ctx, flagEntry))
		must(t, lab.WaitApplied(ctx))
		runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
		must(t, lab.UpstreamCCM(ctx, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14", "--enable-leader-migration"))
		_, err = lab.Kubectl(ctx, "", "-n", "kube-system", "rollout", "status", "daemonset/aws-cloud-controller-manager", "--timeout=2m")
		must(t, err)
		must(t, lab.EditRKEConfig(ctx, edit))
		must(t, lab.WaitApplied(ctx))
		runBy(ctx, t, lab, since, scenario.CloudControllerManager, scenario.Service, scenario.Lifecycle)
	}
}

// external is the guide's edit: RKE2 then names its Nodes after their hosts.
func external(rkeConfig map[string]any) {
	winningEntry(rkeConfig)["cloud-provider-name"] = "external"
	withoutFlag(rkeConfig, nil)
}

// overrides keeps the provider's name, from which RKE2 derives node names, and makes the
// components external by arguments of their own.
func overrides(rkeConfig map[string]any) {
	winningEntry(rkeConfig)["kubelet-arg"] = []any{"cloud-provider=external"}
	withoutFlag(rkeConfig, []any{"cloud-provider=external"})
}

// withoutFlag replaces the entry that flagEntry added.
func withoutFlag(rkeConfig map[string]any, args []any) {
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	rkeConfig["machineSelectorConfig"] = entries[:1]
	if len(args) > 0 {
		scenario.SelectorEntry(rkeConfig, scenario.ControlPlaneLabel, map[string]any{"kube-controller-manager-arg": args})
	}
}

// secondNames returns the Nodes that did not exist before: machines that registered again under
// another name.
func secondNames(ctx context.Context, t *testing.T, lab *scenario.Lab, before map[string]scenario.Identity) []string {
	t.Helper()
	after, err := lab.Identities(ctx)
	must(t, err)
	maps.DeleteFunc(after, func(name string, _ scenario.Identity) bool { _, there := before[name]; return there })
	return slices.Sorted(maps.Keys(after))
}

func overlapsOf(r judge.Result, controller string) []judge.Overlap {
	for _, l := range r.Lanes {
		if l.Controller == controller {
			return l.Overlaps
		}
	}
	return nil
}

// tells checks what report prints of a record, without the cluster.
func tells(ctx context.Context, t *testing.T, lab *scenario.Lab, file string, code int, says ...string) {
	t.Helper()
	got, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "report", file, "-o", "markdown")
	if err != nil || got != code {
		t.Errorf("report: exit %d, %v; wanted %d\n%s", got, err, code, stderr)
	}
	for _, s := range says {
		if !strings.Contains(stdout, s) {
			t.Errorf("the report says nothing of %q:\n%s", s, stdout)
		}
	}
}
