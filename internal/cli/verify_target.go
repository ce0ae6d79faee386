package cli

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
	"github.com/awsmigrate/awsmigrate/pkg/rke"
)

// verifyTarget says which cluster is audited, and how it is reached.
type verifyTarget struct {
	targetFlags
	set       *pflag.FlagSet
	config    string
	rkeBinary string
	endState  string
	checks    *migrationFlags
}

func (t *verifyTarget) register(flags *pflag.FlagSet, checks *migrationFlags) {
	t.set, t.checks = flags, checks
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

// given says whether a cluster was named.
func (t *verifyTarget) given() bool {
	return t.cluster != "" || t.config != "" || t.kubeconfig != "" || t.kubeContext != "" || t.downstreamKubeconfig != ""
}

// open connects to the cluster, read-only, and proves that it is the one named.
func (t *verifyTarget) open(ctx context.Context, a *app, options migration.Options) (source, error) {
	switch {
	case t.cluster != "" && t.config != "":
		return nil, usage(errors.New("flags --cluster and --config: wanted one of them"))
	case t.config != "":
		return t.openFile(ctx, a, options)
	case t.cluster != "":
		return t.openManaged(ctx, a, options)
	case t.kubeconfig == "" && t.kubeContext == "":
		return nil, usage(errors.New("no cluster is named: wanted --cluster NAME, --config cluster.yml, --kubeconfig FILE or --from FILE"))
	}
	return t.openPlain(options)
}

// openManaged looks for an RKE2 cluster of that name, then for one of RKE.
func (t *verifyTarget) openManaged(ctx context.Context, a *app, options migration.Options) (source, error) {
	migrating := *t.checks
	migrating.installMethod = string(migration.InstallHelm)
	flags := &rke2Flags{target: t.targetFlags, migration: migrating, endState: t.endState}
	first, err := opened(flags.open(ctx, a, readOnly))
	switch {
	case isReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized):
		return t.openPartly(ctx, options, err)
	case !isReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher):
		return first, err
	}
	second, rkeErr := opened(t.rke(t.cluster).open(ctx, a, readOnly))
	switch {
	case isReason(rkeErr, migration.ReasonClusterNotFound, migration.ReasonNotRancher, rke.ReasonNotRKE):
		return nil, err
	case isReason(rkeErr, fault.ReasonForbidden, fault.ReasonUnauthorized):
		return t.openManagedPartly(ctx, options, rkeErr)
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
func (t *verifyTarget) rke(cluster string) *rkeFlags {
	f := &rkeFlags{config: t.config, cluster: cluster, kubeconfig: t.kubeconfig, kubeContext: t.kubeContext,
		downstreamKubeconfig: t.downstreamKubeconfig, set: t.set, requestTimeout: t.requestTimeout, migration: *t.checks, binary: t.rkeBinary}
	f.migration.installMethod = string(migration.InstallHelm)
	return f
}

func opened(s *session, err error) (source, error) {
	if err != nil {
		return nil, err
	}
	procedure, ok := s.procedure.(auditable)
	if !ok {
		return nil, fmt.Errorf("a procedure %T cannot be audited", s.procedure)
	}
	return &procedureSource{procedure: procedure, session: s, clock: clock.RealClock{}}, nil
}

// openPlain is any cluster of which only the API is known.
func (t *verifyTarget) openPlain(options migration.Options) (source, error) {
	if t.requestTimeout <= 0 {
		return nil, usage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", t.requestTimeout))
	}
	config, err := reach{t.requestTimeout, readOnly}.load(t.kubeconfig, t.kubeContext)
	if err != nil {
		return nil, err
	}
	return &plainSource{plain: migration.Plain{Config: config, Clock: clock.RealClock{}, Options: options},
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
