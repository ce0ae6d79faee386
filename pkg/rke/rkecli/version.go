package rkecli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// parseVersion parses the version of an rke binary, such as "v1.5.10" or "v1.4.22-rc.1". It
// returns an error of class CouldNotLook for "dev", the version of a binary built without one.
func parseVersion(version string) (*semver.Version, error) {
	v, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "RKEVersionUnknown", Object: "rke binary",
			Seen: fmt.Sprintf("says version %q", version), Wanted: Wanted, Fix: "name a released rke with --rke-binary"}
	}
	return v, nil
}

// Wanted lists the versions that support external-aws, for messages.
const Wanted = "v1.4.15 or a later 1.4, or v1.5.0 and later"

// SupportsExternalAWS returns an error if a version of rke does not know the provider
// external-aws: such an rke would not reject the name but pass it on to the kubelet. The first
// versions that know it are v1.4.15-rc1 in 1.4 and v1.5.0-rc9
// (rancher/rke:k8s/node.go, ExternalAWSCloudProviderName, at the tags).
func SupportsExternalAWS(version string) error {
	v, err := parseVersion(version)
	if err != nil {
		return err
	}
	released, _ := v.SetPrerelease("") // an empty one is always valid
	known := !released.LessThan(semver.New(1, 5, 0, "", ""))
	if v.Major() == 1 && v.Minor() == 4 {
		known = v.Patch() >= 15
	}
	const firstCandidate = 9
	if released.Equal(semver.New(1, 5, 0, "", "")) && v.Prerelease() != "" {
		known = candidate(v.Prerelease()) >= firstCandidate
	}
	if known {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "RKETooOld", Object: "rke binary",
		Seen: version + ", which does not know cloud provider external-aws and passes it on to the kubelet", Wanted: Wanted,
		Fix: "use a newer rke that knows the cluster's Kubernetes version; v1.5 does from 1.25 to 1.28"}
}

var candidatePattern = regexp.MustCompile(`^rc\.?([0-9]+)$`)

// candidate returns the N of "rc9" and "rc.9", or 0. Semantic version order would sort rc10
// before rc9.
func candidate(prerelease string) int {
	match := candidatePattern.FindStringSubmatch(prerelease)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return n
}
