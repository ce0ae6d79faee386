package journal

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// OfAnotherVersion says whether a journal could not be read because another version of
// awsmigrate wrote it, in a schema that this one does not know.
func OfAnotherVersion(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Reason == reasonSchema
}

// ToWatch is what a journal holds, and the journal to keep, for whoever only watches what
// rolls. One of another version must not leave a rollout alone: it stays as it is, the
// record says why it is empty, and what is kept is kept in memory.
func ToWatch(ctx context.Context, j Journal) (Record, Journal, error) {
	state, err := j.Load(ctx)
	if OfAnotherVersion(err) {
		return Record{Unread: err}, &Memory{}, nil
	}
	return state.Record(), j, err
}
