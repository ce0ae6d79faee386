package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
)

// Audited are the flags that say which cluster is audited, how it is reached and what
// its checks judge.
type Audited struct {
	reachFlags
	set       *pflag.FlagSet
	config    string
	rkeBinary string
	endState  string
	checks    migrationFlags
}

// Register adds the flags.
func (t *Audited) Register(flags *pflag.FlagSet) {
	t.set = flags
	t.checks.registerChecks(flags)
	flags.StringVar(&t.cluster, "cluster", "", "cluster in Rancher: the name of its Cluster object; of an RKE cluster its id (c-xxxxx) or name")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "namespace of the Cluster object")
	flags.StringVar(&t.config, "config", "", "cluster.yml of an RKE cluster")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster to audit; with --cluster: of the one Rancher runs in (default there: $KUBECONFIG, then ~/.kube/config); with --config the default is kube_config_<file> beside it")
	flags.StringVar(&t.kubeContext, "context", "", "context in it")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "with --cluster: kubeconfig of the cluster itself (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
	flags.StringVar(&t.rkeBinary, "rke-binary", "", "with --config: rke binary (default: rke in PATH)")
	flags.StringVar(&t.endState, "end-state", "auto", "auto|external|overrides: of an RKE2 cluster that is to be migrated")
}

// Options are those of the checks. An audit that prepares no installation only looks.
func (t *Audited) Options(out Output, lookOnly bool) (migration.Options, error) {
	t.checks.lookOnly, t.checks.say = lookOnly, out.Say
	options, err := t.checks.options("")
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
func (t *Audited) Open(ctx context.Context, out Output, options migration.Options) (Source, error) {
	switch {
	case t.cluster != "" && t.config != "":
		return nil, fault.AsUsage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.config != "":
		return t.openFile(ctx, out, options)
	case t.cluster != "":
		return t.openManaged(ctx, out, options)
	case t.kubeconfig == "" && t.kubeContext == "":
		return nil, fault.AsUsage(errors.New("no cluster is named: wanted --cluster NAME, --config cluster.yml, --kubeconfig FILE or --from FILE"))
	}
	return t.openAPIOnly(options)
}

// openManaged looks for an RKE2 cluster of that name, then for one of RKE.
func (t *Audited) openManaged(ctx context.Context, out Output, options migration.Options) (Source, error) {
	migrating := t.checks
	migrating.installMethod = string(migration.InstallHelm)
	flags := &RKE2{target: t.reachFlags, migration: migrating, endState: t.endState}
	first, err := opened(flags.Open(ctx, out, ReadOnly))
	switch {
	case isReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized):
		return t.openPartial(ctx, options, err)
	case !isReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher):
		return first, err
	}
	second, rkeErr := opened(t.rke(t.cluster).Open(ctx, out, ReadOnly))
	switch {
	case isReason(rkeErr, migration.ReasonClusterNotFound, migration.ReasonNotRancher, managed.ReasonNotRKE):
		return nil, err
	case isReason(rkeErr, fault.ReasonForbidden, fault.ReasonUnauthorized):
		return t.openManagedPartial(ctx, options, rkeErr)
	}
	return second, rkeErr
}

func isReason(err error, reasons ...string) bool {
	f, ok := fault.As(err)
	if !ok {
		return false
	}
	for _, reason := range reasons {
		if f.Reason == reason {
			return true
		}
	}
	return false
}

// rke are the same flags as the rke commands have them.
func (t *Audited) rke(cluster string) *RKE {
	f := &RKE{Config: t.config, cluster: cluster, kubeconfig: t.kubeconfig, kubeContext: t.kubeContext,
		downstreamKubeconfig: t.downstreamKubeconfig, set: t.set, requestTimeout: t.requestTimeout, migration: t.checks, binary: t.rkeBinary}
	f.migration.installMethod = string(migration.InstallHelm)
	return f
}

func opened(s *Session, err error) (Source, error) {
	if err != nil {
		return nil, err
	}
	return s.Source(clock.RealClock{}), nil
}

// openAPIOnly is any cluster of which only the API is known.
func (t *Audited) openAPIOnly(options migration.Options) (Source, error) {
	if t.requestTimeout <= 0 {
		return nil, fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", t.requestTimeout))
	}
	config, err := reach{t.requestTimeout, ReadOnly}.load(t.kubeconfig, t.kubeContext)
	if err != nil {
		return nil, err
	}
	return &apiSource{api: audit.APIOnly{Config: config, Clock: clock.RealClock{}, Options: options},
		name: contextName(t.kubeconfig, t.kubeContext), clock: clock.RealClock{}}, nil
}

// contextName is the name of the context in use, for people.
func contextName(path, kubeContext string) string {
	if kubeContext != "" {
		return kubeContext
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	if raw, err := rules.Load(); err == nil && raw.CurrentContext != "" {
		return raw.CurrentContext
	}
	return kubeconfigName(path)
}
