package rules

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const cluster = "cluster"

// Members returns the check of the number of etcd members and control planes.
func Members() verify.Meta {
	return verify.Meta{
		ID: "AWSM-110", Title: "the control plane survives a restart", Category: cluster,
		Applies: position.BeforeSwitch(),
		Why:     "one or two etcd members mean downtime at every restart, and an even number tolerates no more failures than one less",
		Source:  "etcd FAQ, Kubernetes HA guide",
		Fix:     "use 3 or 5 members",
	}
}

// MemberZones returns the check of the zones of etcd members.
func MemberZones() verify.Meta {
	return verify.Meta{
		ID: "AWSM-112", Title: "etcd members are spread over zones", Category: cluster,
		Applies: position.BeforeSwitch(),
		Why:     "members in fewer than three zones lose quorum with one of them",
		Source:  "Kubernetes HA guide",
		Fix:     "place etcd members in three zones",
	}
}

// VersionWindow returns the check of Kubernetes versions that a migration starts from.
func VersionWindow() verify.Meta {
	return verify.Meta{
		ID: "AWSM-101", Title: "Kubernetes version has the in-tree provider and leader migration", Category: cluster, Mandatory: true,
	}
}

// Chart returns the check of obstacles to the chart's installation.
func Chart() verify.Meta {
	return verify.Meta{ID: "AWSM-117", Title: "the chart can be installed", Category: cluster, Mandatory: true}
}

// ChartValues returns the check of the chart's values.
func ChartValues() verify.Meta {
	return verify.Meta{
		ID: "AWSM-118", Title: "the chart's values are safe", Category: cluster, LiveOnly: true,
		Applies: position.BeforeInstall(),
		Why:     "values that take away what keeps two managers apart, or what the CCM needs; kube-controller-manager's environment that cannot be carried over",
		Source:  "kubernetes/cloud-provider-aws chart",
		Fix:     "correct --values, or set there what the CCM needs",
	}
}

// Rest returns the check that no change is pending and no machine is down.
func Rest() verify.Meta {
	return verify.Meta{ID: "AWSM-105", Title: "the cluster is at rest", Category: cluster, Mandatory: true, Subjects: []verify.Subject{verify.Rollout}}
}

// Concurrency returns the check of how many control planes a rollout restarts at once.
func Concurrency() verify.Meta {
	return verify.Meta{ID: "AWSM-108", Title: "control planes restart one at a time", Category: cluster}
}

// Drain returns the check of the options that drain nodes during a rollout.
func Drain() verify.Meta {
	return verify.Meta{ID: "AWSM-109", Title: "rollouts do not drain nodes", Category: cluster}
}

// Names returns the check that each Node keeps its name, under a known edit to the external
// provider.
func Names() verify.Meta {
	return verify.Meta{
		ID: "AWSM-113", Title: "the edit of switch-provider keeps every Node's name", Category: cluster, Mandatory: true, DecidesNames: true,
	}
}

// Arguments returns the check of the configured arguments of kube-controller-manager.
func Arguments() verify.Meta {
	return verify.Meta{
		ID: "AWSM-114", Title: "kube-controller-manager's arguments allow the migration", Category: cluster, Mandatory: true,
	}
}

// Edits returns the check that the edits of a migration can be computed.
func Edits() verify.Meta {
	return verify.Meta{ID: "AWSM-116", Title: "both edits can be computed and change nothing else", Category: cluster, Mandatory: true}
}

// InTreeProvider returns the check that a cluster uses the in-tree provider.
func InTreeProvider() verify.Meta {
	return verify.Meta{ID: "AWSM-103", Title: "every machine runs the in-tree provider", Category: cluster, Mandatory: true, Subjects: []verify.Subject{verify.Kubelets, verify.ControlPlanes}}
}
