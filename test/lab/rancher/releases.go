package rancher

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// release is what the release metadata says of one RKE2 version: the arguments
// it takes, by name, with the type of each.
type release struct{ agent, server map[string]string }

// window is a run of RKE2 patch releases and the Rancher versions whose metadata
// has them.
type window struct {
	minor, first, last uint64
	from, to           string
}

// windows are minChannelServerVersion and maxChannelServerVersion of the RKE2
// releases (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). What
// came after that snapshot of October 2024 is given an open end.
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

// releaseFor is the metadata that a Rancher has for an RKE2 version, and whether
// it has any. An error means that one of the two is no version.
func releaseFor(rancher, kubernetes string) (release, bool, error) {
	rv, err := semver.NewVersion(rancher)
	if err != nil {
		return release{}, false, fmt.Errorf("version of Rancher, %q: %w", rancher, err)
	}
	kv, err := semver.NewVersion(kubernetes)
	if err != nil {
		return release{}, false, fmt.Errorf("spec.kubernetesVersion %q: %w", kubernetes, err)
	}
	if !strings.Contains(kubernetes, "+rke2r") || kv.Major() != 1 {
		return release{}, false, nil
	}
	for _, w := range windows() {
		if kv.Minor() != w.minor || kv.Patch() < w.first || kv.Patch() > w.last {
			continue
		}
		if rv.Compare(semver.MustParse(w.from)) >= 0 && rv.Compare(semver.MustParse(w.to)) <= 0 {
			return rke2Arguments(), true, nil
		}
	}
	return release{}, false, nil
}

// noReleaseMessage is what the planner waits with when the metadata lacks the
// version; the wording changed in 2.9.
// Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 and @v2.9.3 (Process).
func noReleaseMessage(rancher, namespace, name, kubernetes string) string {
	if v, err := semver.NewVersion(rancher); err == nil && (v.Major() > 2 || v.Minor() >= 9) {
		return fmt.Sprintf("%s/%s: KDM release data is empty for %s", namespace, name, kubernetes)
	}
	return fmt.Sprintf("%s/%s: releaseData nil for version %s", namespace, name, kubernetes)
}

// rke2Arguments are the serverArgs and agentArgs of v1.26.15+rke2r1 with their
// types (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). The lab
// uses them for every version.
func rke2Arguments() release {
	return release{
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
