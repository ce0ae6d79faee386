package rke

// Config is cluster.yml (YAML tags), and the rkeConfig of a state (JSON tags), with the parts
// that the stand-in has (rancher/rke:types/rke_types.go@v1.5.10).
type Config struct {
	Nodes               []Node           `yaml:"nodes" json:"nodes,omitempty"`
	Services            Services         `yaml:"services" json:"services,omitempty"`
	Network             Network          `yaml:"network" json:"network,omitempty"`
	Authentication      Authentication   `yaml:"authentication" json:"authentication,omitempty"`
	Addons              string           `yaml:"addons" json:"addons,omitempty"`
	AddonsInclude       []string         `yaml:"addons_include" json:"addonsInclude,omitempty"`
	SystemImages        SystemImages     `yaml:"system_images" json:"systemImages,omitempty"`
	SSHKeyPath          string           `yaml:"ssh_key_path" json:"sshKeyPath,omitempty"`
	SSHAgentAuth        bool             `yaml:"ssh_agent_auth" json:"sshAgentAuth"`
	Authorization       Authorization    `yaml:"authorization" json:"authorization,omitempty"`
	IgnoreDockerVersion *bool            `yaml:"ignore_docker_version" json:"ignoreDockerVersion"`
	EnableCRIDockerd    *bool            `yaml:"enable_cri_dockerd" json:"enableCriDockerd"`
	Version             string           `yaml:"kubernetes_version" json:"kubernetesVersion,omitempty"`
	Ingress             Ingress          `yaml:"ingress" json:"ingress,omitempty"`
	ClusterName         string           `yaml:"cluster_name" json:"clusterName,omitempty"`
	CloudProvider       CloudProvider    `yaml:"cloud_provider" json:"cloudProvider,omitempty"`
	PrefixPath          string           `yaml:"prefix_path" json:"prefixPath,omitempty"`
	AddonJobTimeout     int              `yaml:"addon_job_timeout" json:"addonJobTimeout,omitempty"`
	Monitoring          Monitoring       `yaml:"monitoring" json:"monitoring,omitempty"`
	Restore             Restore          `yaml:"restore" json:"restore,omitempty"`
	RotateEncryptionKey bool             `yaml:"rotate_encryption_key" json:"rotateEncryptionKey"`
	DNS                 *DNS             `yaml:"dns" json:"dns,omitempty"`
	UpgradeStrategy     *UpgradeStrategy `yaml:"upgrade_strategy,omitempty" json:"upgradeStrategy,omitempty"`
}

// Node is a machine and its roles.
type Node struct {
	NodeName         string            `yaml:"nodeName,omitempty" json:"nodeName,omitempty"`
	Address          string            `yaml:"address" json:"address,omitempty"`
	Port             string            `yaml:"port" json:"port,omitempty"`
	InternalAddress  string            `yaml:"internal_address" json:"internalAddress,omitempty"`
	Role             []string          `yaml:"role" json:"role,omitempty"`
	HostnameOverride string            `yaml:"hostname_override" json:"hostnameOverride,omitempty"`
	User             string            `yaml:"user" json:"user,omitempty"`
	DockerSocket     string            `yaml:"docker_socket" json:"dockerSocket,omitempty"`
	SSHAgentAuth     bool              `yaml:"ssh_agent_auth,omitempty" json:"sshAgentAuth,omitempty"`
	SSHKey           string            `yaml:"ssh_key" json:"sshKey,omitempty"`
	SSHKeyPath       string            `yaml:"ssh_key_path" json:"sshKeyPath,omitempty"`
	Labels           map[string]string `yaml:"labels" json:"labels,omitempty"`
	Taints           []Taint           `yaml:"taints" json:"taints,omitempty"`
}

// Taint is a taint that a user gave a node.
type Taint struct {
	Key    string `yaml:"key" json:"key,omitempty"`
	Value  string `yaml:"value" json:"value,omitempty"`
	Effect string `yaml:"effect" json:"effect,omitempty"`
}

