package journal

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// OfAnotherVersion reports whether a journal could not be read because its schema belongs to
// another version of awsmigrate.
func OfAnotherVersion(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Reason == reasonSchema
}

// ToWatch returns the record and the journal of a run that only watches a rollout. Even if
// another version wrote the journal, the rollout must be watched: then the record holds the
// error, the stored journal stays unchanged, and notes stay in memory.
func ToWatch(ctx context.Context, j Journal) (Record, Journal, error) {
	state, err := j.Load(ctx)
	if OfAnotherVersion(err) {
		return Record{Unread: err}, &Memory{}, nil
	}
	return state.Record(), j, err
}
