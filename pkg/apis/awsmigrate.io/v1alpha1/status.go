package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StatusLimit bounds one status, in bytes of JSON.
const StatusLimit = 32 << 10

// Types of conditions. Those in the tables by which Rancher's UI judges conditions have the
// same meaning there
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2).
const (
	// ConditionReady reports whether the goal is reached and the last audit passed.
	ConditionReady = "Ready"
	// ConditionReconciling reports whether work continues, or will, without manual action.
	ConditionReconciling = "Reconciling"
	// ConditionStalled reports whether the cluster waits for a manual fix.
	ConditionStalled = "Stalled"
	// ConditionOwnerAgrees reports whether the owner of the Cluster object has the
	// configuration of the cluster.
	ConditionOwnerAgrees = "OwnerAgrees"
)

// ClusterMigrationStatus describes the state of a cluster.
type ClusterMigrationStatus struct {
	// The generation of the spec that this status is based on.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The name of the cluster in Rancher's UI, if it is not the name of this object.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	DisplayName string `json:"displayName,omitempty"`
	// The position of the cluster: P0 to P5, or unknown.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Position string `json:"position,omitempty"`
	// The next run.
	// +optional
	Plan *Plan `json:"plan,omitempty"`
	// The current run.
	// +optional
	Run *Run `json:"run,omitempty"`
	// The result of the last audit.
	// +optional
	Audit *Audit `json:"audit,omitempty"`
	// The edit that the owner of the Cluster object must make.
	// +optional
	Handoff *Handoff `json:"handoff,omitempty"`
	// The error that ended the last run early.
	// +optional
	Failure *Failure `json:"failure,omitempty"`
	// The last runs, the latest first.
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	// +optional
	History []PastRun `json:"history,omitempty"`
	// The state for Rancher's UI.
	// +optional
	Display *Display `json:"display,omitempty"`
	// The state for tools.
	// +kubebuilder:validation:MaxItems=8
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Plan describes the next run.
type Plan struct {
	// The value of spec.approvedPlan that approves the plan.
	// +kubebuilder:validation:MaxLength=71
	Hash string `json:"hash"`
	// The version of awsmigrate that made it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Version string `json:"version,omitempty"`
	// The location of the whole plan.
	// +optional
	Ref *Reference `json:"ref,omitempty"`
	// Its steps.
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	// +optional
	Steps []PlannedStep `json:"steps,omitempty"`
	// The number of steps that are not in that list.
	// +optional
	More int64 `json:"more,omitempty"`
}

// PlannedStep is one step of a plan.
type PlannedStep struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// The progress of the step.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	State string `json:"state,omitempty"`
	// Its changes, in one line.
	// +kubebuilder:validation:MaxLength=160
	// +optional
	Summary string `json:"summary,omitempty"`
}

// Reference names a key of a ConfigMap in the same namespace.
type Reference struct {
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Key string `json:"key,omitempty"`
}

// Run describes the current run.
type Run struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// forward or back.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Direction string `json:"direction,omitempty"`
	// +optional
	Step *RunningStep `json:"step,omitempty"`
}

// RunningStep describes the current step and its wait.
type RunningStep struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitzero"`
	// The awaited state.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
	// The observed state.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Seen string `json:"seen,omitempty"`
	// +optional
	Done int64 `json:"done,omitempty"`
	// +optional
	Total int64 `json:"total,omitempty"`
	// +optional
	LastProgress metav1.Time `json:"lastProgress,omitzero"`
	// The time at which it gives up without further progress.
	// +optional
	Until metav1.Time `json:"until,omitzero"`
}

// Audit holds the result of the last audit.
type Audit struct {
	// +optional
	At metav1.Time `json:"at,omitzero"`
	// The number of checks with this result. Zeros are written: a column shows them.
	// +optional
	OK int64 `json:"ok"`
	// +optional
	Warn int64 `json:"warn"`
	// +optional
	Fail int64 `json:"fail"`
	// +optional
	Skip int64 `json:"skip"`
	// +optional
	Unknown int64 `json:"unknown"`
	// The first failing checks.
	// +kubebuilder:validation:MaxItems=12
	// +listType=atomic
	// +optional
	Failing []FailingCheck `json:"failing,omitempty"`
	// The number of failing findings that are not in that list.
	// +optional
	More int64 `json:"more,omitempty"`
}

// FailingCheck is a finding of a check.
type FailingCheck struct {
	// +kubebuilder:validation:MaxLength=8
	ID string `json:"id"`
	// +kubebuilder:validation:MaxLength=96
	// +optional
	Title string `json:"title,omitempty"`
	// The object of the finding.
	// +kubebuilder:validation:MaxLength=160
	// +optional
	Object string `json:"object,omitempty"`
}

// Handoff describes an edit that the owner of the Cluster object must make.
type Handoff struct {
	// The step that waits for it.
	// +kubebuilder:validation:MaxLength=64
	Step string `json:"step"`
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// The owner of the object, if known.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Owner string `json:"owner,omitempty"`
	// The location of the edit.
	// +optional
	Ref *Reference `json:"ref,omitempty"`
}

// Failure holds the error that ended the last run early, as the command line prints it.
type Failure struct {
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// The exit code of the command line; docs/exit-codes.md.
	// +optional
	ExitCode int64 `json:"exitCode,omitempty"`
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Object string `json:"object,omitempty"`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Seen string `json:"seen,omitempty"`
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Wanted string `json:"wanted,omitempty"`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Fix string `json:"fix,omitempty"`
	// +optional
	At metav1.Time `json:"at,omitzero"`
	// The time of the next try; empty if it needs a manual fix.
	// +optional
	NextTry metav1.Time `json:"nextTry,omitzero"`
}

// PastRun is a run that ended.
type PastRun struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Direction string `json:"direction,omitempty"`
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Result string `json:"result,omitempty"`
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitzero"`
	// +optional
	EndedAt metav1.Time `json:"endedAt,omitzero"`
	// The plan that the run carried out.
	// +kubebuilder:validation:MaxLength=71
	// +optional
	Plan string `json:"plan,omitempty"`
	// The version of awsmigrate that ran.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Version string `json:"version,omitempty"`
}

// Display holds the state for Rancher's UI, which uses it before its own judgement
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2, checkStatusSummary).
type Display struct {
	// +kubebuilder:validation:MaxLength=32
	State string `json:"state"`
	// Work continues, or will, without manual action: blue.
	// +optional
	Transitioning bool `json:"transitioning"`
	// A manual fix is needed: red.
	// +optional
	Error bool `json:"error"`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Message string `json:"message,omitempty"`
}
