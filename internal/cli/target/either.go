package target

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Either are the flags of both distributions, for a command that finds by itself of which
// one a cluster is: with --config one of RKE, with --cluster one of RKE2 that Rancher
// provisioned, or one of RKE that it manages.
type Either struct {
	rke2 RKE2
	rke  RKE
}

// Register adds the flags: those that both have once.
func (f *Either) Register(flags *pflag.FlagSet) {
	ofRKE2, ofRKE := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	f.rke2.Register(ofRKE2)
	f.rke.Register(ofRKE)
	texts := map[string]string{
		"cluster":               "cluster in Rancher: the name of its Cluster object; of an RKE cluster its id (c-xxxxx) or name",
		"config":                "cluster.yml of an RKE cluster (default: $RKE_CONFIG)",
		"kubeconfig":            "with --cluster: kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config); with --config: of the cluster (default: kube_config_<file> beside it)",
		"downstream-kubeconfig": "with --cluster: kubeconfig of the cluster to migrate (default: through Rancher)",
	}
	for _, set := range []*pflag.FlagSet{ofRKE2, ofRKE} {
		set.VisitAll(func(own *pflag.Flag) {
			if flags.Lookup(own.Name) != nil {
				return
			}
			shared := *own
			shared.Value = inBoth{own.Value, own.Name, []*pflag.FlagSet{ofRKE2, ofRKE}}
			if text, other := texts[own.Name]; other {
				shared.Usage = text
			}
			flags.AddFlag(&shared)
		})
	}
}

// inBoth is the value of a flag in each set that has one of its name, where it is given,
// too.
type inBoth struct {
	pflag.Value
	name string
	sets []*pflag.FlagSet
}

// Set implements pflag.Value.
func (v inBoth) Set(text string) error {
	for _, set := range v.sets {
		if set.Lookup(v.name) == nil {
			continue
		}
		if err := set.Set(v.name, text); err != nil {
			return v.plain(err)
		}
	}
	return nil
}

// plain is the error without the words that a set of flags puts before it, as whoever
// parses the flag says them again.
func (v inBoth) plain(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// Asked implements Flags: what they come to as far as no cluster is asked.
func (f *Either) Asked(out Output) (Asked, error) {
	switch {
	case f.rke.cluster != "" && f.rke.set.Changed("config"):
		return Asked{}, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case f.rke.cluster != "":
		return f.rke2.Asked(out)
	case f.rke.Config == "":
		return Asked{}, fault.AsUsage(errors.New("no cluster is named: wanted --cluster NAME or --config cluster.yml"))
	}
	return f.rke.Asked(out)
}

// open connects to the cluster as one of the distribution that it is of.
func (f *Either) open(ctx context.Context, out Output, may session.Access) (*session.Session, Words, error) {
	if f.rke.cluster == "" || f.rke.set.Changed("config") {
		return openAsked(ctx, f, out, may)
	}
	found, err := byName(
		func() (opened, error) { return asOpened(openAsked(ctx, f, out, may)) },
		func() (opened, error) { return asOpened(openAsked(ctx, &f.rke, out, may)) })
	return found.Session, found.words, err
}

// opened is a session, and the words that name its cluster.
type opened struct {
	*session.Session
	words Words
}

func asOpened(s *session.Session, words Words, err error) (opened, error) {
	return opened{s, words}, err
}
