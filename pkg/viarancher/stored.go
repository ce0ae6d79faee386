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

// StoredKubeconfig is the kubeconfig that Rancher stores for every cluster that was ready
// once, in the Secret <name>-kubeconfig next to its Cluster of provisioning.cattle.io. The
// token belongs to a user that Rancher created
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5,
// updateStatus).
type StoredKubeconfig struct {
	Kube            kubernetes.Interface // of the management cluster
	Namespace, Name string               // of the Cluster
	ID              string               // its status.clusterName
	Clock           clock.Clock
}

// Object names the Secret for people.
func (k StoredKubeconfig) Object() string {
	return fmt.Sprintf("Secret %s/%s", k.Namespace, k.secret())
}

func (k StoredKubeconfig) secret() string { return k.Name + "-kubeconfig" }

// Config returns a client configuration from the Secret. Its address is Rancher's internal one
// and may be unreachable from here. When Rancher's address or CA, or those of the cluster,
// change, Rancher deletes the Secret with its token and creates both anew
// (rancher/rancher#41002). A request that is refused with the old token is repeated with the
// new one.
func (k StoredKubeconfig) Config(ctx context.Context) (*rest.Config, error) {
	config, err := k.read(ctx)
	if err != nil {
		return nil, err
	}
	config.Wrap((&refresher{stored: k, first: config.BearerToken, current: access{config: rest.CopyConfig(config)}}).wrap)
	return config, nil
}

func (k StoredKubeconfig) read(ctx context.Context) (*rest.Config, error) {
	secret, err := k.Kube.CoreV1().Secrets(k.Namespace).Get(ctx, k.secret(), metav1.GetOptions{})
	if err != nil {
		return nil, migration.CouldNotRead(k.Object(), err)
	}
	config, err := parseKubeconfig(secret.Data["value"], k.Object())
	if err != nil {
		return nil, err
	}
	return config, k.checkAddress(config.Host)
}

// checkAddress returns an error unless host is Rancher's proxy path of this cluster, which is
// <internal-server-url>/k8s/clusters/<status.clusterName> in every release. Rancher itself
// rejects any other address
// (rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go@v2.6.0 and @v2.8.5 and
// @v2.12.0, getKubeConfigData and kubeConfigValid). Rancher's host name is not known here.
func (k StoredKubeconfig) checkAddress(host string) error {
	server, err := url.Parse(host)
	if err == nil && k.ID != "" && strings.HasSuffix(strings.TrimSuffix(server.Path, "/"), clustersPath+k.ID) {
		return nil
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: ReasonRefused, Object: k.Object(),
		Seen:   "its kubeconfig leads to " + fault.Server(host),
		Wanted: "what Rancher writes there: its own address, ending in " + clustersPath + migration.OrElse(k.ID, "<id>, which this Cluster does not have yet"),
		Fix:    "find out who changed the Secret; a kubeconfig that you trust, of any kind: --downstream-kubeconfig"}
}
