package lock

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Lost makes no request. It knows the loss from the renewals, and is unsure after a lock
// duration without one.
func TestLeaseLost(t *testing.T) {
	clk, client := faulty.NewClock().FakeClock, fake.NewClientset()
	l := NewLease(client, "default", "lock", Owner{User: "alice", Run: "run-1"}, clk)
	if err := l.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.cancel() // the process is frozen: nothing is renewed
	<-l.idle
	if err := l.Lost(); err != nil {
		t.Errorf("just taken: %v", err)
	}
	clk.Step(l.Duration + time.Second)
	before := len(client.Actions())
	faulty.WantClass(t, l.Lost(), fault.CouldNotLook, "not renewed")
	if len(client.Actions()) != before {
		t.Error("Lost made a request")
	}
	if err := l.Prove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Lost(); err != nil {
		t.Errorf("renewed: %v", err)
	}
	thief := Owner{User: "carol", Run: "run-2"}.Identity()
	lease, err := client.CoordinationV1().Leases("default").Get(t.Context(), "lock", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &thief}
	if _, err := client.CoordinationV1().Leases("default").Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	clk.Step(2 * proofTTL)
	faulty.WantClass(t, l.Prove(t.Context()), fault.Locked)
	faulty.WantClass(t, l.Lost(), fault.Locked, "carol")
}
