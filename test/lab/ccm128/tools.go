//go:build tools

// Package ccm128 pins aws-cloud-controller-manager v1.28.1, the first line
// whose default leader migration configuration names controllers that do not
// exist, for the scenario in which two managers run the same controllers.
package ccm128

import _ "k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager"
