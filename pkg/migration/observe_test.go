package migration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// stepClock is a clock on which every timer is due at once: who waits moves the time on.
type stepClock struct{ *clocktesting.FakeClock }

func (c stepClock) NewTimer(d time.Duration) clock.Timer {
	t := c.FakeClock.NewTimer(d)
	c.Step(d)
	return t
}

func (c stepClock) NewTicker(d time.Duration) clock.Ticker { return stepTicker{c, d} }

type stepTicker struct {
	clock stepClock
	every time.Duration
}

func (t stepTicker) Stop()               {}
func (t stepTicker) C() <-chan time.Time { return t.clock.NewTimer(t.every).C() }

// side is a configuration of which clusterAt is the reading, with the cluster as it was
// read. What it leaves out: all that an editor leaves out, and checks but those given.
type side struct {
	*editor
	config sideConfig
	lookup error
	checks []verify.Bound
	cloud  string // its cloud config
	// cloudErr: it cannot be read.
	cloudErr error
}

type sideConfig struct {
	restingConfig
	at          position.Position
	unsupported error
	installed   InstallMethod
}

func (s *side) Read(context.Context, journal.Record) (Config, error) { return s.config, s.lookup }
func (s *side) CloudConfig(context.Context, Snapshot) (string, error) {
	return s.cloud, s.cloudErr
}
func (s *side) Document() DocumentInstaller        { return nil }
func (s *side) Evidence(Snapshot, *evidence.Input) {}
func (s *side) Decide(Snapshot, evidence.Input)    {}
func (s *side) Checks(Snapshot, evidence.Input, Prepared) []verify.Bound {
	return s.checks
}

func (c sideConfig) Supported() error                         { return c.unsupported }
func (c sideConfig) InstalledAs(journal.Record) InstallMethod { return c.installed }
func (c sideConfig) Combine(down downstream.Cluster) Reading {
	r := clusterAt(c.at).Reading
	r.Down = down
	return r
}

// served is a cluster's API at a position, whose leases are written each time that they
// are looked at.
func served(p position.Position) *fake.Clientset {
	seen := clusterAt(p)
	client := permissive(nil, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}})
	if p == position.P0 {
		client = permissive([]string{"get", "update"}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}})
	}
	add := func(o runtime.Object) {
		if err := client.Tracker().Add(o); err != nil {
			panic(err) // two objects of one name
		}
	}
	for i := range seen.Reading.Down.Nodes {
		node := &seen.Reading.Down.Nodes[i]
		labels, words := map[string]string{"kubernetes.io/hostname": node.Name}, `["server"]`
		if p >= position.P4 {
			words = `["server", "--kubelet-arg", "cloud-provider=external"]`
		}
		maps.Copy(labels, node.Labels)
		add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: types.UID(node.UID), Labels: labels, Annotations: map[string]string{"rke2.io/node-args": words}}, Spec: corev1.NodeSpec{ProviderID: node.ProviderID},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}, NodeInfo: corev1.NodeSystemInfo{KubeletVersion: node.Kubelet}}})
	}
	for _, k := range seen.Reading.KCMs {
		words := []string{"--cloud-provider=" + k.Provider()}
		if k.Flagged() {
			words = append(words, "--enable-leader-migration=true")
		}
		add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: wellknown.KCM + "-" + k.Node, Labels: map[string]string{"component": wellknown.KCM, "tier": "control-plane"},
			Annotations: map[string]string{"kubernetes.io/config.mirror": "x", "kubernetes.io/config.hash": "h"}},
			Spec:   corev1.PodSpec{NodeName: k.Node, HostNetwork: true, Containers: []corev1.Container{{Name: wellknown.KCM, Command: []string{wellknown.KCM}, Args: words}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}, ContainerStatuses: []corev1.ContainerStatus{{Name: wellknown.KCM, Ready: true}}}})
	}
	if seen.Reading.Down.CCM != nil {
		labels := map[string]string{"k8s-app": wellknown.CCM}
		flags := seen.Reading.Down.CCM.Containers[0]
		spec := corev1.PodSpec{NodeSelector: map[string]string{planeLabel: "true"}, ServiceAccountName: wellknown.CCM,
			Containers: []corev1.Container{{Name: flags.Name, Image: flags.Image, Args: append(flags.Args, "--configure-cloud-routes=false")}}}
		add(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: wellknown.CCM, UID: "ccm", Generation: 1},
			Spec:   appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}},
			Status: appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberReady: 2}})
		for _, name := range []string{"cp-0", "cp-1"} {
			on := *spec.DeepCopy()
			on.NodeName = name
			add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "ccm-" + name, Labels: labels, OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: wellknown.CCM, UID: "ccm", Controller: ptr.To(true)}}}, Spec: on,
				Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}, ContainerStatuses: []corev1.ContainerStatus{{Name: flags.Name, Ready: true}}}})
		}
	}
	renew(client, p, 0)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // a dry run, of which the clientset knows nothing
	})
	return client
}

