package rke

// Service options that rke's metadata lays over its own arguments, for Kubernetes
// 1.24 and later (rancher/kontainer-driver-metadata:pkg/rke/
// k8s_service_options.go@7c2ba52). An empty value takes the argument away.

const cipherSuites = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305," +
	"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"

func apiServerOptions() map[string]string {
	return map[string]string{
		"allow-privileged": "true", "anonymous-auth": "false", "api-audiences": "unknown", "bind-address": "0.0.0.0",
		"enable-admission-plugins": "NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,MutatingAdmissionWebhook," +
			"ValidatingAdmissionWebhook,ResourceQuota,NodeRestriction,Priority,TaintNodesByCondition,PersistentVolumeClaimResize",
		"kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname", "profiling": "false",
		"requestheader-extra-headers-prefix": "X-Remote-Extra-", "requestheader-group-headers": "X-Remote-Group",
		"requestheader-username-headers": "X-Remote-User", "runtime-config": "authorization.k8s.io/v1beta1=true", "secure-port": "6443",
		"service-account-issuer": "rke", "service-account-lookup": "true",
		"service-account-signing-key-file": "/etc/kubernetes/ssl/kube-service-account-token-key.pem",
		"storage-backend":                  "etcd3", "tls-cipher-suites": cipherSuites,
	}
}

// controllerOptions returns other options from 1.27 on, which has no pod-eviction-timeout.
func controllerOptions(v version) map[string]string {
	options := map[string]string{
		"allocate-node-cidrs": "true", "allow-untagged-cloud": "true", "configure-cloud-routes": "false",
		"enable-hostpath-provisioner": "false", "leader-elect": "true", "node-monitor-grace-period": "40s",
		"pod-eviction-timeout": "5m0s", "profiling": "false", "terminated-pod-gc-threshold": "1000", "v": "2",
	}
	if v.atLeast(1, 27, 0) {
		delete(options, "pod-eviction-timeout")
	}
	return options
}

func schedulerOptions() map[string]string {
	return map[string]string{"leader-elect": "true", "profiling": "false", "v": "2"}
}

func kubeletOptions() map[string]string {
	return map[string]string{
		"address": "0.0.0.0", "anonymous-auth": "false", "authentication-token-webhook": "true", "authorization-mode": "Webhook",
		"cgroups-per-qos": "True", "enforce-node-allocatable": "", "event-qps": "0", "make-iptables-util-chains": "true",
		"read-only-port": "0", "resolv-conf": "/etc/resolv.conf", "streaming-connection-idle-timeout": "30m",
		"tls-cipher-suites": cipherSuites, "v": "2", "volume-plugin-dir": "/var/lib/kubelet/volumeplugins",
	}
}

func kubeProxyOptions() map[string]string {
	return map[string]string{"healthz-bind-address": "127.0.0.1", "v": "2"}
}
