package recording

import (
	"context"
	"slices"
)

// Keeper keeps the records of runs beside their journal; archive.Store is one.
type Keeper interface {
	// Keep stores the record of some runs of one process. It takes the place of that of
	// the first ones among them.
	Keep(ctx context.Context, runs []string, packed []byte) error
}

// Kept is what became of the record beside the journal.
type Kept struct {
	Run string // the last one that has a record there; "": none has
	Err error  // why the last one has none
}

// KeepBeside keeps what was recorded up to now beside the journal, as the record of one
// more run, which is over. Of a run that changed nothing, or that was ended at once, none
// is kept.
func (r *Recording) KeepBeside(ctx context.Context, to Keeper, run string) {
	if r == nil || !r.o.Beside || to == nil || ctx.Err() != nil {
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

// packed returns the record up to now and the runs that it is of; none if nothing was changed.
func (r *Recording) packed(run string) (runs []string, packed []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.worked {
		return nil, nil, nil
	}
	r.blindly("")
	runs = append(slices.Clone(r.runs), run)
	if r.unpacked != nil {
		return runs, nil, r.unpacked
	}
	packed, err = r.pack.Bytes(r.now(), "the run is over")
	return runs, packed, err
}

// Kept is what became of the record beside the journal.
func (r *Recording) Kept() Kept {
	if r == nil {
		return Kept{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}
