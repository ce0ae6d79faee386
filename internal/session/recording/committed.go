package recording

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Keeping returns a journal whose written approvals, intents and former runs are also recorded.
func (r *Recording) Keeping(kept journal.Journal, run string) journal.Journal {
	if r == nil || kept == nil {
		return kept
	}
	return &committed{Journal: kept, recording: r, run: run, approvals: map[journal.Approval]bool{}}
}

type committed struct {
	journal.Journal
	recording *Recording
	run       string
	begun     bool // the run is in the journal, and its predecessor in the record
	approvals map[journal.Approval]bool
	intents   int // recorded intents of the run
}

// Commit implements journal.Journal.
func (c *committed) Commit(ctx context.Context, st *journal.State) error {
	if err := c.Journal.Commit(ctx, st); err != nil {
		return err
	}
	for _, entry := range c.newEntries(*st) {
		c.recording.add(entry)
	}
	return nil
}

// newEntries returns the entries of a journal that are not recorded yet.
func (c *committed) newEntries(st journal.State) []record.Entry {
	var all []record.Entry
	if at := slices.IndexFunc(st.Runs, func(r journal.Run) bool { return r.ID == c.run }); at >= 0 && !c.begun {
		c.begun = true
		if former := FormerOf(st, c.run); former != nil {
			all = append(all, record.Entry{Former: former})
		}
	}
	for _, one := range st.Approvals {
		if one.Run != c.run || c.approvals[one] {
			continue
		}
		c.approvals[one] = true
		all = append(all, record.Entry{Approval: &record.Approval{Run: one.Run, Step: string(one.Step), Plan: one.Plan, By: one.Who}})
	}
	intents := 0
	for _, in := range st.Intents {
		if in.Run != c.run {
			continue
		}
		if intents++; intents > c.intents {
			all = append(all, record.Entry{Write: &record.Write{Run: in.Run, Step: string(in.Step), What: plaintext.Tidy(in.What), Object: plaintext.Tidy(in.Object)}})
		}
	}
	c.intents = max(c.intents, intents)
	return all
}

// FormerOf returns the run directly before a run in its journal, or nil.
func FormerOf(st journal.State, run string) *record.Former {
	at := slices.IndexFunc(st.Runs, func(r journal.Run) bool { return r.ID == run })
	if at < 1 {
		return nil
	}
	r := st.Runs[at-1]
	former := &record.Former{Run: run, ID: r.ID, By: r.Who, Outcome: r.Outcome, Step: string(r.Step), Reason: r.Reason}
	for _, in := range st.Intents {
		if r.Outcome == died && in.Run == r.ID {
			former.Step = string(in.Step)
		}
	}
	return former
}

// died is the journal's outcome of a run without a recorded end.
const died = "died"
