package rke

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Names of cloud providers that mean something to rke.
const (
	inTreeAWS   = "aws"
	externalAWS = "external-aws"
)

// Cluster is a configuration with rke's defaults and a resolved cloud provider.
type Cluster struct {
	Config
	Release     Release
	CloudConfig string // text of /etc/kubernetes/cloud-config
	Hosts       []*Host

	clusterCIDR, clusterDNS, clusterDomain string
}

// Host is a node with its roles as booleans.
type Host struct {
	Node
	ControlPlane, Etcd, Worker bool
}

// Resolve adds rke's defaults and returns rke's errors (rancher/rke:cluster/cluster.go
// InitClusterObject@v1.5.10).
func (r Release) Resolve(c Config) (*Cluster, error) {
	out := &Cluster{Config: c.clone(), Release: r}
	if err := out.setDefaults(); err != nil {
		return nil, err
	}
	if err := out.setCloudProvider(); err != nil {
		return nil, fmt.Errorf("Failed to register cloud provider: %w", err) //nolint:staticcheck // rke's words
	}
	if err := out.setHosts(); err != nil {
		return nil, fmt.Errorf("Failed to classify hosts from config file: %w", err) //nolint:staticcheck // rke's words
	}
	if err := out.validate(); err != nil {
		return nil, fmt.Errorf("Failed to validate cluster: %w", err) //nolint:staticcheck // rke's words
	}
	return out, nil
}

func setDefault(to *string, value string) {
	if *to == "" {
		*to = value
	}
}

func (c *Cluster) setDefaults() error {
	setDefault(&c.SSHKeyPath, "~/.ssh/id_rsa")
	setDefault(&c.PrefixPath, "/")
	for i := range c.Nodes {
		n := &c.Nodes[i]
		setDefault(&n.InternalAddress, n.Address)
		setDefault(&n.HostnameOverride, n.Address)
		setDefault(&n.SSHKeyPath, c.SSHKeyPath)
		setDefault(&n.Port, "22")
		n.HostnameOverride = strings.ToLower(n.HostnameOverride)
		n.SSHAgentAuth = c.SSHAgentAuth
	}
	for to, value := range map[*string]string{
		&c.Authorization.Mode: "rbac", &c.Ingress.Provider: "nginx", &c.ClusterName: "local", &c.Monitoring.Provider: "metrics-server",
		&c.Network.Plugin: "canal", &c.Authentication.Strategy: "x509",
	} {
		setDefault(to, value)
	}
	setDefault(&c.Version, c.Release.DefaultVersion())
	if c.AddonJobTimeout == 0 {
		c.AddonJobTimeout = 45
	}
	if err := c.setImages(); err != nil {
		return err
	}
	no, yes := false, true
	if c.CloudProvider.Name == inTreeAWS && c.CloudProvider.UseInstanceMetadataHostname == nil {
		c.CloudProvider.UseInstanceMetadataHostname = &no
	}
	if v, err := parseVersion(c.Version); err == nil && v.atLeast(1, 24, 0) && c.EnableCRIDockerd == nil {
		c.EnableCRIDockerd = &yes
	}
	c.setServiceDefaults()
	if c.UpgradeStrategy == nil {
		c.UpgradeStrategy = &UpgradeStrategy{}
	}
	setDefault(&c.UpgradeStrategy.MaxUnavailableWorker, "10%")
	setDefault(&c.UpgradeStrategy.MaxUnavailableControlplane, "1")
	return nil
}

// setImages adds the version's images where cluster.yml names none. An image that it names for
// Kubernetes determines the version.
func (c *Cluster) setImages() error {
	given := c.SystemImages
	images, err := c.Release.images(c.Version)
	if err != nil && given.Kubernetes == "" {
		return err
	}
	own := images.Kubernetes
	for _, image := range []struct{ to, given *string }{
		{&images.Etcd, &given.Etcd}, {&images.Alpine, &given.Alpine}, {&images.NginxProxy, &given.NginxProxy},
		{&images.CertDownloader, &given.CertDownloader}, {&images.KubernetesServicesSidecar, &given.KubernetesServicesSidecar},
		{&images.Kubernetes, &given.Kubernetes}, {&images.PodInfraContainer, &given.PodInfraContainer},
	} {
		if *image.given != "" {
			*image.to = *image.given
		}
	}
	c.SystemImages = images
	if given.Kubernetes != "" && given.Kubernetes != own {
		_, c.Version, _ = strings.Cut(given.Kubernetes, ":")
	}
	return nil
}

func (c *Cluster) setServiceDefaults() {
	s := &c.Services
	for _, to := range []*string{&s.KubeAPI.Image, &s.Scheduler.Image, &s.KubeController.Image, &s.Kubelet.Image, &s.Kubeproxy.Image} {
		*to = c.SystemImages.Kubernetes
	}
	s.Etcd.Image = c.SystemImages.Etcd
	yes := true
	if s.Etcd.Snapshot == nil {
		s.Etcd.Snapshot = &yes
	}
	for to, value := range map[*string]string{
		&s.KubeAPI.ServiceClusterIPRange: "10.43.0.0/16", &s.KubeAPI.ServiceNodePortRange: "30000-32767",
		&s.KubeController.ServiceClusterIPRange: "10.43.0.0/16", &s.KubeController.ClusterCIDR: "10.42.0.0/16",
		&s.Kubelet.ClusterDNSServer: "10.43.0.10", &s.Kubelet.ClusterDomain: "cluster.local",
		&s.Kubelet.InfraContainerImage: c.SystemImages.PodInfraContainer,
		&s.Etcd.Creation:               "12h", &s.Etcd.Retention: "72h",
	} {
		setDefault(to, value)
	}
	if s.Etcd.ExtraArgs == nil {
		s.Etcd.ExtraArgs = map[string]string{}
	}
	for name, value := range map[string]string{"election-timeout": "5000", "heartbeat-interval": "500"} {
		if _, ok := s.Etcd.ExtraArgs[name]; !ok {
			s.Etcd.ExtraArgs[name] = value
		}
	}
	c.clusterCIDR, c.clusterDNS, c.clusterDomain = s.KubeController.ClusterCIDR, s.Kubelet.ClusterDNSServer, s.Kubelet.ClusterDomain
}

