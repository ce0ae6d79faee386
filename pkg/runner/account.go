package runner

import (
	"fmt"
	"strconv"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Account describes the work on a cluster: who does it, towards which goal, with which options,
// and in which of its steps. Every reader shows this value, so that none of them shows another
// migration than the one that runs.
type Account struct {
	ID string `json:"id"`
	// By describes the user, the host and the process; Holder has them for machines.
	By      string       `json:"by"`
	Holder  AccountOwner `json:"holder"`
	Command string       `json:"command,omitempty"` // as typed
	Started time.Time    `json:"started"`
	Renewed time.Time    `json:"renewed"` // last renewal of its lock, by its own clock
	Life    Life         `json:"life"`
	Announcement
	// Guards reports whether the run only watches a rollout of an earlier run.
	Guards bool `json:"guards,omitempty"`
}

// AccountOwner identifies a process that works on a cluster.
type AccountOwner struct {
	User string `json:"user,omitempty"`
	Host string `json:"host,omitempty"` // or the pod's name
	PID  int    `json:"pid,omitempty"`
	Pod  bool   `json:"pod,omitempty"` // it is a container's main program
}

// Announcement holds what a run writes to the journal about itself: at its start, with every step,
// and at its end. The journal of a run by an older awsmigrate has none; then Step and Since are
// those of its last intent.
type Announcement struct {
	Goal    string            `json:"goal,omitempty"`
	Until   journal.StepID    `json:"until,omitempty"`
	Options map[string]string `json:"options,omitempty"` // those in the basis of its plan
	// Step is the current step, and Since is the time at which the run began it. Both are empty
	// before the first step.
	Step  journal.StepID `json:"step,omitempty"`
	Since time.Time      `json:"since,omitzero"`
	// Steps lists all steps of the run with its options, in order.
	Steps []AccountStep `json:"steps,omitempty"`
}

// AccountStep describes one step of a run as that run has announced it.
type AccountStep struct {
	ID    journal.StepID `json:"id"`
	Title string         `json:"title"`
	// State is Todo for a step that the run has not reached.
	State StateKind `json:"state"`
	// Here reports whether this run has completed the step; else the step was done before.
	Here    bool     `json:"here,omitempty"`
	Said    []string `json:"said,omitempty"` // evidence of its end, or the reason of a skip
	Seconds float64  `json:"seconds,omitempty"`
	// Cost is the planned cost of a step that is to run, or nil if it is unknown.
	Cost *StepCost `json:"cost,omitempty"`
}

func (s AccountStep) elapsed() time.Duration {
	return time.Duration(s.Seconds * float64(time.Second))
}

// Life describes whether the process of a run still works, as far as a reader can tell.
type Life string

const (
	// LifeWorks means that the lock was renewed within its duration. Clocks may differ.
	LifeWorks Life = "works"
	// LifeSilent means that the lock was not renewed within its duration, or that the clocks
	// differ by as much. The next run watches the lock and takes it over.
	LifeSilent Life = "silent"
	// LifeDead means that this machine proves the end of the process. The next run takes the lock
	// over at once.
	LifeDead Life = "dead"
)

// AccountOf returns the account of the process that holds the lock, or nil if none holds it or
// its run has ended. diedHere is the result of lock.Held.DiedHere.
func AccountOf(st journal.State, held *lock.Held, diedHere bool, now time.Time) *Account {
	if held == nil {
		return nil
	}
	owner := held.Owner
	a := &Account{ID: owner.Run, By: owner.String(), Started: owner.Start, Renewed: held.Renewed, Life: lifeOf(*held, diedHere, now),
		Holder: AccountOwner{User: owner.User, Host: owner.Host, PID: owner.PID, Pod: owner.Pod.UID != ""}}
	if owner.Run == "" {
		a.By = strconv.Quote(held.Identity)
	}
	run := lastRun(st)
	if run.ID != owner.Run || owner.Run == "" {
		return a // it has the lock, and no entry in the history yet
	}
	if run.Outcome != "" {
		return nil
	}
	a.Command, a.Guards, a.Announcement = run.Command, run.Guard, announcementOf(st, run.ID)
	if start := journal.Moment(run.Start); !start.IsZero() {
		a.Started = start
	}
	return a
}

// lastRun returns the last run of the history, or the zero Run.
func lastRun(st journal.State) journal.Run {
	if len(st.Runs) == 0 {
		return journal.Run{}
	}
	return st.Runs[len(st.Runs)-1]
}

func lifeOf(held lock.Held, diedHere bool, now time.Time) Life {
	age := now.Sub(held.Renewed).Abs()
	switch {
	case diedHere:
		return LifeDead
	case held.For > 0 && age > held.For:
		return LifeSilent
	}
	return LifeWorks
}

// Works reports whether the run lives as far as a reader can tell. It is false for nil.
func (a *Account) Works() bool { return a != nil && a.Life == LifeWorks }

// StepNumber returns the number of the current step and the number of steps, or zeros if they
// are unknown.
func (a Announcement) StepNumber() (number, steps int) {
	for i, step := range a.Steps {
		if step.ID == a.Step {
			return i + 1, len(a.Steps)
		}
	}
	return 0, 0
}

// StepText describes the current step and its number, or is empty before the first step.
func (a Announcement) StepText() string {
	if a.Step == "" {
		return ""
	}
	if number, steps := a.StepNumber(); number > 0 {
		return fmt.Sprintf("step %d of %d %s", number, steps, a.Step)
	}
	return "step " + string(a.Step)
}

// StepOrNone returns StepText, or "" for nil.
func (a *Account) StepOrNone() string {
	if a == nil {
		return ""
	}
	return a.StepText()
}

// step returns the announced step with an ID, or the zero AccountStep.
func (a Announcement) step(id journal.StepID) AccountStep {
	for _, step := range a.Steps {
		if step.ID == id {
			return step
		}
	}
	return AccountStep{}
}
