package rkecli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// parseVersion reads the version of an rke binary, such as "v1.5.10" or
// "v1.4.22-rc.1". A binary built without one says "dev", which is an error of
// class CouldNotLook.
func parseVersion(version string) (*semver.Version, error) {
	v, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "RKEVersionUnknown", Object: "rke binary",
			Seen: fmt.Sprintf("says version %q", version), Wanted: Wanted, Fix: "name a released rke with --rke-binary"}
	}
	return v, nil
}

// Wanted are the versions that know external-aws, in messages.
const Wanted = "v1.4.15 or a later 1.4, or v1.5.0 and later"

// SupportsExternalAWS refuses an rke that does not know the provider external-aws:
// it would not reject the name but pass it on to the kubelet. The name is known
// from v1.4.15-rc1 in 1.4 and from v1.5.0-rc9
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

// candidate is the N of "rc9" and "rc.9"; 0 for anything else. Semantic version
// order would put rc10 before rc9.
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
