package target

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// Audited are the flags that say which cluster is audited, how it is reached and what
// its checks judge.
type Audited struct {
	reachFlags
	config    string
	rkeBinary string
	endState  string
	checks    migrationFlags
}

// Register adds the flags.
func (t *Audited) Register(flags *pflag.FlagSet) {
	t.checks.registerChecks(flags)
	t.checks.registerVersion(flags)
	flags.StringVar(&t.cluster, "cluster", "", "cluster in Rancher: the name of its Cluster object; of an RKE cluster its id (c-xxxxx) or name")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "namespace of the Cluster object")
	flags.StringVar(&t.config, "config", "", "cluster.yml of an RKE cluster")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster to audit; with --cluster: of the one Rancher runs in (default there: $KUBECONFIG, then ~/.kube/config); with --config the default is kube_config_<file> beside it")
	flags.StringVar(&t.kubeContext, "context", "", "context of --kubeconfig (default: its current one)")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster itself (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
	flags.StringVar(&t.rkeBinary, "rke-binary", "", "with --config: rke binary (default: rke in PATH)")
	flags.StringVar(&t.endState, "end-state", "auto", "auto|external|overrides: of an RKE2 cluster that is to be migrated")
}

// Options are those of the checks. An audit that prepares no installation only looks.
func (t *Audited) Options(lookOnly bool) (migration.Options, error) {
	t.checks.lookOnly = lookOnly
	options, err := t.checks.options()
	if err != nil {
		return options, err
	}
	options.InstallMethod = migration.InstallHelm
	return options, options.Validate()
}

// Given says whether a cluster was named.
func (t *Audited) Given() bool {
	return t.cluster != "" || t.config != "" || t.kubeconfig != "" || t.kubeContext != "" || t.downstreamKubeconfig != ""
}

// Open connects to the cluster, read-only, and proves that it is the one named.
func (t *Audited) Open(ctx context.Context, out Output, options migration.Options) (session.Source, error) {
	target, err := t.named()
	switch {
	case err != nil:
		return nil, err
	case target.Kind == session.ClusterFile:
		return t.open(ctx, out, options, target, t.rke("").again())
	case target.Kind == session.RKE2:
		return byName(
			func() (session.Source, error) { return t.open(ctx, out, options, target, t.again()) },
			func() (session.Source, error) {
				return t.open(ctx, out, options, t.rke(t.cluster).target(), t.rke(t.cluster).again())
			})
	}
	return t.open(ctx, out, options, target, Words{})
}

// named is the cluster that the flags name; of one in Rancher as one of RKE2, which may be
// one of RKE all the same.
func (t *Audited) named() (session.Target, error) {
	switch {
	case t.cluster != "" && t.config != "":
		return session.Target{}, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.config != "":
		return t.rke("").target(), nil
	case t.cluster != "":
		return t.rke2(), nil
	case t.kubeconfig == "" && t.kubeContext == "":
		return session.Target{}, fault.AsUsage(errors.New("no cluster is named: wanted --cluster NAME, --config cluster.yml, --kubeconfig FILE or --from FILE"))
	}
	return session.Target{Kind: session.APIOnly, Name: contextName(t.kubeconfig, t.kubeContext),
		Server: kubeconfig(t.kubeconfig, t.kubeContext), RequestTimeout: t.requestTimeout}, nil
}

// open opens one target; words name it in the command that goes on.
func (t *Audited) open(ctx context.Context, out Output, options migration.Options, target session.Target, words Words) (session.Source, error) {
	source, err := session.Audit(ctx, target, session.Options{Actor: Actor(), Live: out.Err,
		Choices: session.Choices{Options: options, EndState: rke2checks.EndState(t.endState), RKE: session.RKEChoices{Binary: t.rkeBinary}}})
	if err != nil || target.Kind == session.APIOnly {
		return source, err
	}
	return goingOn{source, words.by(out.Program)}, nil
}

// rke are the same flags as the rke commands have them.
func (t *Audited) rke(cluster string) *RKE {
	return &RKE{Config: t.config, cluster: cluster, kubeconfig: t.kubeconfig, kubeContext: t.kubeContext,
		downstreamKubeconfig: t.downstreamKubeconfig, requestTimeout: t.requestTimeout, binary: t.rkeBinary}
}

// goingOn says with which command a migration goes on.
type goingOn struct {
	session.Source
	words Words
}

// Read implements session.Source.
func (s goingOn) Read(ctx context.Context) (session.Reading, error) {
	seen, err := s.Source.Read(ctx)
	if seen.GoesOn {
		seen.Next = s.words.Plan()
	}
	return seen, err
}
