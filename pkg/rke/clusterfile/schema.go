package clusterfile

// rkeFile is cluster.yml as rke decodes it: every key that it knows, with the
// kind of its value (rancher/rke:types/rke_types.go, backup_types.go, v1.3.20 to
// v1.8.0; keys that came and went in between are all here). What yaml.v2 cannot
// put into it rke does not take either, and a key that is not in it rke ignores.
// any stands for Kubernetes' own structures.
type rkeFile struct {
	Nodes               []rkeNode         `yaml:"nodes"`
	Services            rkeServices       `yaml:"services"`
	Network             rkeNetwork        `yaml:"network"`
	Authentication      rkeAuthentication `yaml:"authentication"`
	Addons              string            `yaml:"addons"`
	AddonsInclude       []string          `yaml:"addons_include"`
	SystemImages        systemImages      `yaml:"system_images"`
	SSHKeyPath          string            `yaml:"ssh_key_path"`
	SSHCertPath         string            `yaml:"ssh_cert_path"`
	SSHAgentAuth        bool              `yaml:"ssh_agent_auth"`
	Authorization       rkeAuthorization  `yaml:"authorization"`
	IgnoreDockerVersion *bool             `yaml:"ignore_docker_version"`
	EnableCRIDockerd    *bool             `yaml:"enable_cri_dockerd"`
	KubernetesVersion   string            `yaml:"kubernetes_version"`
	PrivateRegistries   []rkeRegistry     `yaml:"private_registries"`
	Ingress             rkeIngress        `yaml:"ingress"`
	ClusterName         string            `yaml:"cluster_name"`
	CloudProvider       rkeCloudProvider  `yaml:"cloud_provider"`
	PrefixPath          string            `yaml:"prefix_path"`
	WinPrefixPath       string            `yaml:"win_prefix_path"`
	AddonJobTimeout     int               `yaml:"addon_job_timeout"`
	BastionHost         rkeBastion        `yaml:"bastion_host"`
	Monitoring          rkeMonitoring     `yaml:"monitoring"`
	Restore             struct {
		Restore      bool   `yaml:"restore"`
		SnapshotName string `yaml:"snapshot_name"`
	} `yaml:"restore"`
	RotateCertificates *struct {
		CACertificates bool     `yaml:"cacertificates"`
		Services       []string `yaml:"services"`
	} `yaml:"rotate_certificates"`
	RotateEncryptionKey bool    `yaml:"rotate_encryption_key"`
	DNS                 *rkeDNS `yaml:"dns"`
	UpgradeStrategy     *struct {
		MaxUnavailableWorker       string `yaml:"max_unavailable_worker"`
		MaxUnavailableControlplane string `yaml:"max_unavailable_controlplane"`
		Drain                      *bool  `yaml:"drain"`
		NodeDrainInput             *struct {
			Force            bool  `yaml:"force"`
			IgnoreDaemonSets *bool `yaml:"ignore_daemonsets"`
			DeleteLocalData  bool  `yaml:"delete_local_data"`
			GracePeriod      int   `yaml:"grace_period"`
			Timeout          int   `yaml:"timeout"`
		} `yaml:"node_drain_input"`
	} `yaml:"upgrade_strategy"`
	CRIDockerdStreamServerAddress string `yaml:"cri_dockerd_stream_server_address"`
	CRIDockerdStreamServerPort    string `yaml:"cri_dockerd_stream_server_port"`
}

type rkeNode struct {
	NodeName         string            `yaml:"nodeName"`
	Address          string            `yaml:"address"`
	Port             string            `yaml:"port"`
	InternalAddress  string            `yaml:"internal_address"`
	Role             []string          `yaml:"role"`
	HostnameOverride string            `yaml:"hostname_override"`
	User             string            `yaml:"user"`
	DockerSocket     string            `yaml:"docker_socket"`
	SSHAgentAuth     bool              `yaml:"ssh_agent_auth"`
	SSHKey           string            `yaml:"ssh_key"`
	SSHKeyPath       string            `yaml:"ssh_key_path"`
	SSHCert          string            `yaml:"ssh_cert"`
	SSHCertPath      string            `yaml:"ssh_cert_path"`
	Labels           map[string]string `yaml:"labels"`
	Taints           []struct {
		Key       string `yaml:"key"`
		Value     string `yaml:"value"`
		Effect    string `yaml:"effect"`
		TimeAdded any    `yaml:"timeAdded"`
	} `yaml:"taints"`
}

