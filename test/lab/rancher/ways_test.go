package rancher

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// way returns a client that uses the proxy as the kubeconfig Secret says.
func (f *fixture) way(timeout time.Duration) (kubernetes.Interface, *rest.Config) {
	f.t.Helper()
	s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(f.t.Context(), "demo-kubeconfig", metav1.GetOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(s.Data["value"])
	if err != nil {
		f.t.Fatal(err)
	}
	config.Timeout = timeout
	return kubernetes.NewForConfigOrDie(config), config
}

func nodesBy(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	return err
}

// tokensEnd checks that a deleted kubeconfig Secret is recreated with another token, which ends
// the old one, and that a user's tokens end together, except later ones.
func (f *fixture) tokensEnd() {
	ctx := f.t.Context()
	old, config := f.way(0)
	if err := nodesBy(ctx, old); err != nil || config.BearerToken == f.cfg.Token {
		f.t.Fatalf("with the Secret's token, which is Rancher's own: %v", err)
	}
	if err := f.mgmt.CoreV1().Secrets("fleet-default").Delete(ctx, "demo-kubeconfig", metav1.DeleteOptions{}); err != nil {
		f.t.Fatal(err)
	}
	f.await("a Secret with another token", func(ctx context.Context) (string, bool) {
		s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(ctx, "demo-kubeconfig", metav1.GetOptions{})
		return fmt.Sprint(err), err == nil && string(s.Data["token"]) != config.BearerToken
	})
	if err := nodesBy(ctx, old); !apierrors.IsUnauthorized(err) {
		f.t.Errorf("the old token: %v", err)
	}
	fresh, _ := f.way(0)
	if err := nodesBy(ctx, fresh); err != nil {
		f.t.Errorf("the new token: %v", err)
	}
	user := &rest.Config{BearerToken: "viewer-token"}
	before := f.Login(user)
	f.Revoke(user)
	after := f.Login(user)
	for token, want := range map[string]func(error) bool{before: apierrors.IsUnauthorized, "viewer-token": apierrors.IsUnauthorized, after: apierrors.IsForbidden} {
		as := rest.CopyConfig(config)
		as.BearerToken = token
		if err := nodesBy(ctx, kubernetes.NewForConfigOrDie(as)); !want(err) {
			f.t.Errorf("token %d: %v", slices.Index([]string{before, "viewer-token", after}, token), err)
		}
	}
}

// ways checks that a cut connection answers 503 and a silent one does not answer, only to the
// downstream cluster, and that both work again once it is open.
func (f *fixture) ways() {
	ctx := f.t.Context()
	client, config := f.way(2 * time.Second)
	local := rest.CopyConfig(config)
	local.Host = "https://" + f.cfg.ProxyAddress + proxyPrefix + localManagementName
	if err := f.Proxy("shut"); err == nil {
		f.t.Error("no error for a state that there is not")
	}
	for state, is := range map[string]func(error) bool{
		ProxyCut:  apierrors.IsServiceUnavailable,
		ProxyHang: func(err error) bool { return err != nil && !apierrors.IsServiceUnavailable(err) },
	} {
		if err := f.Proxy(state); err != nil {
			f.t.Fatal(err)
		}
		for range 2 { // the agent's pods run all the time
			if err := nodesBy(ctx, client); !is(err) {
				f.t.Errorf("%s: %v", state, err)
			}
			if err := nodesBy(ctx, kubernetes.NewForConfigOrDie(local)); err != nil {
				f.t.Errorf("%s: local: %v", state, err)
			}
		}
		if err := f.Proxy(ProxyOpen); err != nil {
			f.t.Fatal(err)
		}
		f.await("the way to be open", func(ctx context.Context) (string, bool) {
			err := nodesBy(ctx, client)
			return fmt.Sprint(err), err == nil
		})
	}
	f.awaitSettled()
}

// mirrored checks that a management Cluster has a provisioning Cluster, and once it is ready a
// kubeconfig for it.
func (f *fixture) mirrored() {
	ctx := f.t.Context()
	m := newObject(gvrManagementCluster, "Cluster", "", "c-7kq2x")
	m.Object["spec"] = map[string]any{"displayName": "old", "fleetWorkspaceName": "fleet-default"}
	if _, err := f.ensure(ctx, gvrManagementCluster, m); err != nil {
		f.t.Fatal(err)
	}
	f.await("the mirror", func(ctx context.Context) (string, bool) {
		c, err := f.get(ctx, gvrCluster, "fleet-default", "c-7kq2x")
		return fmt.Sprint(c, err), err == nil && c != nil && str(c, "status", "clusterName") == "c-7kq2x" && !boolean(c, "status", "ready")
	})
	if _, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(ctx, "c-7kq2x-kubeconfig", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		f.t.Errorf("a kubeconfig before the cluster was ready: %v", err)
	}
	err := f.mutateStatus(ctx, gvrManagementCluster, "", "c-7kq2x", func(o *object) error {
		return setCondition(o, condition{Type: "Ready", Status: "True"}, f.cfg.Clock.Now(), false)
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.await("its kubeconfig", func(ctx context.Context) (string, bool) {
		s, err := f.mgmt.CoreV1().Secrets("fleet-default").Get(ctx, "c-7kq2x-kubeconfig", metav1.GetOptions{})
		return fmt.Sprint(err), err == nil && strings.Contains(string(s.Data["value"]), "/k8s/clusters/c-7kq2x")
	})
	if err := f.remove(ctx, gvrManagementCluster, "", "c-7kq2x"); err != nil {
		f.t.Fatal(err)
	}
	if err := f.remove(ctx, gvrCluster, "fleet-default", "c-7kq2x"); err != nil {
		f.t.Fatal(err)
	}
}
