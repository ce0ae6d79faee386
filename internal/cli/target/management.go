package target

import (
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/inventory/look"
	"github.com/awsmigrate/awsmigrate/internal/session"
)

// Management holds the flags that reach the cluster in which Rancher runs.
type Management struct{ reach }

// Object returns the namespace and the name of the cluster's object, from either form of --cluster.
func (m *Management) Object() (namespace, name string) { return m.object() }

// Config returns a client configuration.
func (m *Management) Config() (*rest.Config, error) {
	return kubeconfig.Server(m.Kubeconfig, m.Context).Load()
}

// ReadWrite returns the client configuration of a command that writes and ends.
func (m *Management) ReadWrite() (*rest.Config, error) {
	config, err := m.Config()
	if err != nil {
		return nil, err
	}
	config.Timeout, config.UserAgent, config.WarningHandler = m.RequestTimeout, "awsmigrate", rest.NoWarnings{}
	return config, nil
}

// ReadOnly returns a client configuration whose transport refuses writes.
func (m *Management) ReadOnly() (*rest.Config, error) {
	return session.LookOnly(kubeconfig.Server(m.Kubeconfig, m.Context), m.RequestTimeout)
}

// Rancher returns the Rancher in that cluster, with the clusters of one namespace.
func (m *Management) Rancher(namespace string) look.Rancher {
	return look.Rancher{Server: kubeconfig.Server(m.Kubeconfig, m.Context), RequestTimeout: m.RequestTimeout, Namespace: namespace}
}
