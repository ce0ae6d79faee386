package record

// Mode is the mode of all kube-controller-managers of a cluster. A run records it, because RKE's
// API does not show it.
type Mode string

// Modes of the kube-controller-managers.
const (
	InTree    Mode = "in-tree"
	Migrating Mode = "in-tree with leader migration"
	External  Mode = "external"
	// Changing means that a step changes the mode, or that it could not be read.
	Changing Mode = "changing"
)

// Run marks the beginning or the end of a run of awsmigrate on the recorded cluster.
type Run struct {
	ID       string `json:"id"`
	Command  string `json:"command,omitempty"`  // as typed
	By       string `json:"by,omitempty"`       // user@host
	Version  string `json:"version,omitempty"`  // of awsmigrate
	Goal     string `json:"goal,omitempty"`     // Migrate or Undo, or empty if it was not recorded
	Attempt  string `json:"attempt,omitempty"`  // names the automatic request, or is empty if a user started it
	Position string `json:"position,omitempty"` // of the cluster at that time
	Mode     Mode   `json:"mode,omitempty"`     // the mode at the beginning
	Ended    bool   `json:"ended,omitempty"`
	Error    string `json:"error,omitempty"` // why it ended before its goal
	// Stopped reports whether a user stopped the run before its goal.
	Stopped bool `json:"stopped,omitempty"`
}

// Goals of a run.
const (
	Migrate = "migrate"
	Undo    = "undo"
)

// Step marks the beginning or the end of a step.
type Step struct {
	Run      string     `json:"run"`
	ID       string     `json:"id"`
	Title    string     `json:"title,omitempty"`
	Outcome  Outcome    `json:"outcome,omitempty"` // empty at the beginning
	Message  string     `json:"message,omitempty"` // the evidence, or the error
	Compared []Compared `json:"compared,omitempty"`
	// Mode is the mode that a finished step has proven, or Changing at its beginning. It is empty
	// for a step that does not change the mode.
	Mode Mode `json:"mode,omitempty"`
}

// Outcome is the outcome of a step.
type Outcome string

// Outcomes of a step.
const (
	Finished Outcome = "finished"
	Failed   Outcome = "failed"
	WasDone  Outcome = "was done"       // found done, not run
	Skipped  Outcome = "does not apply" // Message says why
)

// Compared counts the objects of one kind that are unchanged since the first run.
type Compared struct {
	Kind   string   `json:"kind"` // "nodes", "load balancers"
	By     string   `json:"by"`   // the fields that were compared
	Same   int      `json:"unchanged"`
	Of     int      `json:"of"`
	Others []string `json:"others,omitempty"` // objects that differ or are gone
	Unread string   `json:"unread,omitempty"` // why nothing was compared, or empty
}

// Approval is a user's approval of a plan, or of a step that cannot be undone.
type Approval struct {
	Run  string `json:"run"`
	Step string `json:"step,omitempty"` // empty for the plan
	Plan string `json:"plan,omitempty"` // hash of the plan
	By   string `json:"by,omitempty"`   // user@host
}

// Former is the previous run in the journal.
type Former struct {
	Run     string `json:"run"` // the later run
	ID      string `json:"id"`
	By      string `json:"by,omitempty"`      // user@host
	Outcome string `json:"outcome,omitempty"` // in the journal's word: done, stopped, interrupted, died, guarded
	Step    string `json:"step,omitempty"`    // where it stopped; for a crashed run the last step that began to write
	Reason  string `json:"reason,omitempty"`  // the stable reason of its error
}

// Edit is a change by a step, without secrets.
type Edit struct {
	Run      string `json:"run"`
	Step     string `json:"step"`
	Object   string `json:"object"`             // "Cluster fleet-default/demo"
	Location string `json:"location,omitempty"` // field path inside it
	Diff     string `json:"diff,omitempty"`     // lines that begin with +, - or a blank; empty if it is unknown
	Left     int    `json:"left,omitempty"`     // number of omitted lines at its end
	// Written reports whether the edit was written as shown. Otherwise it comes from the plan with
	// which the run began the step.
	Written bool `json:"written,omitempty"`
}

// Write is a write that the run's journal announced right before it. The write itself may be
// missing.
type Write struct {
	Run    string `json:"run"`
	Step   string `json:"step"`
	What   string `json:"what"`
	Object string `json:"object"`
}

// Audit holds the result of a step's checks, before or after a run.
type Audit struct {
	Run       string         `json:"run"`
	Step      string         `json:"step"`
	Position  string         `json:"position,omitempty"`  // of the cluster at that time
	Counts    map[string]int `json:"counts,omitempty"`    // checks by their status
	Elsewhere int            `json:"elsewhere,omitempty"` // skipped checks that apply at other positions
	Partial   bool           `json:"partial,omitempty"`   // not all checks were selected
	Findings  []Finding      `json:"findings,omitempty"`
	Left      int            `json:"left,omitempty"` // number of omitted findings
}

// Finding is a finding of a check that is not OK, or the reason of a skip, without secrets.
type Finding struct {
	Check  string `json:"check"` // ID
	Title  string `json:"title,omitempty"`
	Status string `json:"status"` // fail, unknown, warn or skip
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen,omitempty"` // or the reason
	Wanted string `json:"wanted,omitempty"`
	Fix    string `json:"fix,omitempty"`
}
