package target

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Either holds the flags of both distributions, for a command that detects the distribution:
// --config means RKE, --cluster means RKE2 that Rancher provisions or RKE that it manages.
type Either struct {
	reach
	set *pflag.FlagSet
}

// Register adds the flags.
func (f *Either) Register(flags *pflag.FlagSet) {
	f.set = flags
	Define(flags, options.Either, &f.reach)
}

func (f *Either) toRKE2() *RKE2 { return &RKE2{reach: f.reach, set: f.set, scope: options.Either} }

func (f *Either) toRKE() *RKE { return &RKE{reach: f.reach, set: f.set, scope: options.Either} }

// Asked implements Flags, without a request to a cluster.
func (f *Either) Asked(out Output) (Asked, error) {
	switch {
	case f.Cluster != "" && f.set.Changed("config"):
		return Asked{}, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case f.Cluster != "":
		return f.toRKE2().Asked(out)
	case f.Config == "":
		return Asked{}, noCluster("--cluster NAME or --config cluster.yml")
	}
	return f.toRKE().Asked(out)
}

// open connects to the cluster as one of its distribution.
func (f *Either) open(ctx context.Context, out Output, may session.Access) (*session.Session, Words, error) {
	if f.Cluster == "" || f.set.Changed("config") {
		return openAsked(ctx, f, out, may)
	}
	found, err := byName(
		func() (opened, error) { return asOpened(openAsked(ctx, f, out, may)) },
		func() (opened, error) { return asOpened(openAsked(ctx, f.toRKE(), out, may)) })
	return found.Session, found.words, err
}

// opened holds a session, and the words that name its cluster.
type opened struct {
	*session.Session
	words Words
}

func asOpened(s *session.Session, words Words, err error) (opened, error) {
	return opened{s, words}, err
}
