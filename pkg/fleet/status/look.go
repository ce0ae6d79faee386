package status

// look is how a state is shown.
type look struct {
	word    string // in Rancher's UI, which begins the parts of a word at hyphens with a capital and writes the rest small
	working bool   // goes on, or will, without anybody's help
	stalled bool
	ready   bool
	message string // where nobody has a better one
}

// looks has every state. One that it lacks looks like nothing: neither done, nor working,
// nor failed.
var looks = map[State]look{
	Auditing:         {word: "Auditing", working: true, message: "looking at the cluster"},
	Findings:         {word: "Findings", message: "checks fail: see status.audit"},
	AwaitingOwner:    {word: "Awaiting-Owner", message: "say in spec.edits who edits the Cluster object: Apply or Handoff"},
	AwaitingApproval: {word: "Awaiting-Approval", message: "set spec.approvedPlan to status.plan.hash to have the plan carried out"},
	AwaitingWindow:   {word: "Awaiting-Window", working: true, message: "waiting for a window of spec.windows to open"},
	Paused:           {word: "Paused", message: "spec.paused is set: no step begins"},
	Pending:          {word: "Pending", working: true, message: "waiting for its turn"},
	Running:          {word: "Running", working: true, message: "see status.run"},
	Undoing:          {word: "Undoing", working: true, message: "see status.run"},
	Guarding:         {word: "Guarding", working: true, message: "something rolls out: it is watched, and no step is taken"},
	Succeeded:        {word: "Succeeded", ready: true, message: "the goal is reached"},
	Stalled:          {word: "Stalled", stalled: true, message: "waiting for somebody's help: see status.failure"},
}
