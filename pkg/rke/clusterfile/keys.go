package clusterfile

// The keys rke knows, at the places where a misspelt one would matter to a
// migration (rancher/rke:types/rke_types.go, v1.3.20 to v1.8.0).

func topKeys() []string {
	return []string{
		"nodes", "services", "network", "authentication", "addons", "addons_include", "system_images",
		"ssh_key_path", "ssh_cert_path", "ssh_agent_auth", "authorization", "ignore_docker_version",
		"enable_cri_dockerd", "kubernetes_version", "private_registries", "ingress", "cluster_name",
		"cloud_provider", "prefix_path", "win_prefix_path", "addon_job_timeout", "bastion_host",
		"monitoring", "restore", "rotate_certificates", "rotate_encryption_key", "dns",
		"upgrade_strategy", "cri_dockerd_stream_server_address", "cri_dockerd_stream_server_port",
	}
}

func serviceNames() []string {
	return []string{"etcd", "kube-api", "kube-controller", "scheduler", "kubelet", "kubeproxy"}
}

// otherServiceNames are names of the same components elsewhere in Kubernetes.
func otherServiceNames() map[string]string {
	return map[string]string{
		"kubeapiserver":         "kube-api",
		"apiserver":             "kube-api",
		"kubecontrollermanager": "kube-controller",
		"controllermanager":     "kube-controller",
		"controller":            "kube-controller",
		"kubescheduler":         "scheduler",
	}
}

func serviceKeys(name string) []string {
	keys := []string{
		"image", "extra_args", "extra_args_array", "extra_binds", "extra_env",
		"win_extra_args", "win_extra_args_array", "win_extra_binds", "win_extra_env",
	}
	switch name {
	case "etcd":
		keys = append(keys, "external_urls", "ca_cert", "cert", "key", "path", "uid", "gid",
			"snapshot", "retention", "creation", "backup_config")
	case "kube-api":
		keys = append(keys, "service_cluster_ip_range", "service_node_port_range", "pod_security_policy",
			"pod_security_configuration", "always_pull_images", "secrets_encryption_config", "audit_log",
			"admission_configuration", "event_rate_limit")
	case "kube-controller":
		keys = append(keys, "cluster_cidr", "service_cluster_ip_range")
	case "kubelet":
		keys = append(keys, "cluster_domain", "infra_container_image", "cluster_dns_server",
			"fail_swap_on", "generate_serving_certificate")
	}
	return keys
}

func cloudProviderKeys() []string {
	return []string{
		"name", "useInstanceMetadataHostname", "awsCloudProvider", "azureCloudProvider",
		"openstackCloudProvider", "vsphereCloudProvider", "harvesterCloudProvider", "customCloudProvider",
	}
}

func nodeKeys() []string {
	return []string{
		"nodeName", "address", "port", "internal_address", "role", "hostname_override", "user",
		"docker_socket", "ssh_agent_auth", "ssh_key", "ssh_key_path", "ssh_cert", "ssh_cert_path",
		"labels", "taints",
	}
}