type rkeServices struct {
	Etcd struct {
		rkeService   `yaml:",inline"`
		ExternalURLs []string `yaml:"external_urls"`
		CACert       string   `yaml:"ca_cert"`
		Cert         string   `yaml:"cert"`
		Key          string   `yaml:"key"`
		Path         string   `yaml:"path"`
		UID          int      `yaml:"uid"`
		GID          int      `yaml:"gid"`
		Snapshot     *bool    `yaml:"snapshot"`
		Retention    string   `yaml:"retention"`
		Creation     string   `yaml:"creation"`
		BackupConfig *struct {
			Enabled       *bool `yaml:"enabled"`
			IntervalHours int   `yaml:"interval_hours"`
			Retention     int   `yaml:"retention"`
			S3            *struct {
				AccessKey  string `yaml:"access_key"`
				SecretKey  string `yaml:"secret_key"`
				BucketName string `yaml:"bucket_name"`
				Region     string `yaml:"region"`
				Endpoint   string `yaml:"endpoint"`
				CustomCA   string `yaml:"custom_ca"`
				Folder     string `yaml:"folder"`
			} `yaml:"s3backupconfig"`
			SafeTimestamp bool `yaml:"safe_timestamp"`
			Timeout       int  `yaml:"timeout"`
		} `yaml:"backup_config"`
	} `yaml:"etcd"`
	KubeAPI struct {
		rkeService               `yaml:",inline"`
		ServiceClusterIPRange    string `yaml:"service_cluster_ip_range"`
		ServiceNodePortRange     string `yaml:"service_node_port_range"`
		PodSecurityPolicy        bool   `yaml:"pod_security_policy"`
		PodSecurityConfiguration string `yaml:"pod_security_configuration"`
		AlwaysPullImages         bool   `yaml:"always_pull_images"`
		SecretsEncryptionConfig  *struct {
			Enabled      bool `yaml:"enabled"`
			CustomConfig any  `yaml:"custom_config"`
		} `yaml:"secrets_encryption_config"`
		AuditLog *struct {
			Enabled       bool `yaml:"enabled"`
			Configuration *struct {
				MaxAge    int    `yaml:"max_age"`
				MaxBackup int    `yaml:"max_backup"`
				MaxSize   int    `yaml:"max_size"`
				Path      string `yaml:"path"`
				Format    string `yaml:"format"`
				Policy    any    `yaml:"policy"`
			} `yaml:"configuration"`
		} `yaml:"audit_log"`
		AdmissionConfiguration any `yaml:"admission_configuration"`
		EventRateLimit         *struct {
			Enabled       bool `yaml:"enabled"`
			Configuration any  `yaml:"configuration"`
		} `yaml:"event_rate_limit"`
	} `yaml:"kube-api"`
	KubeController struct {
		rkeService            `yaml:",inline"`
		ClusterCIDR           string `yaml:"cluster_cidr"`
		ServiceClusterIPRange string `yaml:"service_cluster_ip_range"`
	} `yaml:"kube-controller"`
	Scheduler rkeService `yaml:"scheduler"`
	Kubelet   struct {
		rkeService                 `yaml:",inline"`
		ClusterDomain              string `yaml:"cluster_domain"`
		InfraContainerImage        string `yaml:"infra_container_image"`
		ClusterDNSServer           string `yaml:"cluster_dns_server"`
		FailSwapOn                 bool   `yaml:"fail_swap_on"`
		GenerateServingCertificate bool   `yaml:"generate_serving_certificate"`
	} `yaml:"kubelet"`
	Kubeproxy rkeService `yaml:"kubeproxy"`
}

