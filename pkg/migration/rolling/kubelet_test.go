package rolling

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestKubeletRenewed(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(seconds ...int) []time.Time {
		var times []time.Time
		for _, s := range seconds {
			times = append(times, start.Add(time.Duration(s)*time.Second))
		}
		return times
	}
	for name, tt := range map[string]struct {
		renewals []time.Time
		proven   bool
	}{
		"none yet":                       {[]time.Time{{}, {}}, false},
		"from before the start alone":    {at(-12, -2, -2), false},
		"one, read again and again":      {at(31, 31, 31), false},
		"two, too early":                 {at(9, 19, 29), false},
		"as a kubelet that is connected": {at(-2, 8, 18, 28, 38), true},
		"connected late":                 {at(-2, -2, 100), false}, // the API server was down: the previous process exits about now
		"connected late, once more":      {at(-2, -2, 100, 110), true},
		"first seen when connected late": {at(105, 112), false}, // it has not listed its pods yet
		"the same, and once more":        {at(105, 112, 122), true},
		"one before and one after":       {at(-2, 30), false},
		"long ago":                       {at(86400, 86410, 86420), true},
		"its clock was set back":         {at(40, 35, 20), false},
		"in the second of the start":     {at(0, 30), false},
	} {
		var k kubelet
		for _, r := range tt.renewals {
			k = k.addRenewal(start, r)
		}
		if k.proven != tt.proven {
			t.Errorf("%s: %+v", name, k)
		}
	}
	k := kubelet{}.addRenewal(start, start.Add(30*time.Second)).addRenewal(start, start.Add(40*time.Second)).addRenewal(start, start.Add(50*time.Second))
	if k = k.addRenewal(start.Add(35*time.Second), start.Add(50*time.Second)); k.proven {
		t.Error("the renewals before a restart prove the new start")
	}
}

// Each control plane takes one request per reading, and none once its kubelet is proven.
func TestNext_nodeLeases_readUntilProven(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	reads, renewal := 0, start
	kube := fake.NewClientset()
	kube.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		get, ok := a.(clienttesting.GetAction)
		if !ok || a.GetNamespace() != "kube-node-lease" {
			t.Errorf("asked for %v", a)
			return true, nil, fmt.Errorf("unexpected")
		}
		reads++
		return true, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: get.GetName()}, Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewal}}}, nil
	})
	kubelets, seen := Kubelets{}, migration.Reading{StaticPods: true}
	for i := range 3 {
		seen.KCMs = append(seen.KCMs, migration.KCM{ID: fmt.Sprint(i), Node: fmt.Sprint("node-", i), Started: start.Format(time.RFC3339)})
	}
	judge := func() runner.VerdictKind {
		next, open, err := kubelets.Next(t.Context(), kube, seen)
		if err != nil {
			t.Fatal(err)
		}
		if kubelets = next; len(open) > 0 != kubelets.MayOutlive(seen) {
			t.Errorf("open %q, may outlive %t", open, kubelets.MayOutlive(seen))
		}
		if len(open) > 0 {
			return runner.Waiting
		}
		return runner.Met
	}
	if _, open, err := kubelets.Next(t.Context(), kube, migration.Reading{KCMs: seen.KCMs}); err != nil || len(open) > 0 || reads != 0 {
		t.Errorf("%q, %v, %d reads without static pods", open, err, reads)
	}
	for i, want := range []runner.VerdictKind{runner.Waiting, runner.Waiting, runner.Waiting, runner.Met} {
		renewal = start.Add(time.Duration(1+10*i) * time.Second)
		if kind := judge(); kind != want || reads != 3*(i+1) {
			t.Errorf("%s after: %s, %d reads", renewal.Sub(start), kind, reads)
		}
	}
	if kind := judge(); kind != runner.Met || reads != 12 {
		t.Errorf("%s, %d reads after each was proven", kind, reads)
	}
	seen.KCMs[1].Started = start.Add(time.Minute).Format(time.RFC3339)
	if kind := judge(); kind != runner.Waiting || reads != 13 {
		t.Errorf("%s, %d reads after one has restarted", kind, reads)
	}
}

// A missing lease gives the zero time; an unreadable one is an error.
func TestNodeRenewal_lease_timeOrError(t *testing.T) {
	when := metav1.NewMicroTime(time.Unix(100, 0))
	lease := func(name string, renew *metav1.MicroTime) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: nodeLeases, Name: name}, Spec: coordinationv1.LeaseSpec{RenewTime: renew}}
	}
	client := fake.NewSimpleClientset(lease("a", &when), lease("never", nil))
	for name, want := range map[string]time.Time{"a": when.Time, "never": {}, "gone": {}} {
		if got, err := nodeRenewal(t.Context(), client, name); err != nil || !got.Equal(want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), "", nil)
	})
	if _, err := nodeRenewal(t.Context(), client, "a"); err == nil {
		t.Error("a lease that may not be read")
	}
}
