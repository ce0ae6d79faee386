package target

import "k8s.io/client-go/rest"

// Management holds the flags that reach the cluster in which Rancher runs.
type Management struct{ reach }

// Object returns the namespace and the name of the cluster's object, from either form of --cluster.
func (m *Management) Object() (namespace, name string) { return m.object() }

// Config returns a client configuration.
func (m *Management) Config() (*rest.Config, error) {
	return kubeconfig(m.Kubeconfig, m.Context).Load()
}