// renew answers for the leases at a position, which their holders write before each look,
// after the first looks.
func renew(client *fake.Clientset, p position.Position, still int) {
	leases := leasesAt(p)
	holders := map[string]string{wellknown.MigrationLease: leases.Migration.Last.Holder, wellknown.KCMLease: leases.KCM.Last.Holder, wellknown.CCMLease: leases.CCM.Last.Holder}
	managers := map[string]string{"cp-0_kcm": wellknown.KCM, "cp-1_ccm": wellknown.CCM}
	looks := 0
	client.PrependReactor("get", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.(clienttesting.GetAction).GetName()
		holder := holders[name]
		if holder == "" {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, name)
		}
		looks++
		writes := max(looks-still, 0)
		return true, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: name, UID: "u", ResourceVersion: fmt.Sprint(writes + 1),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: managers[holder], FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:renewTime":{}}}`)}}},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](15), RenewTime: &metav1.MicroTime{Time: testStart.Add(time.Duration(writes) * time.Second)}}}, nil
	})
}

// observer is a core that observes a cluster at a position.
func observer(p position.Position) (*Migration, *fake.Clientset, *side) {
	client := served(p)
	by := &side{editor: &editor{}, config: sideConfig{at: p, installed: InstallManifest}}
	access := Access{Kube: client, Config: restfake.Config(client, "v1.26.15+rke2r1"), Clock: stepClock{clocktesting.NewFakeClock(testStart)},
		Distribution: wellknown.RKE2, Options: Options{InstallMethod: InstallHelm, AWS: "off"}}
	return New(access, by), client, by
}

// What is observed is where the cluster is; an undo observes how the chart was installed,
// and the names that it goes back from.
func TestObserve(t *testing.T) {
	helms := journal.Record{Intents: []journal.Intent{{Step: StepInstall, Object: helmObject}}}
	for _, p := range position.All() {
		for _, back := range []bool{false, true} {
			core, _, _ := observer(p)
			core.back = back
			var seen Snapshot
			for range 2 { // a lease is seen to move in the second look
				var err error
				core.Clock.(stepClock).Step(5 * time.Second)
				if seen, err = core.Observe(t.Context(), helms); err != nil {
					t.Fatal(err)
				}
			}
			method := InstallHelm
			if back {
				method = InstallManifest
			}
			if seen.Result.Position != p || seen.Result.Mixed || seen.InstallMethod != method || seen.Back != back || seen.HadCCM != (p >= position.P3) {
				t.Errorf("%s: %+v, by %s, back %t, had a CCM %t", p, seen.Result, seen.InstallMethod, seen.Back, seen.HadCCM)
			}
			if !seen.At.Equal(core.Clock.Now()) || seen.Unseen || seen.Outage || seen.Reading.Down.Record || (seen.Reading.Stale != nil) != back {
				t.Errorf("%s: %+v", p, seen)
			}
			if uid, err := core.clusterUID(t.Context()); uid != "the-cluster" || err != nil {
				t.Errorf("%q, %v", uid, err)
			}
		}
	}
}

