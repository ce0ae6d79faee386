package target

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
)

// Journaled are the flags that name a cluster whose journal is read: of those of either
// distribution the ones by which it is reached.
type Journaled struct {
	either Either
	set    *pflag.FlagSet
}

// Register adds the flags.
func (t *Journaled) Register(flags *pflag.FlagSet) {
	t.set = flags
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	t.either.Register(all)
	for _, name := range reached() {
		flags.AddFlag(all.Lookup(name))
	}
}

// reached are the flags that say which cluster, and how to reach it.
func reached() []string {
	return []string{"cluster", "namespace", "config", "kubeconfig", "context", "downstream-kubeconfig", "request-timeout"}
}

// Given says whether a cluster was named, or a way to one.
func (t *Journaled) Given() bool {
	for _, name := range reached() {
		if t.set.Changed(name) {
			return true
		}
	}
	return false
}

// Open connects to the cluster, read-only, and proves that it is the one named.
func (t *Journaled) Open(ctx context.Context, out Output) (*session.Session, error) {
	s, _, err := t.either.open(ctx, out, session.ReadOnly)
	return s, err
}
