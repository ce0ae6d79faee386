package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// binaryChecks returns the checks 74x, of the rke that the run will start.
func binaryChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(judgeBinaryAge, haveBinary), Meta: verify.Meta{
			ID: "AWSM-742", Title: "the rke binary knows external-aws", Category: category, Mandatory: true,
			Why:    "an older one accepts the name and starts kubelets with --cloud-provider=external-aws, which they do not know; for a private build with version dev it is unknown",
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
