package kube

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	kcmName = "kube-controller-manager"
	ccmName = "aws-cloud-controller-manager"
)

// state is a lease at one reading, or nil if it does not exist.
type state struct {
	holder, manager string
	renewals        int
}

// script returns a lease for the n-th reading, from 0.
type script func(n int) *state

func renewing(holder, manager string) script {
	return func(n int) *state { return &state{holder, manager, n} }
}

func frozen(holder, manager string) script {
	return func(int) *state { return &state{holder, manager, 0} }
}

func absentLease(int) *state { return nil }

// from returns a script that replaces before by after at a reading.
func from(at int, before, after script) script {
	return func(n int) *state {
		if n < at {
			return before(n)
		}
		return after(n)
	}
}

// scripted returns a reader of three scripted leases. It sets the field managers as an API server
// does, and no other managed fields.
func scripted(migration, kcm, ccm script) Reader {
	client := fake.NewClientset()
	scripts := map[string]script{wellknown.MigrationLease: migration, wellknown.KCMLease: kcm, wellknown.CCMLease: ccm}
	var mu sync.Mutex
	asked, seconds := map[string]int{}, int32(component.DefaultLeaseDuration/time.Second)
	client.PrependReactor("get", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
		get, ok := a.(clienttesting.GetAction)
		if !ok {
			return false, nil, nil
		}
		mu.Lock()
		defer mu.Unlock()
		name := get.GetName()
		s := scripts[name](asked[name])
		asked[name]++
		if s == nil {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, name)
		}
		at := metav1.NewMicroTime(time.Date(2024, 1, 1, 0, 0, 2*s.renewals, 0, time.UTC))
		return true, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u", ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "another-tool", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:renewTime":{}}}}`)},
				{Manager: s.manager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:holderIdentity":{},"f:renewTime":{}}}`)},
			}},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &s.holder, RenewTime: &at, LeaseDurationSeconds: &seconds},
		}, nil
	})
	return Reader{Kube: client, Clock: clock.RealClock{}}
}

// The owner of the migration lease follows from identity and field manager, over readings far
// enough apart to see a renewal.
func TestLeases_owner(t *testing.T) {
	kcm, ccm := renewing("cp-a_1", kcmName), renewing("cp-b_2", ccmName)
	for _, tc := range []struct {
		name      string
		migration script
		owner     lease.Owner
		life      lease.Life
	}{
		{"KCM", renewing("cp-a_1", kcmName), lease.KCM, lease.Alive},
		{"CCM", renewing("cp-b_2", ccmName), lease.CCM, lease.Alive},
		{"frozen", frozen("cp-a_1", kcmName), lease.KCM, lease.Dead},
		{"none", absentLease, lease.NoLease, lease.NotHeld},
		{"taken after 23 s", from(46, frozen("cp-a_1", kcmName), renewing("cp-b_2", ccmName)), lease.CCM, lease.Alive},
		{"handed over while we look", from(1, frozen("cp-a_1", kcmName), renewing("cp-b_2", ccmName)), lease.CCM, lease.Alive},
		{"deleted while we look", from(1, frozen("cp-a_1", kcmName), absentLease), lease.NoLease, lease.NotHeld},
		{"the right identity, written by another program", renewing("cp-a_1", "kubectl-edit"), lease.Undecided, lease.Alive},
		{"KCM's identity, CCM's executable", renewing("cp-a_1", ccmName), lease.Undecided, lease.Alive},
		{"KCM's executable, unknown identity", renewing("cp-z_9", kcmName), lease.Undecided, lease.Alive},
		{"managedFields not delivered", renewing("cp-b_2", ""), lease.CCM, lease.Alive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := scripted(tc.migration, kcm, ccm).leases(t.Context())
				if !got.OK() {
					t.Fatal(got.Err)
				}
				if v := lease.JudgeMigration(got.Value, component.DefaultRenewDeadline); v.Owner != tc.owner || v.Life != tc.life {
					t.Errorf("%+v, want %s, %s", v, tc.owner, tc.life)
				}
			})
		})
	}
}

// A lease that is created between readings is read as long as any other before it is called stuck.
func TestLeases_createdDuringReading_watched(t *testing.T) {
	for name, tc := range map[string]struct {
		after script
		want  lease.Life
	}{"renewed": {renewing("cp-a_1", kcmName), lease.Alive}, "not renewed": {frozen("cp-a_1", kcmName), lease.Dead}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// A frozen main lease keeps the look going until the other one is there.
				got := scripted(from(2, absentLease, tc.after), frozen("cp-a_1", kcmName), absentLease).leases(t.Context())
				v := lease.JudgeMigration(got.Value, component.DefaultRenewDeadline)
				if !got.OK() || v.Owner != lease.KCM || v.Life != tc.want {
					t.Errorf("%+v, %v, want %s", v, got.Err, tc.want)
				}
				if s := got.Value.Migration; s.First.At == 0 || tc.want == lease.Dead && s.Span() < s.Last.TakenWithin() {
					t.Errorf("looked from %s for %s", s.First.At, s.Span())
				}
			})
		})
	}
}

// If the second reading fails, the first one gives no verdict.
func TestLeases_secondReadingFails_error(t *testing.T) {
	r := scripted(frozen("cp-a_1", kcmName), frozen("cp-a_1", kcmName), absentLease)
	client, ok := r.Kube.(*fake.Clientset)
	if !ok {
		t.Fatalf("%T", r.Kube)
	}
	calls := 0
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		calls++
		if calls <= 3 {
			return false, nil, nil
		}
		return true, nil, fmt.Errorf("the API server went away")
	})
	if got := r.leases(t.Context()); got.OK() || !strings.Contains(got.Err.Error(), "went away") {
		t.Errorf("%+v", got)
	}
}

// Components with longer durations renew less often. Their leases are read for as long as a
// deadline in force, and no holder is called dead before.
func TestExtend_longerDeadline_awaited(t *testing.T) {
	for name, tc := range map[string]struct {
		deadline time.Duration
		want     lease.Life
	}{
		"renewed in time": {107 * time.Second, lease.Alive},
		"the default":     {10 * time.Second, lease.Dead},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// every second reading is half a second later: 26 s
				rare := func(n int) *state { return &state{"cp-b_2", ccmName, n / 52} }
				r := scripted(rare, absentLease, rare)
				got := r.extend(t.Context(), r.leases(t.Context()), tc.deadline)
				if v := lease.JudgeMigration(got.Value, tc.deadline); !got.OK() || v.Life != tc.want || v.Owner != lease.CCM {
					t.Errorf("%+v, %v, want %s", v, got.Err, tc.want)
				}
			})
		})
	}
}
