package rke

import (
	"fmt"
	"strconv"
	"strings"
)

// version compares releases of rke and of Kubernetes by their numbers only.
type version [3]int

func parseVersion(text string) (version, error) {
	var v version
	numbers, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), "-")
	fields := strings.Split(numbers, ".")
	if len(fields) != 3 {
		return v, fmt.Errorf("%s is not valid semver", text)
	}
	for i, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil {
			return v, fmt.Errorf("%s is not valid semver", text)
		}
		v[i] = n
	}
	return v, nil
}

func (v version) less(o version) bool {
	for i := range v {
		if v[i] != o[i] {
			return v[i] < o[i]
		}
	}
	return false
}

func (v version) atLeast(major, minor, patch int) bool { return !v.less(version{major, minor, patch}) }

// Release is a version of the rke binary.
type Release string

func (r Release) number() version {
	v, err := parseVersion(string(r))
	if err != nil {
		return version{99} // a build without a version is the newest
	}
	return v
}

// knowsExternalAWS reports whether the release supports external-aws, as v1.4.15 and v1.5.0 do.
// An older one takes it for the name of some provider.
func (r Release) knowsExternalAWS() bool { return r.number().atLeast(1, 4, 15) }

// keepsSecret reports whether the cluster's state is in a Secret: since v1.4.19, v1.5.10 and
// v1.6.0. Before, it is in a ConfigMap.
func (r Release) keepsSecret() bool {
	v := r.number()
	switch {
	case v.less(version{1, 5, 0}):
		return v.atLeast(1, 4, 19)
	default:
		return v.atLeast(1, 5, 10)
	}
}

// official reports whether `rke` accepts the release without a warning.
func (r Release) official() bool {
	_, err := parseVersion(string(r))
	return err == nil && !strings.Contains(string(r), "-")
}
