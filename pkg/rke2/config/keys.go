package config

import "strings"

// Keys of the RKE2 configuration that a migration reads or writes.
const (
	KeyProvider     = "cloud-provider-name"
	KeyCloudConfig  = "cloud-provider-config"
	KeyDisableCCM   = "disable-cloud-controller"
	KeyKubeletArg   = "kubelet-arg"
	KeyManagerArg   = "kube-controller-manager-arg"
	KeyAPIServerArg = "kube-apiserver-arg"
	keySchedulerArg = "kube-scheduler-arg"
	keyProxyArg     = "kube-proxy-arg"
	KeyNodeName     = "node-name"
	KeyProfile      = "profile"
)

// Arguments that a migration adds or removes.
const (
	FlagLeaderMigration = "enable-leader-migration"
	FlagProvider        = "cloud-provider"
)

// Values of cloud-provider-name.
const (
	ProviderAWS      = "aws"
	ProviderExternal = "external"
)

// Role labels of a Machine; a role is held when the value is "true".
const (
	LabelControlPlane = "rke.cattle.io/control-plane-role"
	LabelEtcd         = "rke.cattle.io/etcd-role"
	LabelWorker       = "rke.cattle.io/worker-role"
	labelPool         = "rke.cattle.io/rke-machine-pool-name"
	labelOS           = "cattle.io/os"
)

// kind is the type of a key in the release metadata. Rancher converts only values of type
// boolean ("bool", which the metadata has too, is not converted).
type kind int

const (
	plain kind = iota
	boolean
)

// agentKey returns the type of a key that reaches every machine. A server key reaches only
// machines with the control-plane or etcd role; Rancher drops any other key. The keys are those
// of v1.26.15+rke2r1 (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). The keys
// that we edit are in the same list, with the same type, in every release from v1.21.4 to v1.30.
func agentKey(key string) (kind, bool) {
	switch key {
	case "protect-kernel-defaults":
		return boolean, true
	case KeyProvider, KeyCloudConfig, KeyKubeletArg,
		"audit-policy-file", "cloud-controller-manager-extra-env", "cloud-controller-manager-extra-mount",
		"control-plane-resource-limits", "control-plane-resource-requests", "debug",
		"etcd-extra-env", "etcd-extra-mount",
		"kube-apiserver-extra-env", "kube-apiserver-extra-mount",
		"kube-controller-manager-extra-env", "kube-controller-manager-extra-mount",
		keyProxyArg, "kube-proxy-extra-env", "kube-proxy-extra-mount",
		"kube-scheduler-extra-env", "kube-scheduler-extra-mount",
		KeyProfile, "resolv-conf", "selinux", "system-default-registry":
		return plain, true
	}
	return plain, false
}

func serverKey(key string) (kind, bool) {
	switch key {
	case "disable-kube-proxy", "etcd-expose-metrics", "tls-san-security":
		return boolean, true
	case KeyDisableCCM, KeyManagerArg, KeyAPIServerArg, keySchedulerArg,
		"audit-policy-file", "cluster-cidr", "cluster-dns", "cluster-domain", "cni",
		"container-runtime-endpoint", "disable", "disable-scheduler", "egress-selector-mode",
		"etcd-arg", "etcd-image", "kube-apiserver-image", "kube-cloud-controller-manager-arg",
		"kube-controller-manager-image", keyProxyArg, "kube-scheduler-image", "kubelet-path",
		"pause-image", "runtime-image", "service-cidr", "service-node-port-range", "snapshotter",
		"tls-san":
		return plain, true
	}
	return plain, false
}

// IsArgs reports whether a key holds arguments for a component.
func IsArgs(key string) bool { return strings.HasSuffix(key, "-arg") }