type rkeService struct {
	Image             string              `yaml:"image"`
	ExtraArgs         map[string]string   `yaml:"extra_args"`
	ExtraArgsArray    map[string][]string `yaml:"extra_args_array"`
	ExtraBinds        []string            `yaml:"extra_binds"`
	ExtraEnv          []string            `yaml:"extra_env"`
	WinExtraArgs      map[string]string   `yaml:"win_extra_args"`
	WinExtraArgsArray map[string][]string `yaml:"win_extra_args_array"`
	WinExtraBinds     []string            `yaml:"win_extra_binds"`
	WinExtraEnv       []string            `yaml:"win_extra_env"`
}

type rkeNetwork struct {
	Plugin  string            `yaml:"plugin"`
	Options map[string]string `yaml:"options"`
	MTU     int               `yaml:"mtu"`
	Calico  *struct {
		CloudProvider string `yaml:"cloudprovider"`
	} `yaml:"calico_network_provider"`
	Canal *struct {
		Iface string `yaml:"iface"`
	} `yaml:"canal_network_provider"`
	Flannel *struct {
		Iface string `yaml:"iface"`
	} `yaml:"flannel_network_provider"`
	Weave *struct {
		Password string `yaml:"password"`
	} `yaml:"weave_network_provider"`
	ACI            map[string]any    `yaml:"aci_network_provider"` // 120 keys, all of Cisco's
	NodeSelector   map[string]string `yaml:"node_selector"`
	UpdateStrategy any               `yaml:"update_strategy"`
	Tolerations    []any             `yaml:"tolerations"`
}

type rkeAuthentication struct {
	Strategy string   `yaml:"strategy"`
	SANs     []string `yaml:"sans"`
	Webhook  *struct {
		ConfigFile   string `yaml:"config_file"`
		CacheTimeout string `yaml:"cache_timeout"`
	} `yaml:"webhook"`
}

type rkeAuthorization struct {
	Mode    string            `yaml:"mode"`
	Options map[string]string `yaml:"options"`
}

type rkeRegistry struct {
	URL                 string `yaml:"url"`
	User                string `yaml:"user"`
	Password            string `yaml:"password"`
	IsDefault           bool   `yaml:"is_default"`
	ECRCredentialPlugin *struct {
		AWSAccessKeyID     string `yaml:"aws_access_key_id"`
		AWSSecretAccessKey string `yaml:"aws_secret_access_key"`
		AWSSessionToken    string `yaml:"aws_session_token"`
	} `yaml:"ecr_credential_plugin"`
}

type rkeIngress struct {
	Provider                                string            `yaml:"provider"`
	Options                                 map[string]string `yaml:"options"`
	NodeSelector                            map[string]string `yaml:"node_selector"`
	ExtraArgs                               map[string]string `yaml:"extra_args"`
	DNSPolicy                               string            `yaml:"dns_policy"`
	ExtraEnvs                               []any             `yaml:"extra_envs"`
	ExtraVolumes                            []any             `yaml:"extra_volumes"`
	ExtraVolumeMounts                       []any             `yaml:"extra_volume_mounts"`
	UpdateStrategy                          any               `yaml:"update_strategy"`
	HTTPPort                                int               `yaml:"http_port"`
	HTTPSPort                               int               `yaml:"https_port"`
	NetworkMode                             string            `yaml:"network_mode"`
	Tolerations                             []any             `yaml:"tolerations"`
	DefaultBackend                          *bool             `yaml:"default_backend"`
	DefaultHTTPBackendPriorityClassName     string            `yaml:"default_http_backend_priority_class_name"`
	NginxIngressControllerPriorityClassName string            `yaml:"nginx_ingress_controller_priority_class_name"`
	DefaultIngressClass                     *bool             `yaml:"default_ingress_class"`
}

