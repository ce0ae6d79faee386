package procedure

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const itsContainer = "containerd://a"

// readyToClear returns a cluster ready for the hand-over, with the holder's container known.
func readyToClear() migration.Snapshot {
	snap := readyToHandOver()
	held := &snap.Reading.Leases.Migration
	held.First.Acquire = held.Last.Renew.Add(-time.Hour)
	held.Last.Acquire = held.First.Acquire
	k := &snap.Reading.KCMs[0]
	k.Started = held.Last.Acquire.UTC().Format(time.RFC3339)
	k.Pod = &downstream.Pod{Name: "kube-controller-manager-cp-0", Statuses: []downstream.ContainerStatus{{ID: itsContainer, Ready: true}}}
	return snap
}

func TestFindHolderContainer(t *testing.T) {
	type reading = *migration.Reading
	for name, tt := range map[string]struct {
		change func(reading)
		why    string // substring; empty if it is known
	}{
		"seen":               {func(reading) {}, ""},
		"on an unknown host": {func(r reading) { r.Leases.Migration.Last.Holder = "elsewhere_x" }, "no kube-controller-manager is known of host elsewhere"},
		"in no pod":          {func(r reading) { r.KCMs[0].Pod = nil }, "no kubelet shows"},
		"without an ID":      {func(r reading) { r.KCMs[0].Pod.Statuses[0].ID = "" }, "does not show the one container"},
		"not running":        {func(r reading) { r.KCMs[0].Pod.Statuses[0].Ended = &downstream.End{} }, "does not show the one container"},
		"next to another":    {func(r reading) { r.KCMs[0].Pod.Statuses = append(r.KCMs[0].Pod.Statuses, downstream.ContainerStatus{}) }, "does not show the one container"},
		"started since": {func(r reading) {
			r.KCMs[0].Started = r.Leases.Migration.Last.Acquire.Add(time.Second).Format(time.RFC3339)
		}, "is not seen to have run when"},
		"of which no start is seen":          {func(r reading) { r.KCMs[0].Started = "" }, "is not seen to have run when"},
		"whose lease does not say since":     {func(r reading) { r.Leases.Migration.Last.Acquire = time.Time{} }, "is not seen to have run when"},
		"with an election that has no sense": {func(r reading) { words(&r.KCMs[0], "--leader-elect-renew-deadline=soon") }, "cannot be read"},
	} {
		snap := readyToClear()
		tt.change(&snap.Reading)
		c, why := findHolderContainer(snap.Reading)
		if tt.why == "" && (why != "" || c.id != itsContainer || c.renewDeadline != 10*time.Second) || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %+v, %q", name, c, why)
		}
	}
}

// warned collects the messages of warnings.
type warned []string

// Emit implements runner.Sink.
func (w *warned) Emit(e runner.Event) {
	if e.Type == runner.StepWarning {
		*w = append(*w, e.Message)
	}
}

// kubeletSays is the status of the holder's pod from a time after the fence on.
type kubeletSays struct {
	from   time.Duration
	status corev1.ContainerStatus
}

func running(id string, before *corev1.ContainerStateTerminated) corev1.ContainerStatus {
	return corev1.ContainerStatus{ContainerID: id, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: corev1.ContainerState{Terminated: before}}
}

func endOf(id, reason string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ContainerID: id, Reason: reason, FinishedAt: metav1.Now()}
}

