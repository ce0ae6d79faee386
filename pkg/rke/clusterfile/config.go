package clusterfile

import (
	"slices"
	"strings"
)

// Config is the part of cluster.yml that a migration reads, with rke's meaning
// (rancher/rke:types/rke_types.go@v1.5.9). It has no defaults: an absent key is the zero value,
// for which rke may use its own default.
type Config struct {
	ClusterName       string            `yaml:"cluster_name"`
	KubernetesVersion string            `yaml:"kubernetes_version"` // vX.Y.Z-rancherN-M; empty for the rke binary's default
	Services          Services          `yaml:"services"`
	CloudProvider     CloudProvider     `yaml:"cloud_provider"`
	Nodes             []Node            `yaml:"nodes"`
	UpgradeStrategy   UpgradeStrategy   `yaml:"upgrade_strategy"`
	SystemImages      map[string]string `yaml:"system_images"` // by key: kubernetes, etcd, ...
	// SystemImagesKubernetes is the image that overrides KubernetesVersion.
	SystemImagesKubernetes string   `yaml:"-"`
	Network                Network  `yaml:"network"`
	Ingress                Provider `yaml:"ingress"`
	DNS                    Provider `yaml:"dns"`
	Monitoring             Provider `yaml:"monitoring"`
	Addons                 string   `yaml:"addons"`
	AddonsInclude          []string `yaml:"addons_include"`
	PrefixPath             string   `yaml:"prefix_path"`
	EnableCRIDockerd       *bool    `yaml:"enable_cri_dockerd"`
	IgnoreDockerVersion    *bool    `yaml:"ignore_docker_version"`
}

// Services holds the components that rke runs, by the keys of cluster.yml.
type Services struct {
	Etcd           Service `yaml:"etcd"`
	KubeAPI        Service `yaml:"kube-api"`
	KubeController Service `yaml:"kube-controller"`
	Scheduler      Service `yaml:"scheduler"`
	Kubelet        Service `yaml:"kubelet"`
	Kubeproxy      Service `yaml:"kubeproxy"`
}

// Service holds the options that all components share. Values of arguments are their source
// text: True stays True and 1.50 stays 1.50.
type Service struct {
	Image             string              `yaml:"image"`
	ExtraArgs         map[string]string   `yaml:"extra_args"`
	ExtraArgsArray    map[string][]string `yaml:"extra_args_array"`
	ExtraBinds        []string            `yaml:"extra_binds"`
	ExtraEnv          []string            `yaml:"extra_env"`
	WinExtraArgs      map[string]string   `yaml:"win_extra_args"`
	WinExtraArgsArray map[string][]string `yaml:"win_extra_args_array"`
}

// CloudProvider is the section cloud_provider.
type CloudProvider struct {
	Name                        string `yaml:"name"`
	UseInstanceMetadataHostname *bool  `yaml:"useInstanceMetadataHostname"`
	// AWS is nil if the key is absent or null. If it is empty ({}), it is not nil, and rke uses
	// the in-tree provider regardless of Name.
	AWS    *AWSCloudProvider `yaml:"awsCloudProvider"`
	Custom string            `yaml:"customCloudProvider"` // verbatim; overrides AWS
	// Blocks names the other providers that have options, even empty ones, in rke's order:
	// azure, openstack, vsphere, harvester.
	Blocks []string `yaml:"-"`
}

// AWSCloudProvider is the in-tree provider's configuration.
type AWSCloudProvider struct {
	Global          AWSGlobal                     `yaml:"global"`
	ServiceOverride map[string]AWSServiceOverride `yaml:"service_override"`
}

// AWSGlobal is the section [Global] of the cloud config.
type AWSGlobal struct {
	Zone                        string `yaml:"zone"`
	VPC                         string `yaml:"vpc"`
	SubnetID                    string `yaml:"subnet-id"`
	RouteTableID                string `yaml:"routetable-id"`
	RoleARN                     string `yaml:"role-arn"`
	KubernetesClusterTag        string `yaml:"kubernetes-cluster-tag"`
	KubernetesClusterID         string `yaml:"kubernetes-cluster-id"`
	DisableSecurityGroupIngress bool   `yaml:"disable-security-group-ingress"`
	ElbSecurityGroup            string `yaml:"elb-security-group"`
	DisableStrictZoneCheck      bool   `yaml:"disable-strict-zone-check"`
}

// AWSServiceOverride is a section [ServiceOverride "n"] of the cloud config.
type AWSServiceOverride struct {
	Service       string `yaml:"service"`
	Region        string `yaml:"region"`
	URL           string `yaml:"url"`
	SigningRegion string `yaml:"signing-region"`
	SigningMethod string `yaml:"signing-method"`
	SigningName   string `yaml:"signing-name"`
}

// Node is an entry of nodes.
type Node struct {
	NodeName         string            `yaml:"nodeName"`
	Address          string            `yaml:"address"`
	Port             string            `yaml:"port"`
	InternalAddress  string            `yaml:"internal_address"`
	Role             []string          `yaml:"role"` // controlplane, etcd, worker
	HostnameOverride string            `yaml:"hostname_override"`
	User             string            `yaml:"user"`
	Labels           map[string]string `yaml:"labels"`
	Taints           []Taint           `yaml:"taints"`
}

// ControlPlanes returns the addresses by which rke reaches the nodes with an API server.
func (c Config) ControlPlanes() []string {
	var all []string
	for _, node := range c.Nodes {
		if slices.Contains(node.Role, "controlplane") {
			all = append(all, node.Address)
		}
	}
	return all
}

// Taint is a taint of a node.
type Taint struct {
	Key    string `yaml:"key"`
	Value  string `yaml:"value"`
	Effect string `yaml:"effect"`
}

// UpgradeStrategy describes how rke rolls nodes. The limits are numbers or percentages as text.
// If they are empty, rke uses 10% of the workers and 1 control-plane node.
type UpgradeStrategy struct {
	MaxUnavailableWorker       string `yaml:"max_unavailable_worker"`
	MaxUnavailableControlplane string `yaml:"max_unavailable_controlplane"`
	Drain                      *bool  `yaml:"drain"`
}

// Network is the section network.
type Network struct {
	Plugin  string            `yaml:"plugin"`
	Options map[string]string `yaml:"options"`
	MTU     int               `yaml:"mtu"`
}

// Provider is an addon that rke deploys: ingress, DNS, metrics.
type Provider struct {
	Provider string            `yaml:"provider"`
	Options  map[string]string `yaml:"options"`
}

// Drains reports whether rke drains nodes during a rollout; by default it does not.
func (u UpgradeStrategy) Drains() bool { return u.Drain != nil && *u.Drain }

// Flag returns the value of an extra argument from either map, with or without leading dashes.
func (s Service) Flag(name string) (string, bool) {
	for key, value := range s.ExtraArgs {
		if FlagName(key) == name {
			return value, true
		}
	}
	for key, values := range s.ExtraArgsArray {
		if FlagName(key) == name {
			return strings.Join(values, ","), true
		}
	}
	return "", false
}

// FlagName returns the flag for a key of extra_args: pflag treats underscores as hyphens, and
// rke adds the dashes.
func FlagName(key string) string {
	return strings.ReplaceAll(strings.TrimLeft(key, "-"), "_", "-")
}