// What a reading that failed leaves: an error that says of what, and an outage that the
// next one remembers.
func TestObserveFails(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	for resource, object := range map[string]string{"nodes": "Nodes", "leases": "Lease kube-system/" + wellknown.MigrationLease, "secrets": "Helm's records in kube-system", "": ""} {
		core, client, by := observer(position.P2)
		core.back = true
		away := true
		if by.lookup = errAway; resource != "" {
			by.lookup = nil
			client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return away, nil, refused })
		}
		record := journal.Record{Intents: []journal.Intent{{Step: StepInstall, Object: helmObject}}}
		_, err := core.Observe(t.Context(), record)
		if f, ok := fault.As(err); resource == "" && !errors.Is(err, errAway) || resource != "" && (!ok || f.Object != object || f.Reason != fault.ReasonForbidden) {
			t.Errorf("%s: %v", resource, err)
		}
		away, by.lookup = false, nil
		for i, unseen := range []bool{true, false} {
			seen, err := core.Observe(t.Context(), record)
			if err != nil || seen.Unseen != unseen || !seen.Outage {
				t.Errorf("%s, reading %d after it: %v, unseen %t, outage %t", resource, i, err, seen.Unseen, seen.Outage)
			}
		}
	}
	core, client, _ := observer(position.P2)
	client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, refused })
	if _, err := core.clusterUID(t.Context()); reasonOf(err) != fault.ReasonForbidden {
		t.Error(err)
	}
}

// The CCM was there once it was seen, also when it is gone.
func TestCCMThatWasThere(t *testing.T) {
	core, client, _ := observer(position.P3)
	if _, err := core.Observe(t.Context(), journal.Record{}); err != nil {
		t.Fatal(err)
	}
	if err := client.AppsV1().DaemonSets(wellknown.System).Delete(t.Context(), wellknown.CCM, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if seen, err := core.Observe(t.Context(), journal.Record{}); err != nil || !seen.HadCCM || seen.Reading.Down.CCM != nil {
		t.Errorf("%v, had one: %t", err, seen.HadCCM)
	}
}

// Where nobody but the CCM can hold the lease, and it was not seen to move yet, the first
// reading looks on until it moves, or for as long as a holder may be silent.
func TestObserveLooksOn(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		still int // looks at leases in which nobody writes one
		waits time.Duration
		mixed bool
	}{
		"it moves at once":           {position.P4, 0, leaseTick, false},
		"it moves in a while":        {position.P4, 12, 2 * time.Second, false},
		"it never moves":             {position.P4, 10000, 10 * time.Second, true},
		"another may hold it":        {position.P3, 10000, 0, false},
		"nobody needs it":            {position.P5, 10000, 0, false},
		"there is no CCM to hold it": {position.P0, 10000, 0, false},
	} {
		core, client, _ := observer(tt.at)
		renew(client, tt.at, tt.still)
		seen, err := core.Observe(t.Context(), journal.Record{})
		if waited := seen.At.Sub(testStart); err != nil || waited != tt.waits || seen.Result.Mixed != tt.mixed {
			t.Errorf("%s: waited %s, %+v, %v", name, waited, seen.Result, err)
		}
	}
	core, client, _ := observer(position.P4)
	looks := 0
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		looks++
		return looks > 3, nil, apierrors.NewServiceUnavailable("away")
	})
	if _, err := core.Observe(t.Context(), journal.Record{}); reasonOf(err) != "Unreachable" {
		t.Errorf("while it looks on: %v", err)
	}
	core, _, _ = observer(position.P4)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := core.Observe(ended, journal.Record{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was ended: %v", err)
	}
}

