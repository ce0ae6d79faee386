package rancher

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig returns a kubeconfig with one context that uses the proxy. id is a management
// cluster's name, or "local" for the management cluster itself.
func (r *Rancher) Kubeconfig(id, token string) ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"cluster": {
			Server:                   "https://" + r.cfg.ProxyAddress + "/k8s/clusters/" + id,
			CertificateAuthorityData: r.cfg.Authority.CertificatePEM(),
		}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"default": {Cluster: "cluster", AuthInfo: "user"}},
		CurrentContext: "default",
	})
}

// ensureKubeconfig keeps the Secret <cluster>-kubeconfig. A deleted one is recreated with a new
// token, and the old token is then refused. Source:
// rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go@v2.8.5 (createUserToken).
func (r *Rancher) ensureKubeconfig(ctx context.Context, c *object, id string) error {
	ns, name := c.GetNamespace(), c.GetName()+"-kubeconfig"
	_, err := r.mgmt.CoreV1().Secrets(ns).Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	r.tokens.revokeOne(r.issuedTokens[ns+"/"+name])
	token := r.tokens.issue(r.cfg.Token)
	r.issuedTokens[ns+"/"+name] = token
	value, err := r.Kubeconfig(id, token)
	if err != nil {
		return err
	}
	_, err = r.mgmt.CoreV1().Secrets(ns).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: ns, Name: name, Labels: map[string]string{labelCAPICluster: c.GetName()},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: c.GetAPIVersion(), Kind: c.GetKind(), Name: c.GetName(), UID: c.GetUID()}},
		},
		Data: map[string][]byte{"value": value, "token": []byte(token)},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating Secret %s/%s: %w", ns, name, err)
	}
	return nil
}
