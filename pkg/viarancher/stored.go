package viarancher

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Kept is the kubeconfig that Rancher keeps for a cluster that was ready once, of
// whatever kind: Secret <name>-kubeconfig beside its Cluster of provisioning.cattle.io,
// with the token of a user of Rancher's own
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5,
// updateStatus).
type Kept struct {
	Kube            kubernetes.Interface // the management cluster
	Namespace, Name string               // of the Cluster
	ID              string               // its status.clusterName
	Clock           clock.Clock
}

// Object is the Secret, for people.
func (k Kept) Object() string { return fmt.Sprintf("Secret %s/%s", k.Namespace, k.secret()) }

func (k Kept) secret() string { return k.Name + "-kubeconfig" }

// Config is the way to the cluster that the Secret names. Its address is Rancher's
// internal one and may be out of reach from here. Rancher deletes the Secret, and the
// token with it, and makes both anew when its own address, CA or that of the cluster
// change (rancher/rancher#41002): a request that is refused with the old one is
// repeated with the new one.
func (k Kept) Config(ctx context.Context) (*rest.Config, error) {
	config, err := k.read(ctx)
	if err != nil {
		return nil, err
	}
	config.Wrap((&renewal{kept: k, first: config.BearerToken, now: way{config: rest.CopyConfig(config)}}).wrap)
	return config, nil
}

// read reads the Secret as it is now.
func (k Kept) read(ctx context.Context) (*rest.Config, error) {
	secret, err := k.Kube.CoreV1().Secrets(k.Namespace).Get(ctx, k.secret(), metav1.GetOptions{})
	if err != nil {
		return nil, migration.CouldNotRead(k.Object(), err)
	}
	config, err := handedOut(secret.Data["value"], k.Object())
	if err != nil {
		return nil, err
	}
	return config, k.leadsHere(config.Host)
}

// leadsHere refuses an address that is not Rancher's way to this cluster, which is
// <internal-server-url>/k8s/clusters/<status.clusterName> in every release; Rancher
// itself throws any other away
// (rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go@v2.6.0 and @v2.8.5 and
// @v2.12.0, getKubeConfigData and kubeConfigValid). Which host is Rancher's cannot be
// told from here.
func (k Kept) leadsHere(host string) error {
	server, err := url.Parse(host)
	if err == nil && k.ID != "" && strings.HasSuffix(strings.TrimSuffix(server.Path, "/"), clustersPath+k.ID) {
		return nil
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: ReasonRefused, Object: k.Object(),
		Seen:   "its kubeconfig leads to " + fault.Server(host),
		Wanted: "what Rancher writes there: its own address, ending in " + clustersPath + migration.OrElse(k.ID, "<id>, which this Cluster does not have yet"),
		Fix:    "find out who changed the Secret; a kubeconfig that you trust, of any kind: --downstream-kubeconfig"}
}
