package record

// Run is a run of awsmigrate on the cluster that is recorded, when it began or ended.
type Run struct {
	ID       string `json:"id"`
	Command  string `json:"command,omitempty"`  // as typed
	By       string `json:"by,omitempty"`       // user@host
	Version  string `json:"version,omitempty"`  // of awsmigrate
	Position string `json:"position,omitempty"` // of the cluster then
	Ended    bool   `json:"ended,omitempty"`
	Error    string `json:"error,omitempty"` // why it ended before its goal
}

// Step is a step of a run, when it began or ended.
type Step struct {
	Run     string  `json:"run"`
	ID      string  `json:"id"`
	Title   string  `json:"title,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"` // "": it began
	Message string  `json:"message,omitempty"` // the evidence, or the error
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

// Approval is somebody's yes to the plan of a run, or to a step without a way back.
type Approval struct {
	Run  string `json:"run"`
	Step string `json:"step,omitempty"` // "": the plan
	Plan string `json:"plan,omitempty"` // hash of the plan
	By   string `json:"by,omitempty"`   // user@host
}
