package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// binaryChecks are the checks 74x, of the rke that will be run.
func binaryChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(judgeBinaryAge, haveBinary), Meta: verify.Meta{
			ID: "AWSM-742", Title: "the rke binary knows external-aws", Category: category, Mandatory: true,
			Why:    "an older one accepts the name and starts kubelets with --cloud-provider=external-aws, which they do not know; of a build of one's own, which says dev, it is unknown",
			Source: "rancher/rke:k8s/node.go at v1.4.14, v1.4.15, v1.5.0",
			Fix:    "use rke v1.4.15 or later of 1.4, or v1.5.0 or later",
		}},
		{Judge: requires(judgeBinaryKnows, haveState, haveBinary), Meta: verify.Meta{
			ID: "AWSM-743", Title: "the rke binary knows the Kubernetes versions", Category: category, Mandatory: true,
			Why:    "`rke up` refuses a version that is not in the binary's metadata",
			Source: "rancher/rke:cmd/config.go@v1.5.9, generateSystemImagesList",
			Fix:    "use an rke that knows the version",
		}},
	}
}
