package rancher

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// RegisterCustom creates the Machine of a node that registered itself with a cluster without
// pools. The stand-in sets Name, UID and Pool of m. A NodeName becomes the label that puts
// node-name into the node's configuration. The Infrastructure is not involved. Source:
// rancher/rancher:pkg/controllers/capr/unmanaged/controller.go@v2.8.5.
func (r *Rancher) RegisterCustom(ctx context.Context, m Machine) (Machine, error) {
	m.Name = "custom-" + utilrand.String(12)
	if m.OS == "" {
		m.OS = "linux"
	}
	o := newObject(gvrMachine, "Machine", m.Namespace, m.Name)
	labels := map[string]string{labelCAPICluster: m.Cluster, labelClusterName: m.Cluster, labelOS: m.OS}
	for l, on := range map[string]bool{labelControlPlane: m.ControlPlane, labelEtcd: m.Etcd, labelWorker: m.Worker} {
		if on {
			labels[l] = "true"
		}
	}
	if m.NodeName != "" {
		labels[labelNodeName] = m.NodeName
	}
	o.SetLabels(labels)
	o.SetFinalizers([]string{finalizerMachine})
	o.Object["spec"] = machineSpec(m.Cluster, m.Name, "rke.cattle.io/v1", customMachine, m.Name)
	made, err := r.dyn.Resource(gvrMachine).Namespace(m.Namespace).Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return m, fmt.Errorf("registering a custom machine of %s/%s: %w", m.Namespace, m.Cluster, err)
	}
	m.UID = string(made.GetUID())
	return m, r.ensurePlanSecret(ctx, made)
}
