package status

// State is what a cluster is at, of all that is true the first that matters.
type State string

// The states.
const (
	// Auditing looks, and writes nothing.
	Auditing State = "Auditing"
	// Findings is an audit that is done and found checks to fail.
	Findings State = "Findings"
	// AwaitingOwner waits for somebody to say who edits the Cluster, or for their edit.
	AwaitingOwner State = "AwaitingOwner"
	// AwaitingApproval waits for the plan's hash in spec.approvedPlan.
	AwaitingApproval State = "AwaitingApproval"
	// AwaitingWindow waits for a window to open.
	AwaitingWindow State = "AwaitingWindow"
	// Paused waits for spec.paused to be taken back.
	Paused State = "Paused"
	// Pending waits for what comes by itself: a lock, a slot, Rancher at rest.
	Pending State = "Pending"
	// Running goes forward.
	Running State = "Running"
	// Undoing goes back.
	Undoing State = "Undoing"
	// Guarding watches what rolls out, and takes no step.
	Guarding State = "Guarding"
	// Succeeded has reached its goal, and the last audit passed.
	Succeeded State = "Succeeded"
	// Stalled stands still until somebody helps.
	Stalled State = "Stalled"
)

// States are all of them.
func States() []State {
	return []State{
		Auditing, Findings, AwaitingOwner, AwaitingApproval, AwaitingWindow, Paused, Pending, Running, Undoing, Guarding, Succeeded, Stalled,
	}
}

// Reason says more of a state, in the form of a condition's reason. "" is the state's
// name. None is "Error", by which Rancher's UI knows a failure whatever the condition
// (rancher/wrangler:pkg/summary/summarizers.go@v3.7.2, checkErrors).
type Reason string

// Reasons of Stalled.
const (
	// Invalid is a spec that breaks a rule.
	Invalid Reason = "Invalid"
	// Reverted is a configuration that somebody put back.
	Reverted Reason = "Reverted"
	// ManagementRestored is a journal and a cluster that count differently.
	ManagementRestored Reason = "ManagementRestored"
	// CrashLoop is a cluster whose last runs died.
	CrashLoop Reason = "CrashLoop"
	// BrakePulled is a rollout that was stopped for what it did.
	BrakePulled Reason = "BrakePulled"
	// CRDOutdated is a definition older than the controller.
	CRDOutdated Reason = "CRDOutdated"
	// PlanTooLarge is a plan that no ConfigMap holds.
	PlanTooLarge Reason = "PlanTooLarge"
	// ClusterGone is a name without a Cluster.
	ClusterGone Reason = "ClusterGone"
	// BadWindow is a window that cannot be read.
	BadWindow Reason = "BadWindow"
	// WindowTooShort is a block that fits no window.
	WindowTooShort Reason = "WindowTooShort"
	// Failed is a run that failed for a reason that status.failure has.
	Failed Reason = "Failed"
)

// Reasons of Pending, and of AwaitingApproval where a plan was approved before.
const (
	// Locked is a cluster that another run holds.
	Locked Reason = "Locked"
	// NoSlot is a limit on runs at once.
	NoSlot Reason = "NoSlot"
	// RancherNotAtRest is a Rancher that is being upgraded.
	RancherNotAtRest Reason = "RancherNotAtRest"
	// Retrying is a failure that may pass.
	Retrying Reason = "Retrying"
	// PlanMoved is a plan that is no longer what was approved.
	PlanMoved Reason = "PlanMoved"
	// PlanAltered is an approved plan whose published text was changed.
	PlanAltered Reason = "PlanAltered"
)

// StallReasons are those of Stalled.
func StallReasons() []Reason {
	return []Reason{
		Invalid, Reverted, ManagementRestored, CrashLoop, BrakePulled, CRDOutdated, PlanTooLarge, ClusterGone, BadWindow, WindowTooShort, Failed,
	}
}
