package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A command that stops a manager is given only where others run the same, so that
// pasting it leaves nobody without controllers.
func TestStrayIsStoppedOnlyBesideOthers(t *testing.T) {
	deployment := withWorkload("Deployment", 1, ccmOf())
	for _, tc := range []struct {
		name    string
		at      position.Position
		change  func(*Input)
		fix     string
		command bool
	}{
		{"beside the DaemonSet", position.P5, deployment, "scale deployment/second --replicas=0", true},
		{"a CronJob", position.P5, withWorkload("CronJob", 1, ccmOf()), `patch cronjob/second --type=merge -p '{"spec":{"suspend":true}}'`, true},
		{"beside in-tree managers", position.P0, deployment, "scale deployment/second --replicas=0", true},
		{"without a DaemonSet", position.P5, func(in *Input) { deployment(in); in.DaemonSets.Value, in.CCMPods.Value = nil, nil }, "stop it, once the DaemonSet of a CCM", false},
		{"beside a DaemonSet that lacks a pod", position.P5, func(in *Input) { deployment(in); in.CCMPods.Value[1].Ready = false }, "stop it, once the DaemonSet of a CCM", false},
		{"of Helm", position.P5, func(in *Input) { deployment(in); in.Workloads.Value[0].Owner = "helm web/ccm" }, "it belongs to helm web/ccm", false},
		{"of a CloneSet", position.P5, withPod(downstream.Pod{Name: "x", Controller: "CloneSet c", Containers: ccmOf()}), "stop it at its CloneSet c in namespace web", false},
		{"static", position.P5, withPod(downstream.Pod{Name: "x", Node: "n", Mirror: true, Containers: ccmOf()}), "take its manifest off Node n", false},
		{"a control plane that hosts itself", position.P5, func(in *Input) {
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
