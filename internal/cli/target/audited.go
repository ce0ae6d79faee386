package target

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/access/ask"
	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// Audited holds the flags that select the cluster of an audit, the connection to it and the input
// of its checks.
type Audited struct {
	reach
	set   *pflag.FlagSet
	scope options.Scope
}

// Register adds the flags of an audit, and those of into.
func (t *Audited) Register(flags *pflag.FlagSet, into ...any) {
	t.RegisterAs(options.Verify, flags, into...)
}

// RegisterAs adds the flags of another command that judges a cluster, and those of into.
func (t *Audited) RegisterAs(scope options.Scope, flags *pflag.FlagSet, into ...any) {
	t.set, t.scope = flags, scope
	Define(flags, scope, append(into, &t.reach)...)
}

// File returns the cluster.yml if the flags name no cluster in Rancher, or "".
func (t *Audited) File() string {
	if t.Cluster != "" {
		return ""
	}
	return t.Config
}

// Options returns the options of the checks. An audit that prepares no installation is read-only.
func (t *Audited) Options(lookOnly bool) (session.Choices, error) {
	choices, err := readChoices(t.set, t.scope)
	choices.ReadOnly = lookOnly
	if err != nil {
		return choices, err
	}
	return choices, choices.Validate()
}

// Given reports whether a cluster was named.
func (t *Audited) Given() bool {
	return t.Cluster != "" || t.Config != "" || t.Kubeconfig != "" || t.Context != "" || t.Downstream != ""
}

// Open connects to the cluster, read-only, and verifies its identity.
func (t *Audited) Open(ctx context.Context, out Output, choices session.Choices) (session.Source, error) {
	target, err := t.named()
	switch {
	case err != nil:
		return nil, err
	case target.Kind == session.ClusterFile:
		return t.open(ctx, out, choices, target, t.rkeWords())
	case target.Kind == session.RKE2:
		return byName(
			func() (session.Source, error) { return t.open(ctx, out, choices, target, t.rke2Words()) },
			func() (session.Source, error) {
				return t.open(ctx, out, choices, t.rke(), t.rkeWords())
			})
	}
	return t.open(ctx, out, choices, target, Words{})
}

// named returns the cluster that the flags name. A cluster in Rancher counts as RKE2 at first,
// but may be RKE.
func (t *Audited) named() (session.Target, error) {
	switch {
	case t.Cluster != "" && t.Config != "":
		return session.Target{}, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.Config != "":
		return t.rke(), nil
	case t.Cluster != "":
		return t.rke2(), nil
	case t.scope == options.UpgradePath:
		return session.Target{}, noCluster("--cluster NAME or --config cluster.yml")
	case t.Kubeconfig == "" && t.Context == "":
		return session.Target{}, noCluster("--cluster NAME, --config cluster.yml, --kubeconfig FILE or --from FILE")
	}
	return session.Target{Kind: session.APIOnly, Name: kubeconfig.ContextName(t.Kubeconfig, t.Context),
		Server: kubeconfig.Server(t.Kubeconfig, t.Context), RequestTimeout: t.RequestTimeout}, nil
}

// open opens one target; words name it in the next command.
func (t *Audited) open(ctx context.Context, out Output, choices session.Choices, target session.Target, words Words) (session.Source, error) {
	source, err := session.Audit(ctx, target, session.Options{Actor: Actor(), Live: out.Err, Choices: choices})
	switch {
	case err != nil:
		return source, err
	case target.Kind == session.APIOnly:
		return listing{source, out.Program.Line(slices.Concat([]string{"list"}, flagUnlessEmpty("--kubeconfig", t.Kubeconfig), flagUnlessEmpty("--context", t.Context))...)}, nil
	}
	return goingOn{source, words.by(out.Program), t.set}, nil
}

func flagUnlessEmpty(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{flag, value}
}

// listing makes the list of Rancher's clusters the next command where the cluster is Rancher's own.
type listing struct {
	session.Source
	list string
}

// Read implements session.Source.
func (s listing) Read(ctx context.Context) (session.Reading, error) {
	seen, err := s.Source.Read(ctx)
	if seen.OfRancher {
		seen.Next = s.list
	}
	return seen, err
}

// goingOn adds the command that continues a migration to a source.
type goingOn struct {
	session.Source
	words Words
	set   *pflag.FlagSet
}

// Read implements session.Source.
func (s goingOn) Read(ctx context.Context) (session.Reading, error) {
	seen, err := s.Source.Read(ctx)
	seen.Upgrade = s.words.Upgrade
	switch {
	case seen.Run != nil:
		seen.Next = s.words.Status() + " --watch"
	case seen.GoesOn:
		seen.NextBare = s.words.Plan()
		seen.Next = s.words.withTyped(s.set, options.Verify).without("only").Plan() // a plan needs every check
	}
	return seen, err
}

// Access returns the question which permissions these credentials have on the named cluster.
func (t *Audited) Access(purpose access.Purpose, o migration.Options) (ask.Question, error) {
	q := ask.Question{Purpose: purpose, Clock: clock.RealClock{}, AWS: aws.Options{Mode: aws.Mode(o.AWS), Identity: o.AWSIdentity, Region: o.Region,
		Profile: o.Profile, AssumeRole: o.AssumeRole, ExternalID: o.ExternalID, SessionName: o.SessionName}}
	of, err := t.named()
	q.Target = of
	if t.Cluster != "" {
		q.AsRKE = t.rke()
	}
	return q, err
}
