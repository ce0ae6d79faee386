package node

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Names of the components, which are also their process kinds and static pods.
const (
	KubeAPIServer          = "kube-apiserver"
	KubeControllerManager  = "kube-controller-manager"
	KubeScheduler          = "kube-scheduler"
	CloudControllerManager = "cloud-controller-manager" // RKE2's own, not AWS's
	Etcd                   = "etcd"
	kubeProxy              = "kube-proxy" // only on real machines does anything serve in it
	Kubelet                = "kubelet"
)

const (
	dataDir     = "/var/lib/rancher/rke2"
	serverTLS   = dataDir + "/server/tls"
	serverCred  = dataDir + "/server/cred"
	agentDir    = dataDir + "/agent"
	configDir   = "/etc/rancher/rke2"
	psaConfig   = configDir + "/rke2-pss.yaml"
	clusterCIDR = "10.42.0.0/16"
	serviceCIDR = "10.43.0.0/16"
	issuer      = "https://kubernetes.default.svc.cluster.local"

	kubernetesVersion = "v1.26.13"
	rke2Version       = "v1.26.13+rke2r1"
)

// StaticPod is a component that RKE2 runs from a manifest.
type StaticPod struct {
	Component string
	Args      []string // exactly as RKE2 renders them
}

// Rendering holds the components that RKE2 runs on one machine for its configuration.
type Rendering struct {
	Server     bool
	NodeName   string // RKE2's node-name, the kubelet's --hostname-override
	Version    string // of every component, e.g. v1.26.13+rke2r1
	BuiltInCCM bool   // RKE2's own cloud controller manager is on
	Static     []StaticPod
	Kubelet    []string
}

// Render converts a machine's configuration into component arguments, as RKE2 1.26 does; the
// provider's arguments are those of the version. nodeName is the result of NodeName.
func Render(c RKE2Config, f Facts, nodeName, version string) (Rendering, error) {
	if err := checkConfig(c); err != nil {
		return Rendering{}, err
	}
	r := Rendering{Server: f.Roles.Server(), NodeName: nodeName, Version: version, BuiltInCCM: builtInCCM(c, f.Roles)}
	provider := ownProviderArguments(c, version)
	if f.Roles.Etcd && !c.Bool("disable-etcd") {
		r.Static = append(r.Static, StaticPod{Etcd, []string{"--config-file=" + dataDir + "/server/db/etcd/config"}})
	}
	if f.Roles.ControlPlane {
		r.Static = append(r.Static,
			StaticPod{KubeAPIServer, concat(
				[]string{"--admission-control-config-file=" + psaConfig}, provider,
				preferredAddressTypes(c), mergeArguments(apiServerDefaults(c, f), c.List("kube-apiserver-arg")))},
			StaticPod{KubeControllerManager, concat(
				[]string{"--flex-volume-plugin-dir=/var/lib/kubelet/volumeplugins", "--terminated-pod-gc-threshold=1000", "--permit-port-sharing=true"},
				provider, mergeArguments(controllerManagerDefaults(c, r.BuiltInCCM), c.List("kube-controller-manager-arg")))},
			StaticPod{KubeScheduler, concat(
				[]string{"--permit-port-sharing=true"}, mergeArguments(schedulerDefaults(), c.List("kube-scheduler-arg")))},
		)
		if r.BuiltInCCM {
			r.Static = append(r.Static, StaticPod{CloudControllerManager,
				mergeArguments(cloudControllerDefaults(c), c.List("kube-cloud-controller-manager-arg"))})
		}
	}
	r.Static = append(r.Static, StaticPod{kubeProxy, mergeArguments(kubeProxyDefaults(c, nodeName), c.List("kube-proxy-arg"))})
	r.Kubelet = concat(
		[]string{"--volume-plugin-dir=/var/lib/kubelet/volumeplugins", "--file-check-frequency=5s", "--sync-frequency=30s"},
		provider, mergeArguments(kubeletDefaults(c, f, nodeName), c.List("kubelet-arg")))
	return r, nil
}

// checkConfig returns the errors with which rke2 refuses to start (pkg/rke2/rke2_linux.go).
func checkConfig(c RKE2Config) error {
	provided := c.IsSet("cloud-provider-config") || c.IsSet("cloud-provider-name")
	if provided && c.IsSet("node-external-ip") {
		return errors.New("can't set node-external-ip while using cloud provider")
	}
	if c.String("cloud-provider-config") != "" && c.String("cloud-provider-name") == "" {
		return fmt.Errorf("--cloud-provider-config requires --cloud-provider-name to be provided")
	}
	return nil
}

// builtInCCM reports whether RKE2's own cloud controller manager is on: in RKE2 ≤ 1.35 unless a
// provider is named or it is disabled. An agent follows its servers, to which Rancher gives the
// same provider.
func builtInCCM(c RKE2Config, _ Roles) bool {
	return !c.IsSet("cloud-provider-config") && !c.IsSet("cloud-provider-name") && !c.Bool("disable-cloud-controller")
}

func preferredAddressTypes(c RKE2Config) []string {
	if _, given := lastFlag(c.List("kube-apiserver-arg"), "kubelet-preferred-address-types"); given {
		return nil
	}
	return []string{"--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname"}
}

func concat(parts ...[]string) []string {
	var out []string
	for _, part := range parts {
		out = append(out, part...)
	}
	return out
}

func tlsFile(name string) string { return path.Join(serverTLS, name) }

func orDefault(value, fallback string) string {
	if strings.TrimSpace(value) == "" {
		return fallback
	}
	return value
}