// Services holds the components' settings.
type Services struct {
	Etcd           Etcd           `yaml:"etcd" json:"etcd,omitempty"`
	KubeAPI        KubeAPI        `yaml:"kube-api" json:"kubeApi,omitempty"`
	KubeController KubeController `yaml:"kube-controller" json:"kubeController,omitempty"`
	Scheduler      Scheduler      `yaml:"scheduler" json:"scheduler,omitempty"`
	Kubelet        Kubelet        `yaml:"kubelet" json:"kubelet,omitempty"`
	Kubeproxy      Kubeproxy      `yaml:"kubeproxy" json:"kubeproxy,omitempty"`
}

// Service holds the settings that every component shares.
type Service struct {
	Image          string              `yaml:"image" json:"image,omitempty"`
	ExtraArgs      map[string]string   `yaml:"extra_args" json:"extraArgs,omitempty"`
	ExtraArgsArray map[string][]string `yaml:"extra_args_array" json:"extraArgsArray,omitempty"`
	ExtraBinds     []string            `yaml:"extra_binds" json:"extraBinds,omitempty"`
	ExtraEnv       []string            `yaml:"extra_env" json:"extraEnv,omitempty"`

	WindowsExtraArgs      map[string]string   `yaml:"win_extra_args" json:"winExtraArgs,omitempty"`
	WindowsExtraArgsArray map[string][]string `yaml:"win_extra_args_array" json:"winExtraArgsArray,omitempty"`
}

// Etcd holds the settings of etcd and its snapshots.
type Etcd struct {
	Service   `yaml:",inline"`
	Snapshot  *bool  `yaml:"snapshot" json:"snapshot,omitempty"`
	Retention string `yaml:"retention" json:"retention,omitempty"`
	Creation  string `yaml:"creation" json:"creation,omitempty"`
}

// KubeAPI configures the kube-apiserver.
type KubeAPI struct {
	Service               `yaml:",inline"`
	ServiceClusterIPRange string `yaml:"service_cluster_ip_range" json:"serviceClusterIpRange,omitempty"`
	ServiceNodePortRange  string `yaml:"service_node_port_range" json:"serviceNodePortRange,omitempty"`
	PodSecurity           string `yaml:"pod_security_configuration" json:"podSecurityConfiguration,omitempty"`
	AlwaysPullImages      bool   `yaml:"always_pull_images" json:"alwaysPullImages,omitempty"`
}

// KubeController configures the kube-controller-manager.
type KubeController struct {
	Service               `yaml:",inline"`
	ClusterCIDR           string `yaml:"cluster_cidr" json:"clusterCidr,omitempty"`
	ServiceClusterIPRange string `yaml:"service_cluster_ip_range" json:"serviceClusterIpRange,omitempty"`
}

// Kubelet configures every node's kubelet.
type Kubelet struct {
	Service             `yaml:",inline"`
	ClusterDomain       string `yaml:"cluster_domain" json:"clusterDomain,omitempty"`
	InfraContainerImage string `yaml:"infra_container_image" json:"infraContainerImage,omitempty"`
	ClusterDNSServer    string `yaml:"cluster_dns_server" json:"clusterDnsServer,omitempty"`
	FailSwapOn          bool   `yaml:"fail_swap_on" json:"failSwapOn,omitempty"`
}

// Kubeproxy has no settings of its own.
type Kubeproxy struct {
	Service `yaml:",inline"`
}

// Scheduler has no settings of its own.
type Scheduler struct {
	Service `yaml:",inline"`
}

// Network is kept and has no effect in the stand-in, like the types up to DNS.
type Network struct {
	Plugin  string            `yaml:"plugin" json:"plugin,omitempty"`
	Options map[string]string `yaml:"options" json:"options,omitempty"`
	MTU     int               `yaml:"mtu" json:"mtu,omitempty"`
}

// Authentication configures how users authenticate.
type Authentication struct {
	Strategy string   `yaml:"strategy" json:"strategy,omitempty"`
	SANs     []string `yaml:"sans" json:"sans,omitempty"`
}

// Authorization is rbac or none.
type Authorization struct {
	Mode    string            `yaml:"mode" json:"mode,omitempty"`
	Options map[string]string `yaml:"options" json:"options,omitempty"`
}

// Ingress configures the ingress controller.
type Ingress struct {
	Provider     string            `yaml:"provider" json:"provider,omitempty"`
	Options      map[string]string `yaml:"options" json:"options,omitempty"`
	NodeSelector map[string]string `yaml:"node_selector" json:"nodeSelector,omitempty"`
	ExtraArgs    map[string]string `yaml:"extra_args" json:"extraArgs,omitempty"`
}