// The fence is removed once the kubelet reports the end of exactly that container, never before
// the holder's renew deadline, and never for any other status.
func TestClearFence(t *testing.T) {
	const s = time.Second
	before := kubeletSays{0, running(itsContainer, nil)}
	again := running("containerd://b", endOf(itsContainer, "Error"))
	for name, tt := range map[string]struct {
		says   []kubeletSays
		holder string        // holder of the lease after the end; empty if still fenced
		at     time.Duration // after the fence; 0 if never
		warns  string
	}{
		"it ends by the fence":         {[]kubeletSays{before, {11 * s, again}}, "", 11 * s, ""},
		"it waits to be started again": {[]kubeletSays{before, {11 * s, corev1.ContainerStatus{ContainerID: itsContainer, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}, LastTerminationState: corev1.ContainerState{Terminated: endOf(itsContainer, "Error")}}}}, "", 11 * s, ""},
		"it is not started again":      {[]kubeletSays{before, {11 * s, corev1.ContainerStatus{ContainerID: itsContainer, State: corev1.ContainerState{Terminated: endOf(itsContainer, "Error")}}}}, "", 11 * s, ""},
		"it ends early":                {[]kubeletSays{before, {2 * s, again}}, "", 10 * s, ""},
		"the lease has a holder":       {[]kubeletSays{before, {11 * s, again}}, "cp-1_ccm", 0, ""},
		"it runs on":                   {[]kubeletSays{before}, "", 0, "no kubelet has shown the end"},
		"another container ended":      {[]kubeletSays{before, {11 * s, running("containerd://c", endOf("containerd://b", "Error"))}}, "", 0, "no kubelet has shown the end"},
		"an end without an ID":         {[]kubeletSays{before, {11 * s, running("containerd://b", endOf("", "Error"))}}, "", 0, "no kubelet has shown the end"},
		"an unobserved end":            {[]kubeletSays{before, {11 * s, running("containerd://b", endOf(itsContainer, "ContainerStatusUnknown"))}}, "", 0, "no kubelet has shown the end"},
		"another one runs":             {[]kubeletSays{before, {11 * s, running("containerd://b", nil)}}, "", 0, "no kubelet has shown the end"},
		"it did not run at the fence":  {[]kubeletSays{{0, again}}, "", 0, "not seen to run behind the fence"},
		"its pod is gone":              {nil, "", 0, "kube-controller-manager-cp-0"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, client, _ := observer(position.P3)
				m.Clock = clock.RealClock{}
				snap, fenced := readyToClear(), time.Now()
				fence := awsccm.FenceOf("run", snap.Reading.Leases.Migration.Last, 15*s)
				client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
					var pod *corev1.Pod
					for _, one := range tt.says {
						if time.Since(fenced) >= one.from {
							pod = &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{one.status}}}
						}
					}
					if pod == nil {
						return true, nil, apierrors.NewNotFound(corev1.Resource("pods"), "kube-controller-manager-cp-0")
					}
					return true, pod, nil
				})
				client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
					found, holder := clustertest.Lease(wellknown.MigrationLease), migration.OrElse(tt.holder, fence.Identity())
					found.UID, found.Spec.HolderIdentity = types.UID(fence.UID), &holder
					return true, found, nil
				})
				var cleared time.Duration
				client.PrependReactor("update", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
					written := action.(clienttesting.UpdateAction).GetObject()
					if held := written.(*coordinationv1.Lease).Spec.HolderIdentity; held == nil || *held == "" {
						cleared = time.Since(fenced)
					}
					return true, written, nil
				})
				var said warned
				tx := clustertest.TxInto(t, "run", migration.StepHandOver, &said)
				if err := (&handOver{base{Migration: m, ID: migration.StepHandOver}}).clearFence(t.Context(), tx, snap.Reading, fence); err != nil {
					t.Fatal(err)
				}
				if cleared < tt.at || cleared > tt.at+clearPollInterval || (cleared > 0) != (tt.at > 0) {
					t.Errorf("cleared after %s, wanted %s", cleared, tt.at)
				}
				if tt.warns == "" && len(said) > 0 || !strings.Contains(strings.Join(said, "; "), tt.warns) {
					t.Errorf("warns %q", said)
				}
				if spent := time.Since(fenced); spent > fence.Duration {
					t.Errorf("waits for %s", spent)
				}
			})
		})
	}
}

// A container that ends during an API outage ends because of it. The run must notice a short
// outage also while it only waits for the container.
func TestClearFenceMeetsAnOutage(t *testing.T) {
	const s = time.Second
	away := func() error { return apierrors.NewServiceUnavailable("away") }
	for name, tt := range map[string]struct {
		from, to time.Duration // after the fence
		fails    func() error
		recent   bool
	}{
		"none":               {0, 0, nil, false},
		"it hangs":           {1500 * time.Millisecond, 11 * s, nil, true},
		"a short outage":     {1500 * time.Millisecond, 7 * s, nil, false},
		"it does not answer": {1500 * time.Millisecond, 3 * s, away, true},
		"it answers that there is no pod": {1500 * time.Millisecond, 3 * s, func() error {
			return apierrors.NewNotFound(corev1.Resource("pods"), "kube-controller-manager-cp-0")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, client, _ := observer(position.P3)
				m.Clock = clock.RealClock{}
				snap, fenced := readyToClear(), time.Now()
				client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
					if behind := time.Since(fenced); behind >= tt.from && behind < tt.to {
						if tt.fails != nil {
							return true, nil, tt.fails()
						}
						time.Sleep(tt.to - behind)
					}
					return true, &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{running(itsContainer, nil)}}}, nil
				})
				fence := awsccm.FenceOf("run", snap.Reading.Leases.Migration.Last, 15*s)
				tx := clustertest.TxInto(t, "run", migration.StepHandOver, &warned{})
				if err := (&handOver{base{Migration: m, ID: migration.StepHandOver}}).clearFence(t.Context(), tx, snap.Reading, fence); err != nil {
					t.Fatal(err)
				}
				if got := m.history.outage.isRecent(time.Now()); got != tt.recent {
					t.Errorf("outage %t, wanted %t", got, tt.recent)
				}
			})
		})
	}
}
