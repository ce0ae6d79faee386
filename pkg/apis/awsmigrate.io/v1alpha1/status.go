package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StatusLimit is how much of one status is kept at most, in bytes of JSON.
const StatusLimit = 32 << 10

// Types of conditions. None is in the tables by which Rancher's UI judges conditions by
// their type, but those that mean there what they mean here
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2).
const (
	// ConditionReady says that the goal is reached and that the last audit passed.
	ConditionReady = "Ready"
	// ConditionReconciling says that something is done, or will be without anybody's help.
	ConditionReconciling = "Reconciling"
	// ConditionStalled says that nothing goes on until somebody helps.
	ConditionStalled = "Stalled"
	// ConditionOwnerAgrees says that whoever keeps the Cluster has it as the cluster is.
	ConditionOwnerAgrees = "OwnerAgrees"
)

// ClusterMigrationStatus is what is shown of a cluster.
type ClusterMigrationStatus struct {
	// The generation of the spec that this answers.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// How far the cluster is: P0 to P5, or unknown.
	// +kubebuilder:validation:MaxLength=16
	// +optional
	Position string `json:"position,omitempty"`
	// What would be done.
	// +optional
	Plan *Plan `json:"plan,omitempty"`
	// What is being done.
	// +optional
	Run *Run `json:"run,omitempty"`
	// What the last audit found.
	// +optional
	Audit *Audit `json:"audit,omitempty"`
	// The edit that somebody else has to make.
	// +optional
	Handoff *Handoff `json:"handoff,omitempty"`
	// What ended the last run early.
	// +optional
	Failure *Failure `json:"failure,omitempty"`
	// The last runs, the latest first.
	// +kubebuilder:validation:MaxItems=10
	// +listType=atomic
	// +optional
	History []PastRun `json:"history,omitempty"`
	// What Rancher's UI shows.
	// +optional
	Display *Display `json:"display,omitempty"`
	// The same for tools.
	// +kubebuilder:validation:MaxItems=8
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Plan is what would be done.
type Plan struct {
	// What spec.approvedPlan has to be for it to be done.
	// +kubebuilder:validation:MaxLength=71
	Hash string `json:"hash"`
	// The awsmigrate that made it.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Version string `json:"version,omitempty"`
	// Where the whole plan is.
	// +optional
	Ref *Reference `json:"ref,omitempty"`
	// Its steps.
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	// +optional
	Steps []PlannedStep `json:"steps,omitempty"`
	// How many steps are not in that list.
	// +optional
	More int64 `json:"more,omitempty"`
}

// PlannedStep is one step of a plan.
type PlannedStep struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// How far it is.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	State string `json:"state,omitempty"`
	// What it would do, in one line.
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

// Run is what is being done.
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

// RunningStep is the step at hand, and what it waits for.
type RunningStep struct {
	// +kubebuilder:validation:MaxLength=64
	ID string `json:"id"`
	// +optional
	StartedAt metav1.Time `json:"startedAt,omitzero"`
	// What has to come about.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	WaitingFor string `json:"waitingFor,omitempty"`
	// What is there instead.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Seen string `json:"seen,omitempty"`
	// +optional
	Done int64 `json:"done,omitempty"`
	// +optional
	Total int64 `json:"total,omitempty"`
	// +optional
	LastProgress metav1.Time `json:"lastProgress,omitzero"`
	// When it gives up without further progress.
	// +optional
	Until metav1.Time `json:"until,omitzero"`
}

// Audit is what the last audit found.
type Audit struct {
	// +optional
	At metav1.Time `json:"at,omitzero"`
	// How many checks ended so. Zeros are written: a column shows them.
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
	// The first checks that fail.
	// +kubebuilder:validation:MaxItems=12
	// +listType=atomic
	// +optional
	Failing []FailingCheck `json:"failing,omitempty"`
	// How many failing findings are not in that list.
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
	// The object that it is about.
	// +kubebuilder:validation:MaxLength=160
	// +optional
	Object string `json:"object,omitempty"`
}

// Handoff is an edit that somebody else has to make.
type Handoff struct {
	// The step that waits for it.
	// +kubebuilder:validation:MaxLength=64
	Step string `json:"step"`
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// Who keeps the object, as far as is known.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Owner string `json:"owner,omitempty"`
	// Where the edit is written down.
	// +optional
	Ref *Reference `json:"ref,omitempty"`
}

// Failure is what ended the last run early, as the command line says it.
type Failure struct {
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// As of the command line; docs/exit-codes.md.
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
	// When it is tried again; none: not without somebody's help.
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
	// The plan that was carried out.
	// +kubebuilder:validation:MaxLength=71
	// +optional
	Plan string `json:"plan,omitempty"`
	// The awsmigrate that ran.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Version string `json:"version,omitempty"`
}

// Display is what Rancher's UI shows, before any judgement of its own
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2, checkStatusSummary).
type Display struct {
	// +kubebuilder:validation:MaxLength=32
	State string `json:"state"`
	// Something is done, or will be without anybody's help: blue.
	// +optional
	Transitioning bool `json:"transitioning"`
	// Somebody has to help: red.
	// +optional
	Error bool `json:"error"`
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Message string `json:"message,omitempty"`
}
