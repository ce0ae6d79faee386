package status

import "github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"

// presentation is the presentation of a state.
type presentation struct {
	word    string // in Rancher's UI, which capitalizes the parts of a word at hyphens and writes the rest in lower case
	working bool   // continues, now or later, without help
	stalled bool
	ready   bool
	message string // default message
}

// presentations has every state. The zero look, of an unknown state, is neither done nor working nor
// failed.
var presentations = map[State]presentation{
	Auditing:         {word: "Auditing", working: true, message: "looking at the cluster"},
	Findings:         {word: "Findings", message: "checks fail: see status.audit"},
	AwaitingOwner:    {word: "Awaiting-Owner", message: "say in spec.edits who edits the Cluster object: Apply or Handoff"},
	AwaitingApproval: {word: "Awaiting-Approval", message: "set spec.approvedPlan to status.plan.hash to have the plan carried out"},
	AwaitingWindow:   {word: "Awaiting-Window", working: true, message: "waiting for a window of spec.windows to open"},
	AwaitingTurn:     {word: "Awaiting-Turn", working: true, message: "waiting for its turn in a rollout"},
	Paused:           {word: "Paused", message: "spec.paused is set: no step begins"},
	Pending:          {word: "Pending", working: true, message: "waiting for its turn"},
	Running:          {word: "Running", working: true, message: "see status.run"},
	Undoing:          {word: "Undoing", working: true, message: "see status.run"},
	Guarding:         {word: "Guarding", working: true, message: "something rolls out: it is watched, and no step is taken"},
	AuditPassed:      {word: "Passed", ready: true, message: "the last audit passed, and nothing was changed"}, // Rancher's UI shows this word in green
	Succeeded:        {word: "Succeeded", ready: true, message: "the goal is reached"},
	Stalled:          {word: "Stalled", stalled: true, message: "manual action required: see status.failure"},
}

// AwaitsApproval reports whether a ClusterMigration waits for the approval of its plan.
func AwaitsApproval(s v1alpha1.ClusterMigrationStatus) bool {
	return s.Plan != nil && s.Display != nil && s.Display.State == presentations[AwaitingApproval].word
}

// StateOf returns the state that a display shows, or "" if it is none of States.
func StateOf(word string) State {
	for _, state := range States() {
		if presentations[state].word == word {
			return state
		}
	}
	return ""
}
