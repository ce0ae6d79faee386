package awsccm

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// heldLease returns the migration lease of a kube-controller-manager.
func heldLease(acquired time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: wellknown.MigrationLease, Namespace: wellknown.System},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("cp-0_a"), LeaseDurationSeconds: ptr.To(int32(15)), LeaseTransitions: ptr.To(int32(3)),
			AcquireTime: &metav1.MicroTime{Time: acquired}, RenewTime: &metav1.MicroTime{Time: acquired}}}
}

func (e cluster) fence(t *testing.T) {
	ctx, leases := t.Context(), e.client.CoordinationV1().Leases(wellknown.System)
	acquired := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	made, err := leases.Create(ctx, heldLease(acquired), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = leases.Delete(t.Context(), wellknown.MigrationLease, metav1.DeleteOptions{}) })
	seen := lease.Observation{Exists: true, Holder: "cp-0_a", UID: string(made.UID), Transitions: 3, Duration: 15 * time.Second}
	now := acquired.Add(time.Hour)
	for name, wrong := range map[string]Fence{
		"another holder":        FenceOf("r", lease.Observation{Holder: "cp-1_b", UID: seen.UID, Transitions: 3}, 0),
		"a lease made anew":     FenceOf("r", lease.Observation{Holder: "cp-0_a", UID: "other", Transitions: 3}, 0),
		"held, lost, held once": FenceOf("r", lease.Observation{Holder: "cp-0_a", UID: seen.UID, Transitions: 2}, 0),
	} {
		if f, ok := fault.As(wrong.Write(ctx, e.client, now)); !ok || f.Class != fault.Stale || f.Reason != "HolderChanged" {
			t.Errorf("%s was fenced: %v", name, f)
		}
	}
	fence := FenceOf("r", seen, 20*time.Second)
	for range 2 { // repeats the call, as after a lost reply
		if err := fence.Write(ctx, e.client, now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	got, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := got.Spec
	if *s.HolderIdentity != "awsmigrate-fence_r" || *s.LeaseDurationSeconds != 20 || *s.LeaseTransitions != 3 || !s.AcquireTime.Time.Equal(acquired) || !s.RenewTime.Time.Equal(acquired.Add(time.Hour)) {
		t.Errorf("%+v", s)
	}
	if note := got.Annotations[wellknown.FenceNote]; !strings.Contains(note, "Do not delete this lease") {
		t.Errorf("annotation %q", note)
	}
	e.clear(t, fence)
}

// clear removes the fence of the lease and nothing else.
func (e cluster) clear(t *testing.T, fence Fence) {
	ctx, leases := t.Context(), e.client.CoordinationV1().Leases(wellknown.System)
	before, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Fence){
		"of another run":       func(f *Fence) { f.Run = "s" },
		"of a lease made anew": func(f *Fence) { f.UID = "other" },
		"of a tenure before":   func(f *Fence) { f.Transitions-- },
	} {
		wrong := fence
		change(&wrong)
		done, err := wrong.Clear(ctx, e.client)
		if now, errNow := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{}); done || err != nil || errNow != nil || now.ResourceVersion != before.ResourceVersion {
			t.Errorf("a fence %s was taken away: %t, %v, %v", name, done, err, errNow)
		}
	}
	if done, err := fence.Clear(ctx, e.client); !done || err != nil {
		t.Fatal(done, err)
	}
	got, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Spec; ptr.Deref(s.HolderIdentity, "") != "" || *s.LeaseDurationSeconds != *before.Spec.LeaseDurationSeconds || *s.LeaseTransitions != 3 {
		t.Errorf("%+v", s)
	}
	if done, err := fence.Clear(ctx, e.client); done || err != nil { // repeats the call, as after a lost reply
		t.Error("taken away twice", err)
	}
}

// One renewal in between must not end the attempt; renewals every time must.
func TestWrite_renewedLease_retried(t *testing.T) {
	for _, tt := range []struct {
		conflicts int
		reason    string
	}{{0, ""}, {maxFenceTries - 1, ""}, {maxFenceTries, "Conflict"}} {
		client := fake.NewClientset(heldLease(time.Now()))
		left := tt.conflicts
		client.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			left--
			return left >= 0, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), wellknown.MigrationLease, nil)
		})
		err := FenceOf("r", lease.Observation{Holder: "cp-0_a", Transitions: 3}, 0).Write(t.Context(), client, time.Now())
		if f, ok := fault.As(err); ok != (tt.reason != "") || ok && f.Reason != tt.reason {
			t.Errorf("%d conflicts: %v", tt.conflicts, err)
		}
	}
}

// The main lease is freed only of the holder that was seen.
func (e cluster) mainLease(t *testing.T) {
	leases := e.client.CoordinationV1().Leases(wellknown.System)
	made := heldLease(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	made.Name = wellknown.CCMLease
	made, err := leases.Create(t.Context(), made, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := lease.Observation{Exists: true, Holder: "cp-0_a", UID: string(made.UID), Transitions: 3}
	for name, change := range map[string]func(*lease.Observation){
		"another holder":    func(o *lease.Observation) { o.Holder = "cp-1_b" },
		"a lease made anew": func(o *lease.Observation) { o.UID = "other" },
		"taken once more":   func(o *lease.Observation) { o.Transitions = 2 },
	} {
		wrong := seen
		change(&wrong)
		if done, err := FreeMainLease(t.Context(), e.client, wrong); done || err != nil {
			t.Errorf("%s: %t, %v", name, done, err)
		}
	}
	if done, err := FreeMainLease(t.Context(), e.client, seen); !done || err != nil {
		t.Fatal(done, err)
	}
	now, err := leases.Get(t.Context(), wellknown.CCMLease, metav1.GetOptions{})
	if err != nil || now.Spec.HolderIdentity != nil || *now.Spec.LeaseTransitions != 3 || now.UID != made.UID {
		t.Errorf("%v, %+v", err, now)
	}
	if done, err := FreeMainLease(t.Context(), e.client, seen); done || err != nil {
		t.Errorf("freed twice: %t, %v", done, err)
	}
}
