package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const cluster1xx = "cluster"

// clusterChecks returns the checks 1xx that need only the API, of every cluster.
func clusterChecks() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: argumentsShown, Meta: verify.Meta{
			ID: "AWSM-119", Title: "the API shows the arguments that kube-controller-manager runs with", Category: cluster1xx,
			Mandatory: true, NeedsControlPlane: true,
			NotFor: []wellknown.Distribution{wellknown.RKE}, // rke runs control planes outside the API
			Why: "36 releases of RKE2 give static pods a fixed UID: the API goes on showing the arguments of their first start, a run could edit every control plane " +
				"and never see it applied, and a position would be computed from arguments that are no longer in force",
			Source: "rancher/rke2:pkg/staticpod/staticpod.go, v1.23.13 to v1.23.17, v1.24.7 to v1.24.16, v1.25.3 to v1.25.12, v1.26.0 to v1.26.7; kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13, IsMirrorPodOf",
			Fix:    "upgrade RKE2 to v1.25.15, v1.26.10 or later ones of their minor versions first",
		}},
		{Judge: apiServersAlive, Meta: verify.Meta{
			ID: "AWSM-131", Title: "an API server is alive for every control plane", Category: cluster1xx, Subjects: []verify.Subject{verify.ControlPlanes}, NeedsControlPlane: true,
			Why:    "every kube-controller-manager talks to its own API server: where that is away, its leases and so the cloud controllers move",
			Source: "kubernetes/kubernetes:pkg/controlplane/instance.go@v1.26.0, identity leases, renewed every 10 s, from 1.26 on",
			Fix:    "look at the kube-apiserver of the control planes: its pod, or its container on the machine",
		}},
		{Judge: managersRun, Meta: verify.Meta{
			ID: "AWSM-132", Title: "kube-controller-manager runs on every control plane", Category: cluster1xx, Subjects: []verify.Subject{verify.ControlPlanes},
			Mandatory: true, NeedsControlPlane: true,
			NotFor: []wellknown.Distribution{wellknown.RKE}, // rke runs control planes outside the API
			Why:    "one that crashes today comes back later with arguments that were never seen to work, and a migration mistakes its restarts for its own rollout",
			Source: "mirror pods kube-controller-manager-<node>: container states and readiness",
			Fix:    "read what its container wrote before it ended",
		}},
	}
}

// Alone returns the checks 1xx of a cluster of which only the API is known. For clusters of
// Rancher or rke, their own sides judge the same by the configuration.
func Alone() []verify.Check[evidence.Input] {
	return readable([]verify.Check[evidence.Input]{
		{Judge: window, Meta: rules.VersionWindow().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "before 1.22 the flag stops the component or needs a file; from 1.27 there is no in-tree provider to migrate from",
			Source:  "k8s.io/controller-manager:pkg/leadermigration/options, kubernetes/kubernetes 1.27 changelog",
			Fix:     "upgrade to 1.22–1.26 first",
		})},
		{Judge: membersSuffice, Meta: rules.Members()},
		{Judge: memberZones, Meta: rules.MemberZones()},
	})
}
