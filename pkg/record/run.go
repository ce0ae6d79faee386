package record

// Mode is how every kube-controller-manager of a cluster runs. A run that has seen it says so: of
// RKE's nothing in the API shows it.
type Mode string

// Modes.
const (
	InTree    Mode = "in-tree"
	Migrating Mode = "in-tree with leader migration"
	External  Mode = "external"
	// Changing: a step changes it from here on, or it could not be seen.
	Changing Mode = "changing"
)

// Run is a run of awsmigrate on the cluster that is recorded, when it began or ended.
type Run struct {
	ID       string `json:"id"`
	Command  string `json:"command,omitempty"`  // as typed
	By       string `json:"by,omitempty"`       // user@host
	Version  string `json:"version,omitempty"`  // of awsmigrate
	Goal     string `json:"goal,omitempty"`     // Migrate or Undo; "": it was not recorded
	Attempt  string `json:"attempt,omitempty"`  // names what asked for it, where something asks by itself; "": a person
	Position string `json:"position,omitempty"` // of the cluster then
	Mode     Mode   `json:"mode,omitempty"`     // that it has seen when it began
	Ended    bool   `json:"ended,omitempty"`
	Error    string `json:"error,omitempty"` // why it ended before its goal
	// Stopped says of one that ended before its goal that somebody asked it to.
	Stopped bool `json:"stopped,omitempty"`
}

// Goals of a run.
const (
	Migrate = "migrate"
	Undo    = "undo"
)

// Step is a step of a run, when it began or ended.
type Step struct {
	Run      string     `json:"run"`
	ID       string     `json:"id"`
	Title    string     `json:"title,omitempty"`
	Outcome  Outcome    `json:"outcome,omitempty"` // "": it began
	Message  string     `json:"message,omitempty"` // the evidence, or the error
	Compared []Compared `json:"compared,omitempty"`
	// Mode is what the step has proven when it ended, or Changing when it began; "" for a step
	// that leaves it as it is.
	Mode Mode `json:"mode,omitempty"`
}

// Outcome is how a step ended.
type Outcome string

// Outcomes.
const (
	Finished Outcome = "finished"
	Failed   Outcome = "failed"
	WasDone  Outcome = "was done"       // found done, not run
	Skipped  Outcome = "does not apply" // Message says why
)

// Compared says of one kind of thing how many are as they were before the first run.
type Compared struct {
	Kind   string   `json:"kind"` // "nodes", "load balancers"
	By     string   `json:"by"`   // what was compared of each
	Same   int      `json:"unchanged"`
	Of     int      `json:"of"`
	Others []string `json:"others,omitempty"` // those that differ or are gone
	Unread string   `json:"unread,omitempty"` // why nothing was compared; "": it was
}

// Approval is somebody's yes to the plan of a run, or to a step without a way back.
type Approval struct {
	Run  string `json:"run"`
	Step string `json:"step,omitempty"` // "": the plan
	Plan string `json:"plan,omitempty"` // hash of the plan
	By   string `json:"by,omitempty"`   // user@host
}

// Former is the run right before a run, as the journal has it.
type Former struct {
	Run     string `json:"run"` // the one before which it was
	ID      string `json:"id"`
	By      string `json:"by,omitempty"`      // user@host
	Outcome string `json:"outcome,omitempty"` // in the journal's word: done, stopped, interrupted, died, guarded
	Step    string `json:"step,omitempty"`    // where it stopped; of one that died the last that it began to write for
	Reason  string `json:"reason,omitempty"`  // why, as the stable word of a fault
}

// Edit is one change of a step, without secrets.
type Edit struct {
	Run      string `json:"run"`
	Step     string `json:"step"`
	Object   string `json:"object"`             // "Cluster fleet-default/demo"
	Location string `json:"location,omitempty"` // field path inside it
	Diff     string `json:"diff,omitempty"`     // lines that begin with +, - or a blank; "": nobody shows one
	Left     int    `json:"left,omitempty"`     // lines of it that are left out at its end
	// Written says that it was made as it is shown. Else it is as the plan had it that the
	// run began the step with.
	Written bool `json:"written,omitempty"`
}

// Write is one write of a run, as its journal announced it right before: it may not have
// come to it.
type Write struct {
	Run    string `json:"run"`
	Step   string `json:"step"`
	What   string `json:"what"`
	Object string `json:"object"`
}

// Audit is what the checks of a step came to: the one before a run, or one behind it.
type Audit struct {
	Run       string         `json:"run"`
	Step      string         `json:"step"`
	Position  string         `json:"position,omitempty"`  // of the cluster then
	Counts    map[string]int `json:"counts,omitempty"`    // checks by their status
	Elsewhere int            `json:"elsewhere,omitempty"` // of those skipped: they apply at other positions
	Partial   bool           `json:"partial,omitempty"`   // not all checks were asked for
	Findings  []Finding      `json:"findings,omitempty"`
	Left      int            `json:"left,omitempty"` // findings that are left out
}

// Finding is one finding of a check that is not ok, or why it was skipped, without secrets.
type Finding struct {
	Check  string `json:"check"` // ID
	Title  string `json:"title,omitempty"`
	Status string `json:"status"` // fail, unknown, warn or skip
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen,omitempty"` // or the reason
	Wanted string `json:"wanted,omitempty"`
	Fix    string `json:"fix,omitempty"`
}
