package rke

import (
	"fmt"
	"slices"
	"strings"
)

// release is a version of Kubernetes and the version of its rke-tools.
type release struct{ version, tools string }

// releases returns those of
// rancher/kontainer-driver-metadata:pkg/rke/k8s_rke_system_images.go@7c2ba52, oldest first.
func releases() []release {
	return []release{
		{"v1.24.2-rancher1-1", "v0.1.87"}, {"v1.24.4-rancher1-1", "v0.1.87"}, {"v1.24.6-rancher1-1", "v0.1.87"},
		{"v1.24.8-rancher1-1", "v0.1.88"}, {"v1.24.9-rancher1-1", "v0.1.88"}, {"v1.24.10-rancher4-1", "v0.1.88"},
		{"v1.24.13-rancher2-2", "v0.1.88"}, {"v1.24.15-rancher1-1", "v0.1.88"}, {"v1.24.16-rancher1-1", "v0.1.88"},
		{"v1.24.17-rancher1-1", "v0.1.90"},
		{"v1.25.6-rancher2-1", "v0.1.87"}, {"v1.25.6-rancher4-1", "v0.1.87"}, {"v1.25.9-rancher2-1", "v0.1.88"},
		{"v1.25.9-rancher2-2", "v0.1.88"}, {"v1.25.11-rancher1-1", "v0.1.88"}, {"v1.25.12-rancher1-1", "v0.1.88"},
		{"v1.25.13-rancher1-1", "v0.1.90"}, {"v1.25.14-rancher1-1", "v0.1.96"}, {"v1.25.16-rancher2-1", "v0.1.96"},
		{"v1.25.16-rancher2-2", "v0.1.96"}, {"v1.25.16-rancher2-3", "v0.1.96"},
		{"v1.26.4-rancher2-1", "v0.1.89"}, {"v1.26.6-rancher1-1", "v0.1.89"}, {"v1.26.7-rancher1-1", "v0.1.89"},
		{"v1.26.8-rancher1-1", "v0.1.90"}, {"v1.26.9-rancher1-1", "v0.1.96"}, {"v1.26.11-rancher2-1", "v0.1.96"},
		{"v1.26.11-rancher2-2", "v0.1.96"}, {"v1.26.13-rancher1-1", "v0.1.96"}, {"v1.26.13-rancher1-2", "v0.1.96"},
		{"v1.26.14-rancher1-1", "v0.1.96"}, {"v1.26.15-rancher1-1", "v0.1.96"},
		{"v1.27.6-rancher1-1", "v0.1.96"}, {"v1.27.8-rancher2-1", "v0.1.96"}, {"v1.27.8-rancher2-2", "v0.1.96"},
		{"v1.27.10-rancher1-1", "v0.1.96"}, {"v1.27.10-rancher1-2", "v0.1.96"}, {"v1.27.11-rancher1-1", "v0.1.96"},
		{"v1.27.12-rancher1-1", "v0.1.96"}, {"v1.27.13-rancher1-1", "v0.1.96"}, {"v1.27.14-rancher1-1", "v0.1.96"},
		{"v1.27.15-rancher1-1", "v0.1.100"}, {"v1.27.16-rancher1-1", "v0.1.100"},
		{"v1.28.7-rancher1-1", "v0.1.96"}, {"v1.28.8-rancher1-1", "v0.1.96"}, {"v1.28.9-rancher1-1", "v0.1.96"},
		{"v1.28.10-rancher1-1", "v0.1.96"}, {"v1.28.11-rancher1-1", "v0.1.100"}, {"v1.28.12-rancher1-1", "v0.1.100"},
		{"v1.28.13-rancher1-1", "v0.1.102"}, {"v1.28.14-rancher1-1", "v0.1.103"},
		{"v1.29.6-rancher1-1", "v0.1.100"}, {"v1.29.9-rancher1-1", "v0.1.103"},
		{"v1.30.2-rancher1-1", "v0.1.100"}, {"v1.30.5-rancher1-1", "v0.1.103"},
	}
}

// since returns the first rke whose metadata has a minor version of Kubernetes
// (k8s_version_info.go@7c2ba52).
func since(minor int) version {
	switch {
	case minor <= 24:
		return version{1, 3, 13}
	case minor <= 26:
		return version{1, 4, 0}
	case minor <= 28:
		return version{1, 5, 0}
	default:
		return version{1, 6, 0}
	}
}

// Versions returns the versions that a release of rke can make, oldest first.
func (r Release) Versions() []string {
	var out []string
	for _, known := range releases() {
		v, err := parseVersion(known.version)
		if err == nil && !r.number().less(since(v[1])) {
			out = append(out, known.version)
		}
	}
	return out
}

// DefaultVersion returns the version that the release uses for an empty kubernetes_version: the
// newest of its line's default minor.
func (r Release) DefaultVersion() string {
	minor := ".28."
	switch v := r.number(); {
	case v.less(version{1, 4, 0}):
		minor = ".24."
	case v.less(version{1, 5, 0}):
		minor = ".26."
	case v.atLeast(1, 6, 0):
		minor = ".30."
	}
	last := ""
	for _, known := range r.Versions() {
		if strings.HasPrefix(known, "v1"+minor) {
			last = known
		}
	}
	return last
}

// images returns the system images of a version.
func (r Release) images(kubernetes string) (SystemImages, error) {
	if !slices.Contains(r.Versions(), kubernetes) {
		return SystemImages{}, fmt.Errorf("k8s version is not supported, supported versions are: %v", r.Versions())
	}
	tools := ""
	for _, known := range releases() {
		if known.version == kubernetes {
			tools = "rancher/rke-tools:" + known.tools
		}
	}
	// v1.26.9-rancher1-1 is rancher/hyperkube:v1.26.9-rancher1.
	tag := kubernetes[:strings.LastIndex(kubernetes, "-")]
	return SystemImages{
		Etcd: "rancher/mirrored-coreos-etcd:v3.5.6", Kubernetes: "rancher/hyperkube:" + tag, PodInfraContainer: "rancher/mirrored-pause:3.7",
		Alpine: tools, NginxProxy: tools, CertDownloader: tools, KubernetesServicesSidecar: tools,
	}, nil
}
