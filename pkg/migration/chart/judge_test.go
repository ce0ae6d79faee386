package chart

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A CCM that does not run and lead is a fault if waiting does not help, or a wait.
func TestJudge_cluster_metWaitingOrFailed(t *testing.T) {
	without := func(s *migration.Snapshot) { s.Reading.Down.CCM, s.Reading.Down.CCMPods = nil, nil }
	unready := func(s *migration.Snapshot) { clustertest.SetPodReady(&s.Reading.Down.CCMPods[1], false) }
	aPodIsMissing := func(s *migration.Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }
	byDocument := func(s *migration.Snapshot) { s.InstallMethod = migration.InstallManifest }
	const running, own, held = "the cloud controller manager on every control plane", "the cloud controller manager to take its own lease", "the migration lease to be held and renewing"
	for name, tt := range map[string]struct {
		change  func(*migration.Snapshot)
		denied  []string
		objects []runtime.Object
		kind    runner.VerdictKind
		waits   string // the awaited condition, or the reason of the fault
	}{
		"it runs and leads":              {func(*migration.Snapshot) {}, nil, nil, runner.Met, ""},
		"it holds the migration lease":   {func(s *migration.Snapshot) { s.Reading.Leases = clustertest.LeasesAt(position.P4) }, nil, nil, runner.Met, ""},
		"it is not there yet":            {without, nil, nil, runner.Waiting, running},
		"it was there":                   {func(s *migration.Snapshot) { without(s); s.HadCCM = true }, nil, nil, runner.Failed, "DaemonSetGone"},
		"a pod is not Ready":             {unready, nil, nil, runner.Waiting, running},
		"a pod is missing":               {aPodIsMissing, nil, nil, runner.Waiting, running},
		"the API server refuses the pod": {aPodIsMissing, nil, []runtime.Object{refusedPod()}, runner.Failed, "PodsRefused"},
		"a taint keeps a pod off": {func(s *migration.Snapshot) {
			s.Reading.Down.Nodes[0].Taints = []downstream.Taint{{Key: "k", Effect: "NoExecute"}}
		}, nil, nil, runner.Failed, "UntoleratedTaint"},
		"the Job of another way to install": {func(*migration.Snapshot) {}, nil, []runtime.Object{failedJob()}, runner.Met, ""},
		"its Job failed":                    {byDocument, nil, []runtime.Object{failedJob()}, runner.Failed, "InstallJobFailed"},
		"its Job is gone":                   {byDocument, nil, nil, runner.Met, ""},
		"rights are missing":                {func(*migration.Snapshot) {}, []string{"update"}, nil, runner.Failed, "MissingRights"},
		"rights, while a pod is not Ready":  {unready, []string{"update"}, nil, runner.Waiting, running},
		"it does not lead yet":              {func(s *migration.Snapshot) { s.Reading.Leases.CCM = lease.Series{} }, nil, nil, runner.Waiting, own},
		"it was not seen to lead":           {func(s *migration.Snapshot) { s.Reading.Leases.CCM = clustertest.Unwritten(s.Reading.Leases.CCM) }, nil, nil, runner.Waiting, own},
		"the migration lease has no holder": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, nil, nil, runner.Waiting, held},
		"its holder does not renew it": {func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, nil, nil, runner.Waiting, held},
		"another program has it": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = clustertest.Renewing("x_1", "kubectl") }, nil, nil, runner.Waiting, held},
	} {
		snap := clustertest.At(position.P3)
		tt.change(&snap)
		got, err := (Chart{Access: migration.Access{Kube: clustertest.Permissive(tt.denied, tt.objects...)}}).Judge(t.Context(), snap)
		says := clustertest.ReasonOf(got.Err)
		if got.Kind == runner.Waiting {
			says = got.WaitingFor
		}
		if err != nil || got.Kind != tt.kind || says != tt.waits {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}

// A rolling update ends once a pod that still runs was seen renewing the main lease.
func TestJudgeRolled_leader(t *testing.T) {
	started := func(at int, after time.Duration) func(*migration.Reading) {
		return func(r *migration.Reading) { r.Down.CCMPods[at].Started = clustertest.Start.Add(after) }
	}
	for name, tt := range map[string]struct {
		change func(*migration.Reading)
		sees   string // the wait, or "" if it is met
	}{
		"it leads":                 {started(1, -time.Second), ""},
		"another pod was replaced": {started(0, 20*time.Second), ""},
		"its pod was replaced":     {started(1, 20*time.Second), "main lease: last renewed by a pod that was replaced"},
		"not seen renewing":        {func(r *migration.Reading) { r.Leases.CCM = clustertest.Unwritten(r.Leases.CCM) }, "main lease: acquired by aws-cloud-controller-manager, not renewed yet"},
		"no lease":                 {func(r *migration.Reading) { r.Leases.CCM = lease.Series{} }, "main lease: not created yet"},
		"its identity names no host": {func(r *migration.Reading) {
			started(1, 20*time.Second)(r)
			r.Leases.CCM = clustertest.Renewing("ccm-x7k2p_1", wellknown.CCM)
		}, ""},
	} {
		snap := clustertest.At(position.P5)
		acquired := &snap.Reading.Leases.CCM
		acquired.First.Acquire, acquired.Last.Acquire = clustertest.Start, clustertest.Start
		tt.change(&snap.Reading)
		got, err := (Chart{Access: migration.Access{Kube: clustertest.Permissive(nil)}}).JudgeRolled(t.Context(), snap)
		if err != nil || got.Seen != tt.sees && tt.sees != "" || (got.Kind == runner.Met) != (tt.sees == "") {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}

// refusedPod returns the event of a pod that the API server refused.
func refusedPod() *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "e"}, Reason: "FailedCreate", Message: "denied by a policy",
		InvolvedObject: corev1.ObjectReference{Name: wellknown.CCM, UID: "ccm"}, LastTimestamp: metav1.NewTime(clustertest.Start)}
}

