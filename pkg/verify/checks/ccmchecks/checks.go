package ccmchecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const ccm = "ccm"

// All returns the checks 6xx.
func All() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: foreignRelease, Meta: verify.Meta{
			ID: "AWSM-601", Title: "no Helm release of the CCM in another namespace", Category: ccm, Applies: position.BeforeInstall(),
			Why:    "a second release fights for the same cluster-wide objects",
			Source: "Helm's Secrets, by label; published guides install into default",
			Fix:    "uninstall it with helm, before the flag is on any kube-controller-manager",
		}},
		{Judge: helmCharts, Meta: verify.Meta{
			ID: "AWSM-602", Title: "no HelmChart or HelmChartConfig of the CCM", Category: ccm, Applies: position.BeforeInstall(),
			Why:    "RKE2's helm controller would put its own version and values back",
			Source: "helm.cattle.io/v1",
			Fix:    "remove the document from additionalManifest, then the object",
		}},
		{Judge: unowned, Meta: verify.Meta{
			ID: "AWSM-603", Title: "no unowned objects of the CCM", Category: ccm, Applies: position.BeforeInstall(),
			Why:    "Helm refuses to install over objects that it does not own",
			Source: "annotation meta.helm.sh/release-name; object names of upstream's chart",
			Fix:    "remove them",
		}},
		{Judge: daemonSetComplete, Meta: verify.Meta{
			ID: "AWSM-604", Title: "a ready CCM pod on every control-plane node", Category: ccm, Subjects: []verify.Subject{verify.CCM}, Applies: position.WithCCM(), Mandatory: true,
			Why:    "kubectl rollout status passes a DaemonSet with no pods at all, and its numbers those on other nodes",
			Source: "pods by Node, and DaemonSet status, against Nodes with the control-plane label; rancher/rancher#43891",
			Fix:    "look at node selector, tolerations and the pods' events",
		}},
		{Judge: selector, Meta: verify.Meta{
			ID: "AWSM-605", Title: "the CCM's node selector matches the control plane", Category: ccm, NeedsControlPlane: true,
			Why:    "the chart's default selector has an empty value, RKE2's label the value \"true\": no pod is ever made",
			Source: "kubernetes/cloud-provider-aws#430",
			Fix:    "nodeSelector: {node-role.kubernetes.io/control-plane: \"true\"}",
		}},
		{Judge: tolerations, Meta: verify.Meta{
			ID: "AWSM-606", Title: "the CCM tolerates the control plane's taints", Category: ccm, NeedsControlPlane: true,
			Why:    "a taint that is not tolerated keeps the pods away; Rancher's taints have empty values, the etcd taint is in no default",
			Source: "rancher/rancher#43891; Rancher's planner getTaints",
			Fix:    "tolerate the key with operator Exists",
		}},
		{Judge: imageMatrix, Release: evidence.OnTarget(imageForTarget), Meta: verify.Meta{
			ID: "AWSM-607", Title: "the CCM image fits the cluster", Category: ccm,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "an image newer than the API server, one that panics on a foreign ProviderID or one that was never published",
			Source: "Kubernetes version skew policy; kubernetes/cloud-provider-aws#604; registry.k8s.io image list",
			Fix:    "use the image of the version matrix",
		}},
		{Judge: admission, Meta: verify.Meta{
			ID: "AWSM-608", Title: "the CCM's pod is admitted", Category: ccm, Applies: position.BeforeInstall(), Mandatory: true,
			Why:    "an admission policy shows only in events: desired 3, current 0",
			Source: "create of the rendered pod with dryRun=All",
			Fix:    "exempt kube-system, or this pod, in the policy named in the message",
		}},
		{Judge: cloudRoutes, Meta: verify.Meta{
			ID: "AWSM-609", Title: "pod routes are maintained", Category: ccm, Mandatory: true,
			Why:    "where the route controller works today and the CCM runs without it, new nodes get no pod network, silently",
			Source: "node condition NetworkUnavailable, reason RouteCreated",
			Fix:    "decide with --cloud-routes on or off",
		}},
		{Judge: arguments, Meta: verify.Meta{
			ID: "AWSM-610", Title: "the CCM's arguments can work", Category: ccm, Applies: position.WithCCM(),
			Why:    "routes without --cluster-cidr are fatal, and only at the moment the CCM gets the lease; --cloud-provider is required",
			Source: "k8s.io/cloud-provider app/core.go, options validation v0.22 to v0.36",
			Fix:    "--cloud-provider=aws --configure-cloud-routes=false",
		}},
		{Judge: pods, Meta: verify.Meta{
			ID: "AWSM-611", Title: "CCM pods run without restarts", Category: ccm, Applies: position.WithCCM(),
			Why:    "a CCM that fails at the take-over leaves the cluster without cloud controllers",
			Source: "container states and restart counts",
			Fix:    "read what its container wrote before it ended",
		}},
		{Judge: mainLease, Meta: verify.Meta{
			ID: "AWSM-612", Title: "a CCM leads", Category: ccm, Subjects: []verify.Subject{verify.CCM, verify.Leases}, Applies: position.WithCCM(), Mandatory: true,
			Why:    "only a CCM that holds its main lease waits for the migration lease",
			Source: "Lease kube-system/cloud-controller-manager",
			Fix:    "look at the CCM's log: rights on leases, API server",
		}},
		{Judge: embedded, Meta: verify.Meta{
			ID: "AWSM-613", Title: "RKE2's own cloud controller manager is off", Category: ccm, Applies: position.WithCCM(),
			Why:    "it uses the same port, in older versions the same lease, and writes its own ProviderIDs",
			Source: "static pod cloud-controller-manager-<node>; disable-cloud-controller",
			Fix:    "set disable-cloud-controller: true on all servers",
		}},
		{Judge: ccmEvents, Meta: verify.Meta{
			ID: "AWSM-614", Title: "no pod of the CCM was refused", Category: ccm, Applies: position.WithCCM(),
			Why:    "admission and quota refuse a DaemonSet's pods without a trace in its status",
			Source: "events FailedCreate of the DaemonSet",
			Fix:    "read the message",
		}},
		{Judge: ccmRights, Meta: verify.Meta{
			ID: "AWSM-616", Title: "the CCM may do what its controllers do", Category: ccm, Applies: position.WithCCM(),
			Why:    "only its log shows a right that its ServiceAccount lacks: nodes stay uninitialized, load balancers are not updated",
			Source: "k8s.io/cloud-provider@v0.26.13:controllers and node/helpers; SubjectAccessReviews for the DaemonSet's ServiceAccount",
			Fix:    "bind the ServiceAccount to a ClusterRole with these rights, as awsmigrate's chart has it",
		}},
		{Judge: registry, Meta: verify.Meta{
			ID: "AWSM-617", Title: "the CCM's image comes from the cluster's registry", Category: ccm, Applies: position.BeforeInstall(),
			Why:    "where control planes reach no registry but the cluster's own, the CCM's pods cannot start, and the control planes were rolled for nothing",
			Source: "rancher/rancher:pkg/provisioningv2/image/resolve.go@v2.8.5, pkg/capr/planner/registry.go; rancher/rke:cluster/defaults.go@v1.5.9",
			Fix:    "copy the image into the registry, and name it there with --ccm-image",
		}},
		{Judge: updateStrategy, Meta: verify.Meta{
			ID: "AWSM-618", Title: "the CCM's DaemonSet replaces its pods", Category: ccm, Subjects: []verify.Subject{verify.CCM}, Applies: position.WithCCM(),
			Why:    "with updateStrategy OnDelete its pods keep their old arguments and image until someone deletes them; a run that was killed in disable-leader-migration leaves it so",
			Source: "DaemonSet spec.updateStrategy",
			Fix:    "run the same command again if disable-leader-migration is not done, else set it to RollingUpdate",
		}},
		{Judge: pendingRelease, Meta: verify.Meta{
			ID: "AWSM-615", Title: "no Helm operation of the CCM is half-done", Category: ccm, Subjects: []verify.Subject{verify.CCM},
			Why:    "Helm refuses every further operation on a pending release",
			Source: "label status=pending-… on Helm's Secret; helm/helm#8987",
			Fix:    "a run of install-ccm repairs it under its lock",
		}},
	}
}
