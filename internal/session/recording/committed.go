package recording

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Keeping is a journal that has what one run writes into it put into the record, too, once
// it is written: who approved what, what is about to be written, and which runs there were
// before.
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
	begun     bool // the run is in the journal, and those before it are in the record
	approvals map[journal.Approval]bool
	intents   int // of the run, that are in the record
}

// Commit implements journal.Journal.
func (c *committed) Commit(ctx context.Context, st *journal.State) error {
	if err := c.Journal.Commit(ctx, st); err != nil {
		return err
	}
	for _, entry := range c.news(*st) {
		c.recording.add(entry)
	}
	return nil
}

// news is what of a journal is not in the record yet.
func (c *committed) news(st journal.State) []record.Entry {
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

// FormerOf returns the run right before a run, as its journal has it, or nil.
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

// died is the journal's word for a run whose end nobody wrote.
const died = "died"
