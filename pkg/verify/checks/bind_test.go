package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// hosted returns a cluster as EKS shows it: workers without a control plane.
func hosted(t *testing.T) evidence.Input {
	t.Helper()
	in := healthy(t, position.P5)
	in.Distribution, in.Fingerprint, in.Machines, in.Plain = "", nil, nil, true
	in.Version = verify.Got("v1.26.15-eks-1234567")
	in.Nodes.Value = in.Nodes.Value[3:]
	in.StaticPods, in.DaemonSets, in.CCMPods = verify.Got[[]downstream.Pod](nil), verify.Got[[]downstream.DaemonSet](nil), verify.Got[[]downstream.Pod](nil)
	in.LoosePods = verify.Got[[]downstream.Pod](nil)
	in.Leases.Value.CCM = lease.Series{}
	in.Position = position.Compute(in.Evidence(nil))
	return in
}

// A cluster with a hosted control plane is audited as far as it is visible; other checks give the
// reason.
func TestHostedControlPlane(t *testing.T) {
	in := hosted(t)
	if !in.Hosted() || in.Position.Position != position.Unknown {
		t.Fatalf("hosted %t, at %s", in.Hosted(), in.Position.Position)
	}
	report := verify.RunAll(t.Context(), Bind(in), verify.Options{Position: in.Position.Position})
	for _, res := range report.Results {
		if res.Status != verify.OK && res.Status != verify.Skip || res.Status == verify.Skip && res.Reason == "" {
			t.Errorf("%s is %s: %+v", res.ID, res.Status, res.Findings)
		}
	}
	if report.Counts[verify.OK] < 10 {
		t.Errorf("only %d checks looked", report.Counts[verify.OK])
	}
	in.Nodes.Value[0].ProviderID = ""
	broken := verify.RunAll(t.Context(), Bind(in), verify.Options{Position: in.Position.Position})
	if failed := broken.With(verify.Fail); len(failed) != 1 || failed[0].ID != "AWSM-301" {
		t.Errorf("a node without a ProviderID: %+v", failed)
	}
}

// A check that is true only for lack of a control plane is not OK.
func TestNothingIsSaidOfAHostedControlPlane(t *testing.T) {
	silent := map[string]bool{}
	for _, res := range verify.RunAll(t.Context(), Bind(hosted(t)), verify.Options{Position: position.Unknown}).Results {
		silent[res.ID] = res.Status == verify.Skip && strings.HasSuffix(res.Reason, "the control plane is hosted elsewhere")
	}
	for _, id := range []string{"AWSM-119", "AWSM-131", "AWSM-132", "AWSM-202", "AWSM-203", "AWSM-204", "AWSM-205", "AWSM-206", "AWSM-207",
		"AWSM-210", "AWSM-211", "AWSM-212", "AWSM-213", "AWSM-418", "AWSM-502", "AWSM-605", "AWSM-606", "AWSM-607"} {
		if !silent[id] {
			t.Errorf("%s judges a control plane that the API does not show", id)
		}
	}
}

// A control plane counts as hosted only if everything could be read.
func TestHostedNeedsALook(t *testing.T) {
	for name, change := range map[string]func(*evidence.Input){
		"nodes":      func(in *evidence.Input) { in.Nodes = verify.Failed[[]downstream.Node](errForbidden) },
		"pods":       func(in *evidence.Input) { in.StaticPods = verify.Failed[[]downstream.Pod](errForbidden) },
		"loose pods": func(in *evidence.Input) { in.LoosePods = verify.Failed[[]downstream.Pod](errForbidden) },
		"workloads":  func(in *evidence.Input) { in.Workloads = verify.Failed[[]downstream.Workload](errForbidden) },
		"a KCM":      func(in *evidence.Input) { in.KCMs = []position.KCM{{}} },
		"no node":    func(in *evidence.Input) { in.Nodes.Value = nil },
		"a label":    func(in *evidence.Input) { node(in, 0).Labels["node-role.kubernetes.io/control-plane"] = "" },
		"a KCM pod": func(in *evidence.Input) {
			in.StaticPods.Value = []downstream.Pod{{Containers: []downstream.Container{{Name: "kube-controller-manager"}}}}
		},
	} {
		in := hosted(t)
		change(&in)
		if in.Hosted() {
			t.Errorf("%s: taken for hosted", name)
		}
	}
}
