package drift

// The keys that rke stores, by the path of their parent in cluster.yml. rke ignores all others
// (rancher/rke:types/rke_types.go, backup_types.go@v1.5.9). The schema omits keys that only
// describe how to reach a machine (user, port, keys, bastion host), keys that the command line
// overrides (ignore_docker_version, ssh_agent_auth), and images of services, which rke replaces.
// cloud_provider is compared separately.
//
// "*" marks a key with a map whose keys are data. "~" marks a key with a structure of
// Kubernetes, whose keys differ from the stored ones at most in case.
const serviceKeys = "extra_args* extra_args_array* extra_binds extra_env win_extra_args* win_extra_args_array* win_extra_binds win_extra_env"

func schema() map[string]string {
	return map[string]string{
		"": "services network authentication addons addons_include system_images~ authorization enable_cri_dockerd" +
			" kubernetes_version private_registries ingress cluster_name prefix_path win_prefix_path addon_job_timeout" +
			" monitoring dns upgrade_strategy cri_dockerd_stream_server_address cri_dockerd_stream_server_port",
		"services":      "etcd kube-api kube-controller scheduler kubelet kubeproxy",
		"services.etcd": serviceKeys + " external_urls ca_cert cert key path uid gid snapshot retention creation backup_config",
		"services.kube-api": serviceKeys + " service_cluster_ip_range service_node_port_range pod_security_policy pod_security_configuration" +
			" always_pull_images secrets_encryption_config audit_log admission_configuration~ event_rate_limit",
		"services.kube-controller":                    serviceKeys + " cluster_cidr service_cluster_ip_range",
		"services.scheduler":                          serviceKeys,
		"services.kubelet":                            serviceKeys + " cluster_domain infra_container_image cluster_dns_server fail_swap_on generate_serving_certificate",
		"services.kubeproxy":                          serviceKeys,
		"services.etcd.backup_config":                 "enabled interval_hours retention s3backupconfig safe_timestamp timeout",
		"services.etcd.backup_config.s3backupconfig":  "access_key secret_key bucket_name region endpoint custom_ca folder",
		"services.kube-api.secrets_encryption_config": "enabled custom_config~",
		"services.kube-api.audit_log":                 "enabled configuration",
		"services.kube-api.audit_log.configuration":   "max_age max_backup max_size path format policy~",
		"services.kube-api.event_rate_limit":          "enabled configuration~",
		"network": "plugin options* mtu calico_network_provider canal_network_provider flannel_network_provider" +
			" weave_network_provider aci_network_provider~ node_selector* update_strategy~ tolerations",
		"network.calico_network_provider":          "cloudprovider",
		"network.canal_network_provider":           "iface",
		"network.flannel_network_provider":         "iface",
		"network.weave_network_provider":           "password",
		"network.tolerations":                      "key operator value effect",
		"authentication":                           "strategy sans webhook",
		"authentication.webhook":                   "config_file cache_timeout",
		"authorization":                            "mode options*",
		"private_registries":                       "url user password is_default ecr_credential_plugin",
		"private_registries.ecr_credential_plugin": "aws_access_key_id aws_secret_access_key",
		"ingress": "provider options* node_selector* extra_args* dns_policy extra_envs~ extra_volumes~ extra_volume_mounts~ update_strategy~" +
			" http_port https_port network_mode tolerations default_backend default_http_backend_priority_class_name" +
			" nginx_ingress_controller_priority_class_name default_ingress_class",
		"ingress.tolerations":    "key operator value effect",
		"monitoring":             "provider options* node_selector* update_strategy~ replicas tolerations metrics_server_priority_class_name",
		"monitoring.tolerations": "key operator value effect",
		"dns": "provider options* upstreamnameservers reversecidrs stubdomains* node_selector* nodelocal update_strategy~" +
			" linear_autoscaler_params tolerations",
		"dns.tolerations":                   "key operator value effect",
		"dns.nodelocal":                     "ip_address update_strategy~ node_selector* node_local_dns_priority_class_name",
		"dns.linear_autoscaler_params":      "cores_per_replica nodes_per_replica min max prevent_single_point_failure",
		"upgrade_strategy":                  "max_unavailable_worker max_unavailable_controlplane drain node_drain_input",
		"upgrade_strategy.node_drain_input": "force ignore_daemonsets delete_local_data grace_period timeout",
		"nodes":                             "internal_address hostname_override role labels* taints",
		"nodes.taints":                      "key value effect",
		"cloud_provider":                    "awsCloudProvider customCloudProvider",
		"cloud_provider.awsCloudProvider":   "global service_override~",
		"cloud_provider.awsCloudProvider.global": "zone vpc subnet-id routetable-id role-arn kubernetes-cluster-tag kubernetes-cluster-id" +
			" disable-security-group-ingress elb-security-group disable-strict-zone-check",
	}
}
