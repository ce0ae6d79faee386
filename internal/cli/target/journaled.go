package target

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Journaled holds the flags that name a cluster whose journal is read: the connection flags of
// both distributions.
type Journaled struct {
	either Either
}

// Register adds the flags, and those of into.
func (t *Journaled) Register(flags *pflag.FlagSet, into ...any) {
	t.either.set = flags
	Define(flags, options.Report, append(into, &t.either.reach)...)
}

// Given reports whether a cluster or a connection was named.
func (t *Journaled) Given() bool {
	return slices.ContainsFunc(options.Fields(&t.either.reach), func(f options.Field) bool { return t.either.set.Changed(f.Flag) })
}

// Open connects to the cluster, read-only, and verifies its identity.
func (t *Journaled) Open(ctx context.Context, out Output) (*session.Session, error) {
	s, _, err := t.either.open(ctx, out, session.ReadOnly)
	return s, err
}
