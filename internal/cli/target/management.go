package target

import "k8s.io/client-go/rest"

// Management holds the flags by which the cluster that Rancher runs in is reached.
type Management struct{ reach }

// Config returns the configuration of a client.
func (m *Management) Config() (*rest.Config, error) {
	return kubeconfig(m.Kubeconfig, m.Context).Load()
}
