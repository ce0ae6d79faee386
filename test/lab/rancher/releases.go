package rancher

import (
	"fmt"
	"maps"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// release holds the release metadata of one RKE2 version: its arguments, by name, with the type
// of each.
type release struct{ agent, server map[string]string }

// window is a range of RKE2 patch releases and the Rancher versions whose metadata has them.
type window struct {
	minor, first, last uint64
	from, to           string
}

// windows returns minChannelServerVersion and maxChannelServerVersion of the RKE2 releases
// (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). Releases after that snapshot
// of October 2024 have an open end.
func windows() []window {
	const open = 1 << 20
	return []window{
		{22, 0, open, "v2.6.3-alpha1", "v2.6.99"},
		{23, 0, 8, "v2.6.4-alpha1", "v2.6.99"},
		{23, 9, open, "v2.6.4-alpha1", "v2.7.99"},
		{24, 0, 2, "v2.6.7-alpha1", "v2.6.99"},
		{24, 3, open, "v2.6.7-alpha1", "v2.7.99"},
		{25, 0, 12, "v2.7.2-alpha1", "v2.7.99"},
		{25, 13, open, "v2.7.2-alpha1", "v2.8.99"},
		{26, 0, 7, "v2.7.5-alpha1", "v2.7.99"},
		{26, 8, open, "v2.7.5-alpha1", "v2.8.99"},
		{27, 0, open, "v2.8.0-alpha1", "v2.9.99"},
		{28, 0, open, "v2.8.3-alpha1", "v2.9.99"},
		{29, 0, open, "v2.9.0-alpha1", "v2.99.0"},
		{30, 0, open, "v2.9.0-alpha1", "v2.99.0"},
		{31, 0, open, "v2.10.0-alpha1", "v2.99.0"},
	}
}

// releaseFor returns the metadata that a Rancher uses for an RKE2 version: the release's own,
// or, if it has none, the arguments of all its releases together. It returns an error if a
// version is invalid, or if the Rancher has no releases at all, which the lab does not model.
// Source: rancher/rancher:pkg/channelserver/channelserver.go@v2.8.5, @v2.9.3 and @v2.12.3
// (GetReleaseConfigByRuntimeAndVersion).
func releaseFor(rancher, kubernetes string) (release, error) {
	rv, err := semver.NewVersion(rancher)
	if err != nil {
		return release{}, fmt.Errorf("version of Rancher, %q: %w", rancher, err)
	}
	kv, err := semver.NewVersion(kubernetes)
	if err != nil {
		return release{}, fmt.Errorf("spec.kubernetesVersion %q: %w", kubernetes, err)
	}
	if !strings.Contains(kubernetes, "+rke2r") || kv.Major() != 1 {
		return release{}, fmt.Errorf("spec.kubernetesVersion %q: no release of RKE2", kubernetes)
	}
	union := release{agent: map[string]string{}, server: map[string]string{}}
	for _, w := range windows() {
		if rv.LessThan(semver.MustParse(w.from)) || rv.GreaterThan(semver.MustParse(w.to)) {
			continue
		}
		if kv.Minor() == w.minor && kv.Patch() >= w.first && kv.Patch() <= w.last {
			return rke2Arguments(w.minor), nil
		}
		one := rke2Arguments(w.minor)
		maps.Copy(union.agent, one.agent)
		maps.Copy(union.server, one.server)
	}
	if len(union.agent) == 0 || len(union.server) == 0 {
		return release{}, fmt.Errorf("version of Rancher, %q: the lab knows no release of RKE2 that it manages", rancher)
	}
	return union, nil
}

// rke2Arguments returns the serverArgs and agentArgs of a minor's last release with their types
// (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). Up to 1.26 the lab uses
// those of v1.26.15+rke2r1. Later releases only added arguments.
func rke2Arguments(minor uint64) release {
	r := release{
		server: fields(map[string]string{
			"string": "audit-policy-file cluster-cidr cluster-dns cluster-domain container-runtime-endpoint egress-selector-mode " +
				"etcd-image kube-apiserver-image kube-controller-manager-image kube-scheduler-image kubelet-path pause-image " +
				"runtime-image service-cidr service-node-port-range snapshotter",
			"array": "cni disable etcd-arg kube-apiserver-arg kube-cloud-controller-manager-arg kube-controller-manager-arg " +
				"kube-proxy-arg kube-scheduler-arg tls-san",
			"bool":    "disable-cloud-controller disable-scheduler",
			"boolean": "disable-kube-proxy etcd-expose-metrics tls-san-security",
		}),
		agent: fields(map[string]string{
			"string": "audit-policy-file cloud-provider-config control-plane-resource-limits control-plane-resource-requests " +
				"resolv-conf system-default-registry",
			"array": "cloud-controller-manager-extra-env cloud-controller-manager-extra-mount etcd-extra-env etcd-extra-mount " +
				"kube-apiserver-extra-env kube-apiserver-extra-mount kube-controller-manager-extra-env kube-controller-manager-extra-mount " +
				"kube-proxy-arg kube-proxy-extra-env kube-proxy-extra-mount kube-scheduler-extra-env kube-scheduler-extra-mount kubelet-arg",
			"bool":    "debug selinux",
			"boolean": "protect-kernel-defaults",
			"enum":    "cloud-provider-name profile",
		}),
	}
	if minor >= 27 {
		maps.Copy(r.server, fields(map[string]string{"string": "datastore-cafile datastore-certfile datastore-endpoint datastore-keyfile write-kubeconfig-group",
			"boolean": "supervisor-metrics"}))
		maps.Copy(r.agent, fields(map[string]string{"string": "bind-address", "boolean": "enable-pprof"}))
	}
	if minor >= 28 {
		maps.Copy(r.server, fields(map[string]string{"boolean": "embedded-registry"}))
		maps.Copy(r.agent, fields(map[string]string{"string": "default-runtime", "boolean": "disable-default-registry-endpoint"}))
	}
	return r
}

func fields(byType map[string]string) map[string]string {
	out := map[string]string{}
	for kind, names := range byType {
		for _, n := range strings.Fields(names) {
			out[n] = kind
		}
	}
	return out
}
