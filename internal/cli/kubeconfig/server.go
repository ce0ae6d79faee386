// Package kubeconfig finds API servers as kubectl does, and says why one cannot be found.
package kubeconfig

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/internal/session"
)

// Server returns an API server as kubectl finds it: by the named file, by $KUBECONFIG, by
// ~/.kube/config, or by the service account of the pod.
func Server(path, kubeContext string) session.Server {
	return serverBy("--kubeconfig", path, kubeContext)
}

// serverBy returns Server(path, kubeContext) for the flag that names the file.
func serverBy(flag, path, kubeContext string) session.Server {
	return session.Server{Load: func() (*rest.Config, error) {
		config, err := clientConfig(path, kubeContext)
		if err != nil {
			return nil, unusable(flag, path, kubeContext, err)
		}
		return config, nil
	}, Context: func() string { return ContextName(path, kubeContext) }}
}

// Downstream returns the server of --downstream-kubeconfig, or no server if path is empty.
func Downstream(path string) session.Server {
	if path == "" {
		return session.Server{}
	}
	return serverBy("--downstream-kubeconfig", path, "")
}

func clientConfig(path, kubeContext string) (*rest.Config, error) {
	overrides := &clientcmd.ConfigOverrides{CurrentContext: kubeContext}
	if path == "" {
		return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), overrides).ClientConfig()
	}
	// A named file without content must not fall back to the pod's own cluster.
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	file, err := rules.Load()
	if err != nil {
		return nil, err
	}
	return clientcmd.NewNonInteractiveClientConfig(*file, kubeContext, overrides, rules).ClientConfig()
}

func fileName(path string) string {
	if path == "" {
		return "kubeconfig"
	}
	return fmt.Sprintf("kubeconfig %s", path)
}

// ContextName returns the name of the current context, for people.
func ContextName(path, kubeContext string) string {
	if kubeContext != "" {
		return kubeContext
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	if raw, err := rules.Load(); err == nil && raw.CurrentContext != "" {
		return raw.CurrentContext
	}
	return fileName(path)
}