// Monitoring configures the metrics server.
type Monitoring struct {
	Provider string            `yaml:"provider" json:"provider,omitempty"`
	Options  map[string]string `yaml:"options" json:"options,omitempty"`
}

// Restore configures the restore of a snapshot.
type Restore struct {
	Restore      bool   `yaml:"restore" json:"restore,omitempty"`
	SnapshotName string `yaml:"snapshot_name" json:"snapshotName,omitempty"`
}

// DNS configures the cluster's DNS.
type DNS struct {
	Provider string `yaml:"provider" json:"provider,omitempty"`
}

// UpgradeStrategy limits how many nodes may be away at once.
type UpgradeStrategy struct {
	MaxUnavailableWorker       string `yaml:"max_unavailable_worker" json:"maxUnavailableWorker,omitempty"`
	MaxUnavailableControlplane string `yaml:"max_unavailable_controlplane" json:"maxUnavailableControlplane,omitempty"`
	Drain                      *bool  `yaml:"drain" json:"drain,omitempty"`
}

// CloudProvider selects the cloud provider.
type CloudProvider struct {
	Name                        string            `yaml:"name" json:"name,omitempty"`
	UseInstanceMetadataHostname *bool             `yaml:"useInstanceMetadataHostname,omitempty" json:"useInstanceMetadataHostname,omitempty"`
	AWS                         *AWSCloudProvider `yaml:"awsCloudProvider,omitempty" json:"awsCloudProvider,omitempty"`
	Custom                      string            `yaml:"customCloudProvider,omitempty" json:"customCloudProvider,omitempty"`
}

// AWSCloudProvider is the in-tree provider's cloud config.
type AWSCloudProvider struct {
	Global          AWSGlobal                     `yaml:"global" json:"global"`
	ServiceOverride map[string]AWSServiceOverride `yaml:"service_override,omitempty" json:"serviceOverride,omitempty"`
}

// AWSGlobal is the section Global.
type AWSGlobal struct {
	Zone                        string `yaml:"zone" json:"zone"`
	VPC                         string `yaml:"vpc" json:"vpc"`
	SubnetID                    string `yaml:"subnet-id" json:"subnet-id"`
	RouteTableID                string `yaml:"routetable-id" json:"routetable-id"`
	RoleARN                     string `yaml:"role-arn" json:"role-arn"`
	KubernetesClusterTag        string `yaml:"kubernetes-cluster-tag" json:"kubernetes-cluster-tag"`
	KubernetesClusterID         string `yaml:"kubernetes-cluster-id" json:"kubernetes-cluster-id"`
	DisableSecurityGroupIngress bool   `yaml:"disable-security-group-ingress" json:"disable-security-group-ingress"`
	ElbSecurityGroup            string `yaml:"elb-security-group" json:"elb-security-group"`
	DisableStrictZoneCheck      bool   `yaml:"disable-strict-zone-check" json:"disable-strict-zone-check"`
}

// AWSServiceOverride is a section ServiceOverride.
type AWSServiceOverride struct {
	Service       string `yaml:"service" json:"service"`
	Region        string `yaml:"region" json:"region"`
	URL           string `yaml:"url" json:"url"`
	SigningRegion string `yaml:"signing-region" json:"signing-region"`
	SigningMethod string `yaml:"signing-method" json:"signing-method"`
	SigningName   string `yaml:"signing-name" json:"signing-name"`
}

// SystemImages holds the images that the stand-in uses.
type SystemImages struct {
	Etcd                      string `yaml:"etcd" json:"etcd,omitempty"`
	Alpine                    string `yaml:"alpine" json:"alpine,omitempty"`
	NginxProxy                string `yaml:"nginx_proxy" json:"nginxProxy,omitempty"`
	CertDownloader            string `yaml:"cert_downloader" json:"certDownloader,omitempty"`
	KubernetesServicesSidecar string `yaml:"kubernetes_services_sidecar" json:"kubernetesServicesSidecar,omitempty"`
	Kubernetes                string `yaml:"kubernetes" json:"kubernetes,omitempty"`
	PodInfraContainer         string `yaml:"pod_infra_container" json:"podInfraContainer,omitempty"`
}
