package scenario

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// States of the connection through Rancher's proxy to the cluster.
const (
	ProxyOpen   = "open"
	ProxyCut    = "cut"    // 503
	ProxySilent = "silent" // no answer
)

// Proxy sets the state of Rancher's proxy. If it is open, Proxy also waits for the connection.
func (l *Lab) Proxy(ctx context.Context, state string) error {
	if err := l.run(ctx, "proxy", state); err != nil || state != ProxyOpen {
		return err
	}
	return Until(ctx, "the cluster's agent to be connected to Rancher", func(ctx context.Context) (bool, string, error) {
		plane, err := l.ControlPlane(ctx)
		if err != nil {
			return false, "", err
		}
		connected, _, err := unstructured.NestedBool(plane.Object, "status", "agentConnected")
		return connected, "it is not connected", err
	})
}

// RevokeTokens makes Rancher refuse all existing tokens of its operator.
func (l *Lab) RevokeTokens(ctx context.Context) error { return l.run(ctx, "revoke-tokens", "operator") }

// Login puts a new token of the operator into the kubeconfig "rancher".
func (l *Lab) Login(ctx context.Context) error { return l.run(ctx, "login", "operator") }

func secrets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
}

// RotateKubeconfig deletes the Secret with Rancher's kubeconfig of the cluster, and waits for its
// replacement with another token. The old token is refused from then on.
func (l *Lab) RotateKubeconfig(ctx context.Context) error {
	inNamespace := l.Management.Resource(secrets()).Namespace(clusterNamespace)
	const name = clusterName + "-kubeconfig"
	old, err := inNamespace.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := inNamespace.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return Until(ctx, "Rancher to make Secret "+name+" anew", func(ctx context.Context) (bool, string, error) {
		now, err := inNamespace.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		before, after := tokenOf(old), tokenOf(now)
		return after != "" && after != before, "it has the old token", nil
	})
}

func tokenOf(secret *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(secret.Object, "data", "token")
	raw, _ := base64.StdEncoding.DecodeString(text)
	return string(raw)
}

// ServiceAccount is an administrator of the cluster whose tokens end with the Secret that they are
// bound to.
type ServiceAccount struct {
	lab  *Lab
	name string
}

// NewServiceAccount creates an account.
func (l *Lab) NewServiceAccount(ctx context.Context, name string) (ServiceAccount, error) {
	account := ServiceAccount{lab: l, name: name}
	_, err := l.Downstream.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return account, err
	}
	_, err = l.Downstream.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: name}},
	}, metav1.CreateOptions{})
	return account, err
}

// Login writes a kubeconfig with a new token of the account and returns its path, which is always
// the same.
func (a ServiceAccount) Login(ctx context.Context) (string, error) {
	secret, err := a.lab.Downstream.CoreV1().Secrets("default").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: a.name}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	hour := int64(time.Hour / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hour,
		BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Secret", Name: secret.Name, UID: secret.UID}}}
	made, err := a.lab.Downstream.CoreV1().ServiceAccounts("default").CreateToken(ctx, a.name, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	kubeconfig, err := clientcmd.LoadFromFile(a.lab.Kubeconfig("downstream"))
	if err != nil {
		return "", err
	}
	for _, user := range kubeconfig.AuthInfos {
		user.Token = made.Status.Token
	}
	return a.file(), clientcmd.WriteToFile(*kubeconfig, a.file())
}

func (a ServiceAccount) file() string {
	return filepath.Join(a.lab.Dir, "kubeconfig", a.name+".yaml")
}

// Revoke ends all tokens of the account. It waits until the API server, which caches a valid token
// for some seconds, refuses them.
func (a ServiceAccount) Revoke(ctx context.Context) error {
	if err := a.lab.Downstream.CoreV1().Secrets("default").Delete(ctx, a.name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", a.file())
	if err != nil {
		return err
	}
	return awaitRefusal(ctx, config, "the token of "+a.name)
}

// awaitRefusal waits until an API server answers 401.
func awaitRefusal(ctx context.Context, config *rest.Config, what string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return Until(ctx, what+" to be refused", func(ctx context.Context) (bool, string, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
		return apierrors.IsUnauthorized(err), fmt.Sprint(err), nil
	})
}

// DeleteGrant removes the Role and the RoleBinding that let kube-controller-manager use the
// migration lease.
func (l *Lab) DeleteGrant(ctx context.Context) error {
	_, err := l.Kubectl(ctx, "", "-n", "kube-system", "delete", "role,rolebinding", "awsmigrate-leader-migration")
	return err
}

// StartAs runs Start with another of the lab's kubeconfigs.
func (l *Lab) StartAs(ctx context.Context, kubeconfig string, out io.Writer, args ...string) (*Run, error) {
	return l.startAs(ctx, kubeconfig, out, args...)
}
