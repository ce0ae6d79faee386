package rke

import (
	"crypto/md5"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// Names of containers.
const (
	apiServer  = "kube-apiserver"
	controller = "kube-controller-manager"
	scheduler  = "kube-scheduler"
	kubelet    = "kubelet"
	kubeProxy  = "kube-proxy"
	etcd       = "etcd"
	nginxProxy = "nginx-proxy"
	sidekick   = "service-sidekick"
)

const (
	entrypoint      = "/opt/rke-tools/entrypoint.sh"
	cloudConfigFile = "/etc/kubernetes/cloud-config"
	ssl             = "/etc/kubernetes/ssl/"
	controlTaint    = "node-role.kubernetes.io/controlplane=true:NoSchedule"
	etcdTaint       = "node-role.kubernetes.io/etcd=true:NoExecute"
)

// Plan returns the containers that rke runs on a host (rancher/rke:cluster/plan.go
// BuildRKEConfigNodePlan@v1.5.10).
func (c *Cluster) Plan(h *Host) map[string]docker.Spec {
	plan := map[string]docker.Spec{
		sidekick:  {Image: c.SystemImages.KubernetesServicesSidecar},
		kubelet:   c.kubeletProcess(h),
		kubeProxy: c.kubeProxyProcess(h),
	}
	if h.ControlPlane {
		plan[apiServer], plan[controller], plan[scheduler] = c.apiServerProcess(h), c.controllerProcess(), c.schedulerProcess()
	} else {
		plan[nginxProxy] = c.proxyProcess()
	}
	if h.Etcd {
		plan[etcd] = c.etcdProcess(h)
	}
	return plan
}

// arguments are the arguments of one component.
type arguments map[string]string

// override replaces rke's own arguments by the metadata's options.
func (a arguments) override(options map[string]string) {
	for name, value := range options {
		if value == "" {
			delete(a, name)
			continue
		}
		a[name] = value
	}
}

// process returns the component's container: extra_args replace arguments, extra_args_array
// adds some. rke writes them in random order; here they are sorted, which rke's comparison
// ignores.
func (a arguments) process(component string, s Service, env []string) docker.Spec {
	maps.Copy(a, s.ExtraArgs)
	words := []string{entrypoint, component}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		words = append(words, "--"+name+"="+a[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.ExtraArgsArray)) {
		for _, value := range s.ExtraArgsArray[name] {
			words = append(words, "--"+name+"="+value)
		}
	}
	return docker.Spec{
		Image: s.Image, Entrypoint: words, Env: unique(env), Restart: "always",
		Binds: unique(append([]string{"/etc/kubernetes:/etc/kubernetes"}, s.ExtraBinds...)),
	}
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (c *Cluster) checksum() string {
	return fmt.Sprintf("RKE_CLOUD_CONFIG_CHECKSUM=%x", md5.Sum([]byte(c.CloudConfig)))
}

// cloud adds the provider's file and returns the variable that changes with it.
func (c *Cluster) cloud(a arguments) []string {
	if c.CloudProvider.Name == "" {
		return nil
	}
	a["cloud-config"] = cloudConfigFile
	return []string{c.checksum()}
}

func (c *Cluster) apiServerProcess(h *Host) docker.Spec {
	s := c.Services.KubeAPI
	a := arguments{
		"admission-control-config-file": "/etc/kubernetes/admission.yaml", "client-ca-file": ssl + "kube-ca.pem",
		"cloud-provider": c.providerFlag(), "etcd-cafile": ssl + "kube-ca.pem", "etcd-certfile": ssl + "kube-node.pem",
		"etcd-keyfile": ssl + "kube-node-key.pem", "etcd-prefix": "/registry", "etcd-servers": c.etcdServers(),
		"kubelet-client-certificate": ssl + "kube-apiserver.pem", "kubelet-client-key": ssl + "kube-apiserver-key.pem",
		"proxy-client-cert-file": ssl + "kube-apiserver-proxy-client.pem", "proxy-client-key-file": ssl + "kube-apiserver-proxy-client-key.pem",
		"requestheader-allowed-names": "kube-apiserver-proxy-client", "requestheader-client-ca-file": ssl + "kube-apiserver-requestheader-ca.pem",
		"service-account-key-file": ssl + "kube-service-account-token-key.pem", "service-cluster-ip-range": s.ServiceClusterIPRange,
		"service-node-port-range": s.ServiceNodePortRange, "tls-cert-file": ssl + "kube-apiserver.pem",
		"tls-private-key-file": ssl + "kube-apiserver-key.pem",
	}
	env := c.cloud(a)
	a.override(apiServerOptions())
	if c.Authorization.Mode == "rbac" {
		a["authorization-mode"] = "Node,RBAC"
	}
	if net.ParseIP(h.InternalAddress) != nil {
		a["advertise-address"] = h.InternalAddress
	}
	if s.AlwaysPullImages {
		a["enable-admission-plugins"] += ",AlwaysPullImages"
	}
	maps.Copy(a, map[string]string{
		"audit-log-path": "/var/log/kube-audit/audit-log.json", "audit-log-maxage": "30", "audit-log-maxbackup": "10",
		"audit-log-maxsize": "100", "audit-log-format": "json", "audit-policy-file": "/etc/kubernetes/audit-policy.yaml",
	})
	return a.process(apiServer, s.Service, append(env, s.ExtraEnv...))
}

func (c *Cluster) etcdServers() string {
	var out []string
	for _, h := range c.with(func(h *Host) bool { return h.Etcd }) {
		out = append(out, "https://"+h.InternalAddress+":2379")
	}
	return strings.Join(out, ",")
}

// controllerProcess appends to the configuration's own extra_env each time, as rke does, and as
// the stored state shows.
func (c *Cluster) controllerProcess() docker.Spec {
	s := &c.Services.KubeController
	kubeconfig := ssl + "kubecfg-kube-controller-manager.yaml"
	a := arguments{
		"cloud-provider": c.providerFlag(), "cluster-cidr": c.clusterCIDR, "kubeconfig": kubeconfig,
		"root-ca-file":                     ssl + "kube-ca.pem",
		"service-account-private-key-file": ssl + "kube-service-account-token-key.pem",
		"service-cluster-ip-range":         s.ServiceClusterIPRange,
	}
	s.ExtraEnv = append(s.ExtraEnv, c.cloud(a)...)
	v, _ := parseVersion(c.Version) // validated
	a.override(controllerOptions(v))
	a["authentication-kubeconfig"], a["authorization-kubeconfig"] = kubeconfig, kubeconfig
	spec := a.process(controller, s.Service, s.ExtraEnv)
	if c.Authorization.Mode == "rbac" {
		spec.Cmd = []string{"--use-service-account-credentials=true"}
	}
	return spec
}

func (c *Cluster) schedulerProcess() docker.Spec {
	kubeconfig := ssl + "kubecfg-kube-scheduler.yaml"
	a := arguments{"kubeconfig": kubeconfig}
	a.override(schedulerOptions())
	a["authentication-kubeconfig"], a["authorization-kubeconfig"] = kubeconfig, kubeconfig
	return a.process(scheduler, c.Services.Scheduler.Service, c.Services.Scheduler.ExtraEnv)
}

func (c *Cluster) kubeletProcess(h *Host) docker.Spec {
	s := c.Services.Kubelet
	a := arguments{
		"client-ca-file": ssl + "kube-ca.pem", "cloud-provider": c.providerFlag(), "cluster-dns": c.clusterDNS,
		"cluster-domain": c.clusterDomain, "fail-swap-on": strconv.FormatBool(s.FailSwapOn), "hostname-override": h.HostnameOverride,
		"kubeconfig": ssl + "kubecfg-kube-node.yaml", "pod-infra-container-image": s.InfraContainerImage, "root-dir": "/var/lib/kubelet",
	}
	if h.ControlPlane && !h.Worker {
		a["register-with-taints"] = controlTaint
	}
	if h.Address != h.InternalAddress {
		a["node-ip"] = h.InternalAddress
	}
	env := append(slices.Clone(s.ExtraEnv), c.cloud(a)...)
	if c.metadataName(externalAWS) {
		delete(a, "hostname-override")
	}
	if c.EnableCRIDockerd != nil && *c.EnableCRIDockerd {
		if v, err := parseVersion(c.Version); err == nil && v.less(version{1, 27, 0}) {
			a["container-runtime"] = "remote"
		}
		a["container-runtime-endpoint"] = "unix:///var/run/cri-dockerd.sock"
		env = append(env, "RKE_KUBELET_CRIDOCKERD=true")
	}
	a.override(kubeletOptions())
	return a.process(kubelet, s.Service, env)
}

func (c *Cluster) kubeProxyProcess(h *Host) docker.Spec {
	a := arguments{"cluster-cidr": c.clusterCIDR, "hostname-override": h.HostnameOverride, "kubeconfig": ssl + "kubecfg-kube-proxy.yaml"}
	a.override(kubeProxyOptions())
	if c.CloudProvider.Name != "" {
		a["bind-address"] = h.InternalAddress
		if c.metadataName(externalAWS, inTreeAWS) {
			delete(a, "hostname-override")
		}
	}
	return a.process(kubeProxy, c.Services.Kubeproxy.Service, c.Services.Kubeproxy.ExtraEnv)
}

func (c *Cluster) proxyProcess() docker.Spec {
	var hosts []string
	for _, h := range c.controlPlanes() {
		hosts = append(hosts, h.InternalAddress)
	}
	env := []string{"CP_HOSTS=" + strings.Join(hosts, ",")}
	return docker.Spec{Image: c.SystemImages.NginxProxy, Entrypoint: []string{"nginx-proxy"}, Cmd: env, Env: env, Restart: "always"}
}

func (c *Cluster) etcdProcess(h *Host) docker.Spec {
	a := arguments{"name": "etcd-" + h.HostnameOverride, "data-dir": "/var/lib/rancher/etcd/", "client-cert-auth": "true", "peer-client-cert-auth": "true"}
	spec := a.process(etcd, c.Services.Etcd.Service, c.Services.Etcd.ExtraEnv)
	spec.Entrypoint = append([]string{"/usr/local/bin/etcd"}, spec.Entrypoint[2:]...)
	return spec
}

// sameSpec is rke's comparison, as sets without an order (rancher/rke:docker/docker.go
// IsContainerUpgradable@v1.5.10).
func sameSpec(a, b docker.Spec) bool {
	set := func(list []string) []string { return slices.Sorted(maps.Keys(toSet(list))) }
	same := func(x, y []string) bool { return slices.Equal(set(x), set(y)) }
	return a.Image == b.Image && same(a.Entrypoint, b.Entrypoint) && same(a.Cmd, b.Cmd) && same(a.Env, b.Env) && same(a.Binds, b.Binds)
}

func toSet(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}
