package target

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// reachFlags say which cluster, and how to reach it.
type reachFlags struct {
	kubeconfig, kubeContext string
	downstreamKubeconfig    string
	cluster, namespace      string
	requestTimeout          time.Duration
}

// defaultNamespace is where Rancher keeps the clusters that its UI makes.
const defaultNamespace = "fleet-default"

func (t *reachFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&t.cluster, "cluster", "", "name of Rancher's Cluster object (required)")
	flags.StringVarP(&t.namespace, "namespace", "n", defaultNamespace, "its namespace")
	flags.StringVar(&t.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster Rancher runs in (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&t.kubeContext, "context", "", "context in it")
	flags.StringVar(&t.downstreamKubeconfig, "downstream-kubeconfig", "", "kubeconfig of the cluster to migrate (default: through Rancher)")
	flags.DurationVar(&t.requestTimeout, "request-timeout", 30*time.Second, "longest time for one API request")
}

// Access says what a command may do on the API servers.
type Access int

const (
	// ReadOnly refuses every write except access reviews and dry runs, in the
	// transport, whatever the code above it tries.
	ReadOnly Access = iota
	// ReadWrite lets everything through.
	ReadWrite
)

// connect builds clients for both API servers.
func (t *reachFlags) connect(ctx context.Context, may Access) (rancher.Clients, error) {
	if t.cluster == "" {
		return rancher.Clients{}, fault.AsUsage(errors.New("flag --cluster is required: the name of a Cluster object of Rancher"))
	}
	if t.requestTimeout <= 0 {
		return rancher.Clients{}, fault.AsUsage(fmt.Errorf("flag --request-timeout: %s, wanted more than 0", t.requestTimeout))
	}
	management, err := t.load(t.kubeconfig, t.kubeContext, may)
	if err != nil {
		return rancher.Clients{}, err
	}
	var clients rancher.Clients
	if clients.Management, err = dynamic.NewForConfig(management); err != nil {
		return clients, fault.AsUsage(err)
	}
	if clients.ManagementKube, err = kubernetes.NewForConfig(management); err != nil {
		return clients, fault.AsUsage(err)
	}
	downstream, err := t.downstream(ctx, management, clients, may)
	if err != nil {
		return clients, err
	}
	clients.DownstreamConfig = downstream
	if clients.Downstream, err = kubernetes.NewForConfig(downstream); err != nil {
		return clients, fault.AsUsage(err)
	}
	clients.DownstreamDynamic, err = dynamic.NewForConfig(downstream)
	return clients, fault.AsUsage(err)
}

func (t *reachFlags) downstream(ctx context.Context, management *rest.Config, clients rancher.Clients, may Access) (*rest.Config, error) {
	if t.downstreamKubeconfig != "" {
		return t.load(t.downstreamKubeconfig, "", may)
	}
	cluster, err := rancher.FindCluster(ctx, clients.Management, t.namespace, t.cluster)
	if err != nil {
		return nil, err
	}
	config, err := rancher.DownstreamConfig(ctx, management, clients.ManagementKube, cluster)
	if err != nil {
		return nil, err
	}
	t.tune(config, may)
	return config, nil
}

// reach says how API servers are reached.
type reach struct {
	timeout time.Duration // longest time for one request
	may     Access
}

func (t *reachFlags) load(path, kubeContext string, may Access) (*rest.Config, error) {
	return reach{t.requestTimeout, may}.load(path, kubeContext)
}

func (t *reachFlags) tune(config *rest.Config, may Access) {
	reach{t.requestTimeout, may}.tune(config)
}

// load reads a kubeconfig the way kubectl does.
func (r reach) load(path, kubeContext string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: kubeContext}).ClientConfig()
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "NoKubeconfig", Object: kubeconfigName(path),
			Seen: "cannot be used", Fix: "name one with --kubeconfig, a context with --context", Err: err}
	}
	r.tune(config)
	return config, nil
}

func kubeconfigName(path string) string {
	if path == "" {
		return "kubeconfig"
	}
	return fmt.Sprintf("kubeconfig %s", path)
}

// tune sets what every client here needs: a bound on each request, a name in
// audit logs, and for commands that only read a transport that cannot write.
func (r reach) tune(config *rest.Config) {
	config.Timeout = r.timeout
	config.UserAgent = "awsmigrate"
	config.QPS, config.Burst = 50, 100
	config.WarningHandler = rest.NoWarnings{}
	if r.may == ReadOnly {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	}
}