// setCloudProvider selects the provider as rke does: awsCloudProvider makes it aws regardless
// of the name, customCloudProvider keeps the name (rancher/rke:cloudprovider/cloudprovider.go,
// cluster/defaults.go@v1.5.10).
func (c *Cluster) setCloudProvider() error {
	p := &c.CloudProvider
	switch {
	case p.Custom != "":
		c.CloudConfig = p.Custom
		if p.Name == "" {
			return fmt.Errorf("name of the cloud provider is not defined for custom provider")
		}
	case p.AWS != nil || p.Name == inTreeAWS:
		p.Name, c.CloudConfig = inTreeAWS, p.AWS.cloudConfig()
	default:
		return nil
	}
	if p.Name != inTreeAWS || !c.Release.knowsExternalAWS() {
		return nil
	}
	v, err := parseVersion(c.Version)
	if err != nil {
		return fmt.Errorf("failed to get cluster version for checking cloud provider: %w", err)
	}
	if v.atLeast(1, 27, 0) {
		return fmt.Errorf("Cloud provider aws is invalid for [%s]", c.Version) //nolint:staticcheck // rke's words
	}
	return nil
}

func (c *Cluster) setHosts() error {
	for _, n := range c.Nodes {
		h := &Host{Node: n}
		for _, role := range n.Role {
			switch role {
			case "etcd":
				h.Etcd = true
			case "controlplane":
				h.ControlPlane = true
			case "worker":
				h.Worker = true
			default:
				return fmt.Errorf("Failed to recognize host [%s] role %s", n.Address, role) //nolint:staticcheck // rke's words
			}
		}
		c.Hosts = append(c.Hosts, h)
	}
	return nil
}

// validate is rke's own validation, for the parts that the stand-in has.
func (c *Cluster) validate() error {
	if _, err := parseVersion(c.Version); err != nil {
		return err
	}
	addresses, names := map[string]bool{}, map[string]bool{}
	for i, n := range c.Nodes {
		switch {
		case n.Address == "":
			return fmt.Errorf("address for host (%d) is not provided", i+1)
		case addresses[n.Address]:
			return fmt.Errorf("Cluster can't have duplicate node: %s", n.Address)
		case names[n.HostnameOverride]:
			return fmt.Errorf("Cluster can't have duplicate node: %s", n.HostnameOverride)
		case n.User == "":
			return fmt.Errorf("User for host (%d) is not provided", i+1) //nolint:staticcheck // rke's words
		case len(n.Role) == 0:
			return fmt.Errorf("Role for host (%d) is not provided", i+1) //nolint:staticcheck // rke's words
		case len(validation.IsDNS1123Subdomain(n.HostnameOverride)) > 0:
			return fmt.Errorf("Hostname_override [%s] for host (%d) is not valid", n.HostnameOverride, i+1) //nolint:staticcheck // rke's words
		}
		addresses[n.Address], names[n.HostnameOverride] = true, true
	}
	return c.validateCount()
}

func (c *Cluster) validateCount() error {
	if len(c.with(func(h *Host) bool { return h.Etcd })) == 0 {
		return fmt.Errorf("Cluster must have at least one etcd plane host: please specify one or more etcd in cluster config")
	}
	if len(c.controlPlanes()) == 0 {
		return fmt.Errorf("Cluster must have at least one controlplane host: please specify one or more controlplane in cluster config")
	}
	return nil
}

func (c *Cluster) with(keep func(*Host) bool) []*Host {
	var out []*Host
	for _, h := range c.Hosts {
		if keep(h) {
			out = append(out, h)
		}
	}
	return out
}

func (c *Cluster) controlPlanes() []*Host {
	return c.with(func(h *Host) bool { return h.ControlPlane })
}

// drop removes an unreachable host, also from the configuration.
func (c *Cluster) drop(gone *Host) {
	c.Hosts = slices.DeleteFunc(c.Hosts, func(h *Host) bool { return h == gone })
	c.Nodes = slices.DeleteFunc(c.Nodes, func(n Node) bool { return n.Address == gone.Address })
}

// providerFlag returns the value of --cloud-provider.
func (c *Cluster) providerFlag() string {
	if c.CloudProvider.Name == externalAWS && c.Release.knowsExternalAWS() {
		return "external"
	}
	return c.CloudProvider.Name
}

// metadataName reports whether containers must determine their node's name themselves.
func (c *Cluster) metadataName(providers ...string) bool {
	p := c.CloudProvider
	return c.Release.knowsExternalAWS() && slices.Contains(providers, p.Name) && p.UseInstanceMetadataHostname != nil && *p.UseInstanceMetadataHostname
}