func failedJob() *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: installJob},
		Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"}}}}
}

// Left names the remains of an installation at a position without one.
func TestLeft_reading_remainsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*migration.Reading)
		want   string
	}{
		"nothing":       {func(*migration.Reading) {}, ""},
		"Helm's record": {func(r *migration.Reading) { r.Down.Record = true }, HelmObject + " is recorded still"},
		"its pods":      {func(r *migration.Reading) { r.Down.CCMPods = append(r.Down.CCMPods, clustertest.CCMPod("cp-0", true)) }, "pods of the cloud controller manager are left"},
		"all of it, which counts as installed": {func(r *migration.Reading) {
			r.Down.CCM, r.Leases.CCM = clustertest.CCM(true, 2), clustertest.Renewing("cp-1_ccm", "aws-cloud-controller-manager")
			r.Down.CCMPods = append(r.Down.CCMPods, clustertest.CCMPod("cp-0", true))
		}, ""},
		"its own lease": {func(r *migration.Reading) {
			r.Leases.CCM = clustertest.Renewing("cp-1_ccm", "aws-cloud-controller-manager")
		}, "the cloud controller manager's own lease is left"},
		"the lease of another cloud": {func(r *migration.Reading) {
			r.Leases.CCM = clustertest.Renewing("cp-1_ccm", "cloud-controller-manager")
		}, ""},
	} {
		r := clustertest.At(position.P2).Reading
		tt.change(&r)
		if got := Left(r); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Rancher or Kubernetes continues while pods of the CCM are missing. Views show it, so that a
// user knows whether to act.
func TestByChart_podsMissing_roller(t *testing.T) {
	rancher := runner.Roller{Name: "Rancher", Of: "pods of the CCM", Alone: true}
	kubernetes := runner.Roller{Name: "Kubernetes", Of: "pods of the CCM", Alone: true}
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		done   int
		want   runner.Roller
	}{
		"by Helm, a pod is missing":         {func(*migration.Snapshot) {}, 1, kubernetes},
		"by Helm, none is":                  {func(*migration.Snapshot) {}, 2, runner.Roller{}},
		"by Helm, while Rancher rolls":      {func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, 1, kubernetes},
		"by a document, a pod is missing":   {func(s *migration.Snapshot) { s.InstallMethod = migration.InstallManifest }, 1, kubernetes},
		"by a document that is not applied": {func(s *migration.Snapshot) { s.InstallMethod, s.Reading.Down.CCM = migration.InstallManifest, nil }, 0, rancher},
		"by a document, while Rancher rolls": {func(s *migration.Snapshot) {
			s.InstallMethod, s.Reading.Pending = migration.InstallManifest, clustertest.Rolling().Pending
		}, 1, rancher},
		"by a document, all there, while it rolls": {func(s *migration.Snapshot) {
			s.InstallMethod, s.Reading.Pending = migration.InstallManifest, clustertest.Rolling().Pending
		}, 2, runner.Roller{}},
	} {
		snap := clustertest.At(position.P3)
		tt.change(&snap)
		if got := ByChart(snap, runner.Verdict{Done: tt.done, Total: 2}).By; got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
