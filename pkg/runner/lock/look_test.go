package lock

import (
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// Look returns the holder, also if it is another program, and changes nothing.
func TestLook(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	alice := Owner{User: "alice", Host: "host", Run: "run-1", Start: at}
	for name, tt := range map[string]struct {
		spec *coordinationv1.LeaseSpec
		want *Held
	}{
		"none":             {nil, nil},
		"given back":       {&coordinationv1.LeaseSpec{HolderIdentity: ptr.To("")}, nil},
		"never taken":      {&coordinationv1.LeaseSpec{}, nil},
		"ours":             {&coordinationv1.LeaseSpec{HolderIdentity: ptr.To(alice.Identity()), LeaseDurationSeconds: ptr.To[int32](120), RenewTime: &metav1.MicroTime{Time: at}}, &Held{alice, alice.Identity(), at, 2 * time.Minute, "7"}},
		"another's, empty": {&coordinationv1.LeaseSpec{HolderIdentity: ptr.To("x")}, &Held{Identity: "x", Version: "7"}},
	} {
		client := fake.NewClientset()
		if tt.spec != nil {
			client = fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b", ResourceVersion: "7"}, Spec: *tt.spec})
		}
		got, err := Look(t.Context(), client, "a", "b")
		if err != nil || (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if len(client.Actions()) != 1 {
			t.Errorf("%s: %v", name, client.Actions())
		}
	}
	client, denied := fake.NewClientset(), apierrors.NewForbidden(coordinationv1.Resource("leases"), "b", errors.New("no"))
	client.PrependReactor("get", "leases", func(ktesting.Action) (bool, runtime.Object, error) { return true, nil, denied })
	if _, err := Look(t.Context(), client, "a", "b"); !errors.Is(err, denied) {
		t.Errorf("%v", err)
	}
}

// A death counts only on the machine that saw the owner's last write of the Lease.
func TestDiedHere(t *testing.T) {
	here := Place{Boot: "boot-1", PIDs: "pid:[1]"}
	gone := table{here: here, known: true}
	held := Held{Owner: Owner{Host: "jump", PID: 7, Run: "run-1", Place: here, Tick: 100}, Version: "8"}
	saw := files{t.TempDir()}
	saw.Note("run-1", "8")
	for name, tt := range map[string]struct {
		held  Held
		host  string
		table Processes
		kept  Witness
		want  bool
	}{
		"gone":              {held, "jump", gone, saw, true},
		"alive":             {held, "jump", table{here: here, alive: true, known: true}, saw, false},
		"otherHost":         {held, "laptop", gone, saw, false},
		"lastWriteNotSeen":  {Held{Owner: held.Owner, Version: "9"}, "jump", gone, saw, false},
		"nothingIsRecorded": {held, "jump", gone, nil, false},
	} {
		if got := tt.held.DiedHere(tt.host, tt.table, tt.kept); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
