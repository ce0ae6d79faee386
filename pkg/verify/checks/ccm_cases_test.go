package checks

import (
	"errors"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// planImage plans a CCM with that image, in a cluster with its own registry.
func planImage(in *evidence.Input, image string, r downstream.Registry) {
	in.Planned = &downstream.DaemonSet{NodeSelector: map[string]string{"node-role.kubernetes.io/control-plane": "true"}, Tolerations: []downstream.Toleration{{Operator: "Exists"}},
		Containers: []downstream.Container{{Image: image}}}
	in.Registries = []downstream.Registry{r}
}

// matrix puts a version on every Node and an image on a CCM, and judges images by a model of the
// version skew policy. Its table of images ends at 1.36.
func matrix(in *evidence.Input, kubernetes, tag string) {
	in.Version = verify.Got(kubernetes)
	for i := range in.Nodes.Value {
		in.Nodes.Value[i].Kubelet = kubernetes
	}
	for i := range in.DaemonSets.Value {
		in.DaemonSets.Value[i].Containers[0].Image = "r/cloud-controller-manager:" + tag
	}
	minor := func(text string) int {
		v, err := component.ParseVersion(text)
		if err != nil {
			panic(err)
		}
		return v.Minor
	}
	in.ImageAllowed = func(image, oldest, newest string) error {
		v, err := component.ImageVersion(image)
		switch {
		case err != nil:
			return err
		case v.Minor > minor(oldest):
			return fmt.Errorf("newer than %s", oldest)
		case v.Minor+1 < minor(newest):
			return fmt.Errorf("too old for %s", newest)
		}
		return nil
	}
	in.ImageFor = func(kubernetes string) (string, error) {
		if minor(kubernetes) > 36 {
			return "", errors.New("no image is known for " + kubernetes)
		}
		return fmt.Sprintf("v1.%d.0", minor(kubernetes)), nil
	}
}

// bareFlag runs a CCM v1.27 with leader migration and without the file.
func bareFlag(in *evidence.Input, kubernetes, target string) {
	matrix(in, kubernetes, "v1.27.10")
	ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration")
	in.Target = target
}

// ccmCases returns the traps 6xx.
func ccmCases() []trap {
	const P0, P2, P3, P4, P5 = position.P0, position.P2, position.P3, position.P4, position.P5
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-601", "in default", P0, func(in *evidence.Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "default", Name: wellknown.CCM, Status: "deployed"}}
		}, fail, "deployed"},
		{"AWSM-601", "to be adopted", P0, func(in *evidence.Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "kube-system", Name: wellknown.CCM, Status: "deployed"}}
		}, warn, "deployed"},
		{"AWSM-602", "HelmChartConfig", P0, func(in *evidence.Input) {
			in.Charts.Value = []downstream.Chart{{Object: downstream.Object{Kind: "HelmChartConfig", Namespace: "kube-system", Name: wellknown.CCM}}}
		}, fail, "exists"},
		{"AWSM-603", "by hand", P0, func(in *evidence.Input) {
			in.CCMObjects.Value = []downstream.Object{{Kind: "ClusterRole", Name: "system:cloud-controller-manager"}}
		}, fail, "no Helm release"},
		{"AWSM-604", "zero pods", P3, func(in *evidence.Input) { d := &in.DaemonSets.Value[0]; d.Desired, d.Updated, d.Ready = 0, 0, 0 }, fail, "desired 0"},
		{"AWSM-604", "as many, one on a worker", P4, func(in *evidence.Input) { in.CCMPods.Value[2].Node = nodeName(4) }, fail, "no ready pod on " + nodeName(2)},
		{"AWSM-604", "two on one node", P3, func(in *evidence.Input) { in.CCMPods.Value[2].Node = nodeName(1) }, fail, "no ready pod on " + nodeName(2)},
		{"AWSM-604", "pods not visible", P4, func(in *evidence.Input) { in.CCMPods = verify.Failed[[]downstream.Pod](errForbidden) }, unknown, "forbidden"},
		{"AWSM-604", "a control plane that is off", P4, func(in *evidence.Input) {
			instance(in, 1, func(i *cloud.Instance) { i.State = "stopped" })
		}, fail, nodeName(1)},
		{"AWSM-604", "none", P4, func(in *evidence.Input) { in.DaemonSets.Value = nil }, fail, "0 DaemonSets"},
		{"AWSM-618", "left by a killed run", P4, func(in *evidence.Input) { in.DaemonSets.Value[0].OnDelete = true }, warn, "updateStrategy OnDelete"},
		{"AWSM-605", "upstream's default", P3, func(in *evidence.Input) {
			in.DaemonSets.Value[0].NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
		}, fail, "matches no"},
		{"AWSM-605", "planned one", P0, func(in *evidence.Input) {
			in.Planned = &downstream.DaemonSet{NodeSelector: map[string]string{"x": "y"}, Tolerations: []downstream.Toleration{{Operator: "Exists"}}}
		}, fail, "matches no"},
		{"AWSM-605", "everywhere", P3, func(in *evidence.Input) { in.DaemonSets.Value[0].NodeSelector = nil }, warn, "as well"},
		{"AWSM-606", "value true", P3, func(in *evidence.Input) {
			in.DaemonSets.Value[0].Tolerations = []downstream.Toleration{{Key: "node-role.kubernetes.io/control-plane", Value: "true", Effect: "NoSchedule"}}
		}, fail, "keeps"},
		{"AWSM-607", "too new", P3, func(in *evidence.Input) {
			in.ImageAllowed = func(string, string, string) error { return errors.New("newer than the API server") }
		}, fail, "newer"},
		{"AWSM-607", "too new for one control plane", P5, func(in *evidence.Input) {
			matrix(in, "v1.27.16+rke2r2", "v1.27.10")
			in.Nodes.Value[1].Kubelet = "v1.26.15+rke2r1"
		}, fail, "newer than v1.26.15+rke2r1"},
		{"AWSM-607", "too old", P5, func(in *evidence.Input) { matrix(in, "v1.28.15+rke2r1", "v1.26.14") }, fail, "too old for v1.28.15+rke2r1"},
		{"AWSM-607", "too old, in a run that may update it", P5, func(in *evidence.Input) {
			matrix(in, "v1.28.15+rke2r1", "v1.26.14")
			in.Preflight = true
		}, warn, "too old for v1.28.15+rke2r1"},
		{"AWSM-607", "one behind", P5, func(in *evidence.Input) { matrix(in, "v1.27.16+rke2r2", "v1.26.14") }, warn, "one minor version older"},
		{"AWSM-607", "one behind, before an upgrade", P5, func(in *evidence.Input) {
			matrix(in, "v1.27.16+rke2r2", "v1.26.14")
			in.Preflight, in.Target = true, "v1.28.15+rke2r1"
		}, fail, "too old for v1.28.15+rke2r1"},
		{"AWSM-607", "no image for the target", P5, func(in *evidence.Input) {
			matrix(in, "v1.36.3+rke2r1", "v1.36.1")
			in.Target = "v1.37.1+rke2r1"
		}, fail, "no image"},
		{"AWSM-607", "no image for the target of a run from P0", P0, func(in *evidence.Input) {
			matrix(in, "v1.26.15+rke2r1", "v1.26.14")
			in.Target = "v1.37.1+rke2r1"
		}, fail, "no image"},
		{"AWSM-607", "a given image is too new for the target", P5, func(in *evidence.Input) {
			matrix(in, "v1.27.16+rke2r2", "v1.27.10")
			in.Target, in.CCMImage = "v1.28.15+rke2r1", "r/ccm:v1.29.10"
		}, fail, "newer than v1.28.15+rke2r1"},
		{"AWSM-608", "refused", P2, func(in *evidence.Input) { in.Admission.Value = downstream.Admission{Message: "violates PodSecurity"} }, fail, "PodSecurity"},
		{"AWSM-608", "could not try", P2, func(in *evidence.Input) { in.Admission = verify.Failed[downstream.Admission](errForbidden) }, unknown, "forbidden"},
		{"AWSM-609", "undecided", P0, routed, fail, "RouteCreated"},
		{"AWSM-609", "no controller", P4, routed, warn, "earlier route controller"},
		{"AWSM-610", "routes without CIDR", P3, func(in *evidence.Input) { ccmArgs(in, "--cloud-provider=aws", "--enable-leader-migration") }, fail, "--cluster-cidr"},
		{"AWSM-610", "no provider", P3, func(in *evidence.Input) { ccmArgs(in, "--configure-cloud-routes=false", "--enable-leader-migration") }, fail, "--cloud-provider="},
		{"AWSM-611", "crash loop", P3, func(in *evidence.Input) {
			in.CCMPods.Value[0].Waiting, in.CCMPods.Value[0].Restarts = "CrashLoopBackOff", 7
		}, fail, "CrashLoopBackOff"},
		{"AWSM-611", "restarted", P3, func(in *evidence.Input) { in.CCMPods.Value[0].Restarts = 1 }, warn, "1 restart"},
		{"AWSM-612", "no leader", P3, func(in *evidence.Input) { in.Leases.Value.CCM = lease.Series{} }, fail, "does not exist"},
		{"AWSM-612", "RKE2's stub", P3, func(in *evidence.Input) { in.Leases.Value.CCM = heldBy("x_1", "rke2") }, fail, "rke2"},
		{"AWSM-613", "runs", P4, func(in *evidence.Input) {
			in.StaticPods.Value = append(in.StaticPods.Value, downstream.Pod{Namespace: "kube-system", Name: "cloud-controller-manager-a", Mirror: true, Labels: map[string]string{"component": "cloud-controller-manager"}, Containers: []downstream.Container{{Name: "cloud-controller-manager", Image: "rancher/rke2-cloud-provider:v1.26"}}})
		}, fail, "runs"},
		{"AWSM-614", "refused", P3, func(in *evidence.Input) {
			in.Events.Value = []downstream.Event{{Object: "DaemonSet kube-system/" + wellknown.CCM, Reason: "FailedCreate", Message: "violates PodSecurity", Warning: true}}
		}, warn, "PodSecurity"},
		{"AWSM-616", "a role that lacks", P4, func(in *evidence.Input) { in.CCMRights.Value[0].Missing = []string{"patch nodes/status"} }, fail, "may not patch nodes/status"},
		{"AWSM-616", "not visible", P4, func(in *evidence.Input) { in.CCMRights = verify.Failed[[]downstream.AccountRights](errForbidden) }, unknown, "forbidden"},
		{"AWSM-617", "an air-gapped cluster", P0, func(in *evidence.Input) {
			planImage(in, "registry.k8s.io/provider-aws/ccm:v1.26.14", downstream.Registry{Object: "Cluster a/b", Default: "harbor.local:5000"})
		}, warn, "the cluster's images from harbor.local:5000"},
		{"AWSM-617", "mirrored", P2, func(in *evidence.Input) {
			planImage(in, "registry.k8s.io/provider-aws/ccm:v1.26.14", downstream.Registry{Object: "Cluster a/b", Default: "harbor.local", Mirrors: []downstream.Mirror{
				{Of: "registry.k8s.io", Endpoints: []string{"https://harbor.local/v2/k8s"}, Rewrites: map[string]string{"^provider-aws/": "aws/"}}}})
		}, warn, "through a mirror"},
		{"AWSM-615", "pending", P2, func(in *evidence.Input) {
			in.Releases.Value = []downstream.Release{{Namespace: "kube-system", Name: wellknown.CCM, Status: "pending-install"}}
		}, warn, "pending-install"},
	}
}

// ccmArgs replaces the CCM's arguments in template and pods.
func ccmArgs(in *evidence.Input, args ...string) {
	in.DaemonSets.Value[0].Containers[0].Args = args // the pods share the slice of containers
}

// routed gives the nodes routes that a route controller maintains.
func routed(in *evidence.Input) {
	node(in, 5).Network = downstream.Condition{Status: "False", Reason: "RouteCreated"}
	in.Cloud.RouteTables.Value["rtb-1"] = cloud.Tags{"kubernetes.io/cluster/demo": "owned"}
}
