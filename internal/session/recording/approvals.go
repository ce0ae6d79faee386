package recording

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Keeping is a journal that has the approvals of one run put into the record, too, once they
// are written.
func (r *Recording) Keeping(kept journal.Journal, run string) journal.Journal {
	if r == nil || kept == nil {
		return kept
	}
	return &approvals{Journal: kept, recording: r, run: run, told: map[journal.Approval]bool{}}
}

type approvals struct {
	journal.Journal
	recording *Recording
	run       string
	told      map[journal.Approval]bool
}

// Commit implements journal.Journal.
func (a *approvals) Commit(ctx context.Context, st *journal.State) error {
	if err := a.Journal.Commit(ctx, st); err != nil {
		return err
	}
	for _, one := range st.Approvals {
		if one.Run != a.run || a.told[one] {
			continue
		}
		a.told[one] = true
		a.recording.add(record.Entry{Approval: &record.Approval{Run: one.Run, Step: string(one.Step), Plan: one.Plan, By: one.Who}})
	}
	return nil
}
