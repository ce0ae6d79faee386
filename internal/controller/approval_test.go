package controller

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// The API server compares the hash in the write itself. It does not approve a plan that has moved, and the
// published one runs.
func approvesAPlan(t *testing.T, i *installation) {
	i.start(t, nil)
	i.create(t, v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply})
	i.shows(t, status.AwaitingApproval, "")
	approvals := plans.Approvals{Kube: i.kube, Dynamic: i.plain}
	plan, err := approvals.Read(t.Context(), i.namespace, "prod")
	if err != nil || plan.Approved || len(plan.Plan.Steps) == 0 {
		t.Fatalf("%v: %+v", err, plan)
	}
	moved := plan
	moved.Hash = "sha256:" + plan.Hash[len("sha256:")+1:] + "0"
	if err := approvals.Approve(t.Context(), moved); fault.ClassOf(err) != fault.Stale || !fault.HasReason(err, string(status.PlanMoved)) {
		t.Errorf("another hash: %v", err)
	}
	if now, err := approvals.Read(t.Context(), i.namespace, "prod"); err != nil || now.Approved {
		t.Errorf("approved without its hash: %v", err)
	}
	if err := approvals.Approve(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	i.shows(t, status.Succeeded, "")
}
