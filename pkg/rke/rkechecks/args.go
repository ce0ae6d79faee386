package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// argumentChecks returns the checks of the components' arguments in cluster.yml.
func argumentChecks() []verify.Check[Prepared] {
	const plan = "rancher/rke:cluster/plan.go@v1.5.9"
	return []verify.Check[Prepared]{
		{Judge: requires(judgeProviderFlags, haveFile), Meta: verify.Meta{
			ID: "AWSM-751", Title: "no extra argument beats cloud_provider", Category: category, Mandatory: true,
			Why:    "cloud-provider or cloud-config among the extra arguments overrides rke's own: the switch would change nothing, or one component",
			Source: plan,
			Fix:    "remove them",
		}},
		{Judge: requires(judgeBothMaps, haveFile), Meta: verify.Meta{
			ID: "AWSM-752", Title: "no argument is given twice", Category: category, Mandatory: true,
			Why:    "rke writes a flag of both maps twice in random order, and the last one counts",
			Source: plan + ", BuildKubeControllerProcess",
			Fix:    "keep one of the two",
		}},
		{Judge: requires(judgeElection, haveFile), Meta: rules.Arguments().Vary(verify.Variant{
			Applies: position.BeforeSwitch(),
			Why:     "leader election off, another lock or a migration file make the lease protect nothing",
			Source:  "k8s.io/controller-manager:pkg/leadermigration 1.22–1.26",
			Fix:     "remove the argument",
		})},
		{Judge: requires(judgeDashes, haveFile), Meta: verify.Meta{
			ID: "AWSM-754", Title: "arguments are written without dashes", Category: category, Mandatory: true,
			Why:    "rke adds the dashes itself, and a component stops at ----flag",
			Source: plan,
			Fix:    "write the key without dashes",
		}},
		{Judge: requires(judgeServiceArguments, haveFile, haveVersion), Release: judgeOnRelease, Meta: verify.Meta{
			ID: "AWSM-755", Title: "every service's arguments suit migration and upgrade", Category: category,
			Why:    "Rancher advises CSIMigrationAWS=false for the in-tree provider; it is locked on from 1.25 and stops components from 1.27. CSIMigration=false and, up to 1.24, AllBeta=false do the same. A component exits at a flag, value or gate that its minor version does not take",
			Source: "kubernetes/kubernetes:pkg/features/kube_features.go and cmd/*/app 1.22–1.36; kubernetes/kops#15197",
			Fix:    "remove the argument; for a gate of EBS migration, install aws-ebs-csi-driver first",
		}},
	}
}
