package cluster

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
)

// throughRancher maps users to their kubeconfigs that use Rancher.
var throughRancher = map[string]string{UserOperator: "rancher", UserViewer: "rancher-viewer"}

// setProxy breaks or repairs Rancher's connection to the downstream cluster.
func (l *Lab) setProxy(_ context.Context, order Order) (string, error) {
	if l.rancher == nil {
		return "", errNoRancher
	}
	if err := l.rancher.Proxy(order.State); err != nil {
		return "", err
	}
	return "the way through Rancher to the downstream cluster is " + order.State, nil
}

// revoke makes Rancher refuse every token that a user has so far.
func (l *Lab) revoke(_ context.Context, order Order) (string, error) {
	_, user, err := l.rancherUser(order.Target)
	if err != nil {
		return "", err
	}
	l.rancher.Revoke(user)
	return fmt.Sprintf("Rancher refuses every token that %s has so far", order.Target), nil
}

// login writes a user's kubeconfig with a new token.
func (l *Lab) login(_ context.Context, order Order) (string, error) {
	name, user, err := l.rancherUser(order.Target)
	if err != nil {
		return "", err
	}
	fresh := rest.CopyConfig(user)
	fresh.BearerToken = l.rancher.Login(user)
	path := l.files.Kubeconfig(name)
	return "wrote " + path, writeKubeconfig(path, name, fresh)
}

// rancherUser returns a user's kubeconfig, and its client configuration with the token that the
// API servers accept.
func (l *Lab) rancherUser(name string) (string, *rest.Config, error) {
	file, known := throughRancher[name]
	switch {
	case l.rancher == nil:
		return "", nil, errNoRancher
	case !known:
		return "", nil, fmt.Errorf("user %q has no kubeconfig through Rancher; %s and %s have", name, UserOperator, UserViewer)
	}
	return file, l.secrets.config(l.secrets.rancher.CertificatePEM(), "https://"+l.addr.Proxy()+"/k8s/clusters/local", name), nil
}

var errNoRancher = errors.New("the lab has no Rancher, or not yet")
