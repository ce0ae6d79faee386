package rollouts_test

import (
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// An approval lists each cluster with its wave and plan, also those without a plan.
func approve(t *testing.T, s *server) {
	spec := waves("a1 a2", "rest")
	spec.Waves[1].FailuresAllowed = 1
	n := s.space(t, spec)
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.AwaitingOwner})
	n.member(t, "z1", state{shown: status.AwaitingOwner})
	n.member(t, "z2", state{shown: status.AwaitingApproval, goal: v1alpha1.GoalUndo, plan: hash("2")}) // by a person
	n.run(t, nil, "approve", "--name", "eu").expect(t, 7, "read the plan, then add --yes")
	n.run(t, strings.NewReader("no\n"), "approve", "--name", "eu").expect(t, 7, "not approved")
	if n.now(t).Spec.Approved != nil {
		t.Fatal("approved without a yes")
	}
	n.run(t, strings.NewReader("yes\n"), "approve", "--name", "eu").expect(t, 0, "2 clusters · 1 at a time", "1 withdrawn: z2", `Approve 3 clusters of approve/eu? Only "yes" is accepted:`,
		"wave a has 1 cluster without a plan, and allows 0 failures: it will stop there", "wave rest has 1 cluster without a plan: each fails at its deadline",
		"3 clusters approved; to see the progress: awsmigrate rollout status --name eu --namespace approve --kubeconfig")
	want := v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate, Members: []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a"}, {Cluster: "z1", Wave: "rest"}}}
	if got := n.now(t).Spec.Approved; got == nil || got.Goal != want.Goal || !slices.Equal(got.Members, want.Members) {
		t.Errorf("%+v", got)
	}
	generation := n.now(t).Generation
	n.run(t, nil, "approve", "--name", "eu").expect(t, 0, "approved already")
	if n.now(t).Generation != generation {
		t.Error("approved again")
	}
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "Active", "next awsmigrate rollout status")
}

// An approval would leave out the plans that the controller has not made yet.
func approveUnseen(t *testing.T, s *server) {
	n := s.space(t, waves("a1 a2 a3"))
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "no cluster can take part", "it shows Pending")
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.Auditing})
	n.member(t, "a3", state{shown: status.AwaitingApproval, goal: v1alpha1.GoalAudit})
	if _, err := n.migrations.Patch(n.name, "a3", types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+rollout.Annotation+`":null}}}`)); err != nil {
		t.Fatal(err)
	}
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "has not looked at 2 of 3 clusters yet: a2, a3", "wait, then run the same command again")
	if n.now(t).Spec.Approved != nil {
		t.Error("approved")
	}
}

// A name without a ClusterMigration would let its wave pass, a canary too. A wave without clusters is
// mentioned.
func approveUnknown(t *testing.T, s *server) {
	n := s.space(t, waves("a9", "rest"))
	n.member(t, "z1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "1 missing: a9 no ClusterMigration has this name", "spec.waves[0].clusters", "wave a names 1 cluster without a ClusterMigration: a9", "c-xxxxx", "kubectl get awsm -n approveunknown")
	if n.now(t).Spec.Approved != nil {
		t.Fatal("approved")
	}
	if _, err := n.rollouts.Patch(n.name, "eu", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/waves/0/clusters","value":[]},{"op":"add","path":"/spec/waves/0/selector","value":{"matchLabels":{"env":"typo"}}}]`)); err != nil {
		t.Fatal(err)
	}
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 0, "wave a has no cluster, and is passed over", "1 cluster approved")
}

// typing does something before it answers.
type typing struct {
	once   sync.Once
	before func()
	answer io.Reader
}

func (r *typing) Read(p []byte) (int, error) {
	r.once.Do(r.before)
	return r.answer.Read(p)
}

// A change of the spec during the question voids the approval, and one of the status does not.
func approveConflict(t *testing.T, s *server) {
	n := s.space(t, waves("a1", "rest"))
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	change := func(patch string) func() {
		return func() {
			if _, err := n.rollouts.Patch(n.name, "eu", types.MergePatchType, []byte(patch)); err != nil {
				t.Error(err)
			}
		}
	}
	n.run(t, &typing{before: change(`{"spec":{"maxConcurrent":7}}`), answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 9, "changed meanwhile; nothing was approved")
	if n.now(t).Spec.Approved != nil {
		t.Error("approved")
	}
	n.run(t, &typing{before: func() { n.show(t, status.Moment{State: status.AwaitingApproval}) }, answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 0, "1 cluster approved")
	gone := func() {
		if err := n.rollouts.Delete(n.name, "eu", &metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	n.member(t, "b1", state{shown: status.AwaitingApproval, plan: hash("2")})
	n.run(t, &typing{before: gone, answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 2, "does not exist")
}

// More clusters than an approval can list are refused before the API server refuses them.
func approveTooMany(t *testing.T, s *server) {
	n := s.space(t, waves("rest"))
	for i := range 501 {
		m := &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, GenerateName: "m-"}, Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate}}
		m, err := n.migrations.Create(m)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		m.Status.Display, m.Status.ObservedGeneration = status.Moment{State: status.AwaitingOwner}.Display(), m.Generation
		if _, err := n.migrations.UpdateStatus(m); err != nil {
			t.Fatal(err)
		}
	}
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "501 without a plan", "cannot list these clusters", "select fewer clusters")
}

// A cluster that has begun keeps its plan, one that joined is added, and one that was deleted since the
// last approval is left out.
func approveAnew(t *testing.T, s *server) {
	spec := waves("a1 a2 a3", "rest")
	spec.Approved = &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate, Members: []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a", Plan: hash("2")}, {Cluster: "a3", Wave: "a", Plan: hash("3")}}}
	n := s.space(t, spec)
	n.member(t, "a1", state{shown: status.Auditing, plan: hash("1"), begun: true})
	n.member(t, "a2", state{shown: status.AwaitingApproval, plan: hash("f")})
	n.member(t, "z1", state{shown: status.AwaitingApproval, plan: hash("9")})
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "1 withdrawn: a2 its plan is not the one that was approved", "1 cluster joined after the approval · 1 with a plan in wave rest: z1")
	n.run(t, nil, "approve", "--name", "eu", "-y").expect(t, 0, "1 missing: a3", "3 clusters approved")
	want := []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a", Plan: hash("f")}, {Cluster: "z1", Wave: "rest", Plan: hash("9")}}
	if got := n.now(t).Spec.Approved; !slices.Equal(got.Members, want) {
		t.Errorf("%+v", got)
	}
}
