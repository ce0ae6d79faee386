package status

// State is the most important state of a cluster.
type State string

// The states.
const (
	// Auditing reads the cluster and writes nothing.
	Auditing State = "Auditing"
	// Findings is a finished audit with failed checks.
	Findings State = "Findings"
	// AwaitingOwner waits for a person to choose who edits the Cluster, or for the owner's edit.
	AwaitingOwner State = "AwaitingOwner"
	// AwaitingApproval waits for the plan's hash in spec.approvedPlan.
	AwaitingApproval State = "AwaitingApproval"
	// AwaitingWindow waits for a window to open.
	AwaitingWindow State = "AwaitingWindow"
	// AwaitingTurn waits for a rollout to let it begin or continue.
	AwaitingTurn State = "AwaitingTurn"
	// Paused waits for spec.paused to be unset.
	Paused State = "Paused"
	// Pending waits for something that needs no person: a lock, a slot, Rancher at rest.
	Pending State = "Pending"
	// Running migrates the cluster.
	Running State = "Running"
	// Undoing rolls the migration back.
	Undoing State = "Undoing"
	// Guarding watches a rollout and runs no step.
	Guarding State = "Guarding"
	// AuditPassed is a finished audit without failed checks, where no migration was asked for.
	AuditPassed State = "AuditPassed"
	// Succeeded has reached goal Migrate or Undo, and the last audit passed.
	Succeeded State = "Succeeded"
	// Stalled waits for a person's help.
	Stalled State = "Stalled"
)

// States returns all states.
func States() []State {
	return []State{
		Auditing, Findings, AwaitingOwner, AwaitingApproval, AwaitingWindow, AwaitingTurn, Paused, Pending, Running, Undoing, Guarding, AuditPassed, Succeeded, Stalled,
	}
}

// Reason refines a state, in the form of a condition's reason. If empty, it is the state's name.
// It must not be "Error", by which Rancher's UI recognises a failure in any condition
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2, checkErrors).
type Reason string

// Reasons of Stalled.
const (
	// Invalid means that the spec breaks a rule.
	Invalid Reason = "Invalid"
	// Reverted means that a foreign writer reverted the configuration.
	Reverted Reason = "Reverted"
	// ManagementRestored means that the journal counts less than the cluster.
	ManagementRestored Reason = "ManagementRestored"
	// CrashLoop means that the last runs of the cluster died.
	CrashLoop Reason = "CrashLoop"
	// RolloutPaused means that a harmful rollout was paused.
	RolloutPaused Reason = "BrakePulled"
	// CRDOutdated means that the CRD is older than the controller.
	CRDOutdated Reason = "CRDOutdated"
	// PlanTooLarge means that the plan fits into no ConfigMap.
	PlanTooLarge Reason = "PlanTooLarge"
	// ClusterGone means that no Cluster has this name.
	ClusterGone Reason = "ClusterGone"
	// BadWindow means that a window is invalid.
	BadWindow Reason = "BadWindow"
	// WindowTooShort means that a block fits into no window.
	WindowTooShort Reason = "WindowTooShort"
	// Failed means that a run failed; status.failure has the cause.
	Failed Reason = "Failed"
	// WaveStopped means that more clusters of a wave failed than may fail.
	WaveStopped Reason = "WaveStopped"
)

// Reasons of Pending, and of AwaitingApproval if an earlier plan was approved.
const (
	// Locked means that another run holds the cluster's lock.
	Locked Reason = "Locked"
	// NoSlot means that the limit of concurrent runs is reached.
	NoSlot Reason = "NoSlot"
	// RancherNotAtRest means that Rancher is being upgraded.
	RancherNotAtRest Reason = "RancherNotAtRest"
	// Retrying means that a transient failure is retried later.
	Retrying Reason = "Retrying"
	// PlanMoved means that the plan differs from the approved one.
	PlanMoved Reason = "PlanMoved"
	// PlanAltered means that the published text of the approved plan was changed.
	PlanAltered Reason = "PlanAltered"
)

// Reasons of Pending for a rollout.
const (
	// Planning means that clusters have no plan yet.
	Planning Reason = "Planning"
	// NoMembers means that no cluster matches a wave.
	NoMembers Reason = "NoMembers"
	// Soaking means that a wave is done, and the next one waits for its soak.
	Soaking Reason = "Soaking"
)

// StallReasons returns the reasons of Stalled.
func StallReasons() []Reason {
	return []Reason{
		Invalid, Reverted, ManagementRestored, CrashLoop, RolloutPaused, CRDOutdated, PlanTooLarge, ClusterGone, BadWindow, WindowTooShort, Failed, WaveStopped,
	}
}
