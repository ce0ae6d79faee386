package rancher

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// Supported returns an error for clusters that this procedure cannot migrate. It must run
// before awsmigrate reads the downstream cluster.
func Supported(f Facts) error {
	refuse := func(reason, seen, fix string) error {
		return &fault.Error{Class: fault.Check, Reason: reason, Object: f.ObjectName(), Seen: seen,
			Wanted: "an RKE2 cluster on AWS that Rancher provisioned", Fix: fix}
	}
	version := f.Cluster.Spec.KubernetesVersion
	switch {
	case f.Cluster.ManagementID == "local":
		return refuse("LocalCluster", "this is the cluster Rancher itself runs in", "")
	case !f.Cluster.HasRKEConfig:
		fix := "change it where it is configured"
		if f.Cluster.ManagementID == f.Cluster.Name { // mirror of a management.cattle.io Cluster
			fix += "; if Rancher runs rke for it: " + fault.Command("awsmigrate", "rke", "plan", "--cluster", f.Cluster.Name)
		}
		return refuse(config.ReasonNotProvisioned, "it has no spec.rkeConfig: an imported or hosted cluster, which Rancher does not configure", fix)
	case f.Cluster.K3s():
		return refuse("K3s", "it runs K3s "+version, "")
	case !strings.Contains(version, "+rke2"):
		return refuse("UnknownVersion", fmt.Sprintf("spec.kubernetesVersion is %q", version), "")
	case len(f.Machines) == 0:
		return refuse("NoMachines", "it has no Machines", "")
	}
	return nil
}

// K3s reports whether Rancher provisions the cluster with K3s.
func (c Cluster) K3s() bool { return strings.Contains(c.Spec.KubernetesVersion, "+k3s") }

// ObjectName returns the name of the Cluster object for messages.
func (f Facts) ObjectName() string {
	return fmt.Sprintf("Cluster %s/%s", f.Cluster.Namespace, f.Cluster.Name)
}
