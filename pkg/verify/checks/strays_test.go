package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A command that stops a manager appears only if others run the same controllers: pasting it must
// not stop them all.
func TestStrayIsStoppedOnlyBesideOthers(t *testing.T) {
	deployment := withWorkload("Deployment", 1, ccmOf())
	for _, tc := range []struct {
		name    string
		at      position.Position
		change  func(*evidence.Input)
		fix     string
		command bool
	}{
		{"next to the DaemonSet", position.P5, deployment, "scale deployment/second --replicas=0", true},
		{"a CronJob", position.P5, withWorkload("CronJob", 1, ccmOf()), `patch cronjob/second --type=merge -p '{"spec":{"suspend":true}}'`, true},
		{"next to in-tree managers", position.P0, deployment, "scale deployment/second --replicas=0", true},
		{"without a DaemonSet", position.P5, func(in *evidence.Input) { deployment(in); in.DaemonSets.Value, in.CCMPods.Value = nil, nil }, "stop it, once the DaemonSet of a CCM", false},
		{"next to a DaemonSet that lacks a pod", position.P5, func(in *evidence.Input) { deployment(in); in.CCMPods.Value[1].Ready = false }, "stop it, once the DaemonSet of a CCM", false},
		{"of Helm", position.P5, func(in *evidence.Input) { deployment(in); in.Workloads.Value[0].Owner = "helm web/ccm" }, "it belongs to helm web/ccm", false},
		{"of a CloneSet", position.P5, withPod(downstream.Pod{Name: "x", Controller: "CloneSet c", Containers: ccmOf()}), "stop it at its CloneSet c in namespace web", false},
		{"static", position.P5, withPod(downstream.Pod{Name: "x", Node: "n", Mirror: true, Containers: ccmOf()}), "take its manifest off Node n", false},
		{"a control plane that hosts itself", position.P5, func(in *evidence.Input) {
			in.StaticPods.Value, in.LoosePods.Value = nil, nil
			withWorkload("Deployment", 3, kcmOf("--cloud-provider=aws"))(in)
		}, "unless it is the control plane's own", false},
	} {
		in := healthy(t, tc.at)
		tc.change(&in)
		found := cloudStrays(in)
		if len(found) != 1 || found[0].Status != verify.Fail || !strings.Contains(found[0].Fix, tc.fix) || strings.HasPrefix(found[0].Fix, "kubectl ") != tc.command {
			t.Errorf("%s: %+v, want the fix %q", tc.name, found, tc.fix)
		}
	}
}

// judgedBy returns the findings of some checks.
func judgedBy(in evidence.Input, ids ...string) (found []verify.Finding) {
	for _, c := range all() {
		if slices.Contains(ids, c.ID) {
			found = append(found, c.Judge(in)...)
		}
	}
	return found
}

// A foreign CCM is removed by a command only if in-tree managers run the cloud controllers on
// every control plane: any of them may lead.
func TestInstallationIsRemovedOnlyBesideInTreeManagers(t *testing.T) {
	external := func(planes ...int) func(*evidence.Input) {
		return func(in *evidence.Input) {
			for _, i := range planes {
				args(in, i, "--cloud-provider=external")
			}
		}
	}
	found := func(in *evidence.Input) []verify.Finding {
		in.Releases = verify.Got([]downstream.Release{{Namespace: "default", Name: wellknown.CCM, Status: "deployed"}})
		in.Charts = verify.Got([]downstream.Chart{{Object: downstream.Object{Kind: "HelmChart", Namespace: "kube-system", Name: wellknown.CCM}, Chart: wellknown.CCM}})
		in.CCMObjects = verify.Got([]downstream.Object{{Kind: "ClusterRole", Name: "system:cloud-controller-manager"}})
		return judgedBy(*in, "AWSM-601", "AWSM-602", "AWSM-603")
	}
	for _, tc := range []struct {
		name    string
		change  func(*evidence.Input)
		command bool
	}{
		{"in-tree", func(*evidence.Input) {}, true},
		{"one is external", external(1), false},
		{"all are external", external(0, 1, 2), false},
		{"one is not seen", outOfSight, false},
	} {
		in := healthy(t, position.P0)
		tc.change(&in)
		all := found(&in)
		if len(all) != 3 {
			t.Fatalf("%s: %+v", tc.name, all)
		}
		for _, f := range all {
			if command := strings.HasPrefix(f.Fix, "helm ") || strings.HasPrefix(f.Fix, "kubectl "); command != tc.command || f.Fix == "" {
				t.Errorf("%s: %s: fix %q", tc.name, f.Object, f.Fix)
			}
		}
	}
}

// The checks before a hand-over find every stray manager, and judge only what is read for them.
func TestManagersAreFoundBeforeAHandover(t *testing.T) {
	seen := healthy(t, position.P3)
	in := evidence.Input{Facts: downstream.Facts{LoosePods: seen.LoosePods, Workloads: seen.Workloads, Nodes: seen.Nodes, StaticPods: seen.StaticPods,
		DaemonSets: seen.DaemonSets, CCMPods: seen.CCMPods}, Position: seen.Position, Distribution: seen.Distribution}
	judged := func(change func(*evidence.Input)) verify.Report {
		with := in
		change(&with)
		return verify.RunAll(t.Context(), verify.Bind(with, Managers()...), verify.Options{Position: position.P3})
	}
	for _, res := range judged(func(*evidence.Input) {}).Results {
		if res.Status != verify.OK {
			t.Errorf("%s is %s of a sound cluster: %+v", res.ID, res.Status, res.Findings)
		}
	}
	for name, containers := range map[string][]downstream.Container{"a CCM": ccmOf(), "a kube-controller-manager that waits": kcmOf("--cloud-provider=external")} {
		if judged(withWorkload("Deployment", 1, containers)).Err() == nil {
			t.Errorf("%s is not found", name)
		}
	}
}
