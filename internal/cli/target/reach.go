package target

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// reach holds the flags that select a cluster and its connection.
type reach struct {
	Cluster        string        `flag:"cluster"`
	Namespace      string        `flag:"namespace"`
	Config         string        `flag:"config"` // cluster.yml
	Kubeconfig     string        `flag:"kubeconfig"`
	Context        string        `flag:"context"`
	Downstream     string        `flag:"downstream-kubeconfig"`
	RequestTimeout time.Duration `flag:"request-timeout"`
}

// defaultNamespace returns the namespace of clusters that Rancher's UI creates.
func defaultNamespace() string {
	o, _ := options.Find("namespace", options.RKE2)
	return o.Default
}

// object returns the namespace and the name of Rancher's Cluster object. list prints both as one word.
func (r reach) object() (namespace, name string) {
	if in, called, both := strings.Cut(r.Cluster, "/"); both {
		return in, called
	}
	return r.Namespace, r.Cluster
}

// rke2 returns the cluster as one that Rancher provisions.
func (r reach) rke2() session.Target {
	namespace, name := r.object()
	return session.Target{Kind: session.RKE2, Namespace: namespace, Name: name, RequestTimeout: r.RequestTimeout,
		Server: kubeconfig.Server(r.Kubeconfig, r.Context), Downstream: kubeconfig.Downstream(r.Downstream)}
}

// rke returns the cluster by its cluster.yml, or by its name in Rancher. Opening it fails if both
// are given.
func (r reach) rke() session.Target {
	_, name := r.object()
	t := session.Target{Kind: session.ClusterFile, File: r.Config, Name: name, RequestTimeout: r.RequestTimeout}
	if r.Cluster == "" {
		t.Server = kubeconfig.Server(r.kubeconfigPath(), r.Context)
		return t
	}
	t.Kind, t.Server, t.Downstream = session.RKE, kubeconfig.Server(r.Kubeconfig, r.Context), kubeconfig.Downstream(r.Downstream)
	return t
}

// kubeconfigPath returns rke's own file next to cluster.yml, never the current context: that may
// belong to another cluster.
func (r reach) kubeconfigPath() string {
	if r.Kubeconfig != "" {
		return r.Kubeconfig
	}
	return filepath.Join(filepath.Dir(r.Config), "kube_config_"+filepath.Base(r.Config))
}

// rke2Words returns the words that name a cluster of RKE2 in a next command.
func (r reach) rke2Words() Words {
	words := []string{"--cluster", r.Cluster}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, flag, value)
		}
	}
	if !strings.Contains(r.Cluster, "/") {
		add("--namespace", r.Namespace, defaultNamespace())
	}
	add("--kubeconfig", r.Kubeconfig, "")
	add("--context", r.Context, "")
	add("--downstream-kubeconfig", r.Downstream, "")
	return Words{Command: "rke2", Args: words}
}

// rkeWords returns the words that name a cluster of RKE in a next command.
func (r reach) rkeWords() Words {
	var words []string
	for _, flag := range []struct{ name, value string }{
		{"--config", r.Config}, {"--cluster", r.Cluster}, {"--downstream-kubeconfig", r.Downstream}, {"--kubeconfig", r.Kubeconfig}, {"--context", r.Context},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	return Words{Command: "rke", Args: words}
}