// rkeCloudProvider has the other providers' options as maps: there they are, or not.
type rkeCloudProvider struct {
	Name                        string            `yaml:"name"`
	UseInstanceMetadataHostname *bool             `yaml:"useInstanceMetadataHostname"`
	AWS                         *AWSCloudProvider `yaml:"awsCloudProvider"`
	Azure                       map[string]any    `yaml:"azureCloudProvider"`
	OpenStack                   map[string]any    `yaml:"openstackCloudProvider"`
	VSphere                     map[string]any    `yaml:"vsphereCloudProvider"`
	Harvester                   map[string]any    `yaml:"harvesterCloudProvider"`
	Custom                      string            `yaml:"customCloudProvider"`
}

type rkeBastion struct {
	Address            string `yaml:"address"`
	Port               string `yaml:"port"`
	User               string `yaml:"user"`
	SSHAgentAuth       bool   `yaml:"ssh_agent_auth"`
	SSHKey             string `yaml:"ssh_key"`
	SSHKeyPath         string `yaml:"ssh_key_path"`
	SSHCert            string `yaml:"ssh_cert"`
	SSHCertPath        string `yaml:"ssh_cert_path"`
	IgnoreProxyEnvVars bool   `yaml:"ignore_proxy_env_vars"`
}

type rkeMonitoring struct {
	Provider                       string            `yaml:"provider"`
	Options                        map[string]string `yaml:"options"`
	NodeSelector                   map[string]string `yaml:"node_selector"`
	UpdateStrategy                 any               `yaml:"update_strategy"`
	Replicas                       *int32            `yaml:"replicas"`
	Tolerations                    []any             `yaml:"tolerations"`
	MetricsServerPriorityClassName string            `yaml:"metrics_server_priority_class_name"`
}

type rkeDNS struct {
	Provider            string              `yaml:"provider"`
	Options             map[string]string   `yaml:"options"`
	UpstreamNameservers []string            `yaml:"upstreamnameservers"`
	ReverseCIDRs        []string            `yaml:"reversecidrs"`
	StubDomains         map[string][]string `yaml:"stubdomains"`
	NodeSelector        map[string]string   `yaml:"node_selector"`
	NodeLocal           *struct {
		IPAddress                     string            `yaml:"ip_address"`
		UpdateStrategy                any               `yaml:"update_strategy"`
		NodeSelector                  map[string]string `yaml:"node_selector"`
		NodeLocalDNSPriorityClassName string            `yaml:"node_local_dns_priority_class_name"`
	} `yaml:"nodelocal"`
	UpdateStrategy         any `yaml:"update_strategy"`
	LinearAutoscalerParams *struct {
		CoresPerReplica           float64 `yaml:"cores_per_replica"`
		NodesPerReplica           float64 `yaml:"nodes_per_replica"`
		Min                       int     `yaml:"min"`
		Max                       int     `yaml:"max"`
		PreventSinglePointFailure bool    `yaml:"prevent_single_point_failure"`
	} `yaml:"linear_autoscaler_params"`
	Tolerations []any `yaml:"tolerations"`
}

// systemImages are rke's images by key; all are text.
type systemImages map[string]string

func systemImageKeys() []string {
	return []string{
		"etcd", "alpine", "nginx_proxy", "cert_downloader", "kubernetes_services_sidecar", "kubedns", "dnsmasq",
		"kubedns_sidecar", "kubedns_autoscaler", "coredns", "coredns_autoscaler", "nodelocal", "kubernetes",
		"flannel", "flannel_cni", "calico_node", "calico_cni", "calico_controllers", "calico_ctl", "calico_flexvol",
		"canal_node", "canal_cni", "canal_controllers", "canal_flannel", "canal_flexvol", "weave_node", "weave_cni",
		"pod_infra_container", "ingress", "ingress_backend", "ingress_webhook", "metrics_server",
		"windows_pod_infra_container", "aci_cni_deploy_container", "aci_host_container", "aci_opflex_container",
		"aci_mcast_container", "aci_ovs_container", "aci_controller_container", "aci_gbp_server_container",
		"aci_opflex_server_container",
	}
}