// Helm's record of a release whose DaemonSet is gone counts in an undo, where the journal
// says that we installed it.
func TestRecordLeft(t *testing.T) {
	ours := journal.Record{Intents: []journal.Intent{{Object: "Node cp-0"}, {Object: helmObject}}}
	record := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "sh.helm.release.v1." + name, Labels: map[string]string{"owner": "helm", "name": name}}}
	}
	for name, tt := range map[string]struct {
		at      position.Position
		journal journal.Record
		forward bool
		secrets []string
		left    bool
	}{
		"it is left":             {position.P2, ours, false, []string{wellknown.CCM}, true},
		"of another release":     {position.P2, ours, false, []string{"other"}, false},
		"there is none":          {position.P2, ours, false, nil, false},
		"others installed it":    {position.P2, journal.Record{Intents: []journal.Intent{{Object: "Node cp-0"}}}, false, []string{wellknown.CCM}, false},
		"its DaemonSet is there": {position.P3, ours, false, []string{wellknown.CCM}, false},
		"no undo asks":           {position.P2, ours, true, []string{wellknown.CCM}, false},
	} {
		core, client, _ := observer(tt.at)
		core.back = !tt.forward
		for _, secret := range tt.secrets {
			if err := client.Tracker().Add(record(secret)); err != nil {
				t.Fatal(err)
			}
		}
		seen, err := core.Observe(t.Context(), tt.journal)
		if err != nil || seen.Reading.Down.Record != tt.left {
			t.Errorf("%s: %t, %v", name, seen.Reading.Down.Record, err)
		}
	}
}

// A way back goes back from the names that it found when it began, and no later ones.
func TestNamesThatAnUndoFinds(t *testing.T) {
	core, client, _ := observer(position.P4)
	core.back = true
	record := printed(t, prints()...)
	second := func(name string) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: corev1.NodeSpec{ProviderID: clusterAt(position.P0).Reading.Down.Nodes[2].ProviderID},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
		if err := client.Tracker().Add(node); err != nil {
			t.Fatal(err)
		}
	}
	second("before")
	for range 2 {
		seen, err := core.Observe(t.Context(), record)
		if got := slices.Sorted(maps.Keys(seen.Reading.Stale)); err != nil || !slices.Equal(got, []string{"before"}) {
			t.Errorf("%v, %v", got, err)
		}
		second(fmt.Sprint("later-", seen.At.UnixNano()))
		core.Clock.(stepClock).Step(time.Second)
	}
}

// A cluster that a procedure does not fit is judged by nothing else.
func TestJudgeRefusesWhatDoesNotFit(t *testing.T) {
	core, _, by := observer(position.P3)
	for _, want := range []error{nil, errAway} {
		by.config.unsupported = want
		seen, err := core.Observe(t.Context(), journal.Record{})
		if err != nil {
			t.Fatal(err)
		}
		judged, err := core.Judge(seen)
		if !errors.Is(err, want) || (want == nil) != (judged.States[StepSwitch].Kind == runner.Todo) {
			t.Errorf("%v, %+v", err, judged)
		}
	}
}

// RKE's kubelets do not tell the revision of a version; and no version is every one.
func TestAtTarget(t *testing.T) {
	seen := clusterAt(position.P5)
	seen.Reading.Down.Nodes[1].Kubelet = "v1.27.10"
	for version, want := range map[string]bool{"": true, "v1.26.15+rke2r1": false, "v1.27.10": false} {
		if got := seen.AtTarget(version); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
	for i := range seen.Reading.Down.Nodes {
		seen.Reading.Down.Nodes[i].Kubelet = "v1.27.10"
	}
	for version, want := range map[string]bool{"": true, "v1.27.10": true, "v1.27.10-rancher1-1": true, "v1.27.10+rke2r1": false, "v1.27.1-rancher1-1": false} {
		if got := seen.AtTarget(version); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
	if (Snapshot{}).AtTarget("v1.27.10") {
		t.Error("a cluster without Nodes runs it")
	}
	for p, want := range map[position.Position]bool{position.P3: false, position.P4: true, position.Unknown: false} {
		if got := (Snapshot{Result: at(p)}).Switched(); got != want {
			t.Errorf("%s: switched %t", p, got)
		}
	}
}
