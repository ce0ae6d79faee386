package recording

import (
	"context"
	"slices"
)

// Keeper stores the records of runs next to their journal. archive.Store implements it.
type Keeper interface {
	// Keep stores the record of some runs of one process. It replaces the record of the earlier
	// runs among them.
	Keep(ctx context.Context, runs []string, packed []byte) error
}

// Kept describes the stored record of a run.
type Kept struct {
	Run string // the last run with a stored record, or empty
	Err error  // why the last record was not stored
}

// KeepRecord stores the record next to the journal, as the record of one more finished run. It
// stores nothing for a run that changed nothing or was killed.
func (r *Recording) KeepRecord(ctx context.Context, to Keeper, run string) {
	if r == nil || !r.o.Store || to == nil || ctx.Err() != nil {
		return
	}
	runs, packed, err := r.packed(run)
	if len(runs) == 0 {
		return
	}
	if err == nil {
		err = to.Keep(ctx, runs, packed)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.Err = err
	if err == nil {
		r.kept.Run, r.runs = run, runs
	}
}

// packed returns the record and the runs that it covers, or nothing if no run changed anything.
func (r *Recording) packed(run string) (runs []string, packed []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.worked {
		return nil, nil, nil
	}
	r.writeBlindHeader("")
	runs = append(slices.Clone(r.runs), run)
	if r.unpacked != nil {
		return runs, nil, r.unpacked
	}
	packed, err = r.pack.Bytes(r.now(), "the run is over")
	return runs, packed, err
}

// Kept returns the state of the stored record.
func (r *Recording) Kept() Kept {
	if r == nil {
		return Kept{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}
