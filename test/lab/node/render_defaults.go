package node

import (
	"path"
	"strings"
)

// apiServerDefaults returns the arguments of k3s (pkg/daemons/control/server.go, release 1.26)
// with RKE2's settings, without --advertise-port, which RKE2 removes.
func apiServerDefaults(c RKE2Config, f Facts) map[string]string {
	return map[string]string{
		"advertise-address":                  orDefault(c.String("advertise-address"), f.PrivateIP),
		"allow-privileged":                   "true",
		"anonymous-auth":                     "false",
		"api-audiences":                      issuer + ",rke2",
		"authorization-mode":                 "Node,RBAC",
		"bind-address":                       "0.0.0.0",
		"cert-dir":                           tlsFile("temporary-certs"),
		"client-ca-file":                     tlsFile("client-ca.crt"),
		"egress-selector-config-file":        dataDir + "/server/etc/egress-selector-config.yaml",
		"enable-admission-plugins":           "NodeRestriction",
		"enable-aggregator-routing":          "true",
		"enable-bootstrap-token-auth":        "true",
		"encryption-provider-config":         serverCred + "/encryption-config.json",
		"etcd-cafile":                        tlsFile("etcd/server-ca.crt"),
		"etcd-certfile":                      tlsFile("etcd/client.crt"),
		"etcd-keyfile":                       tlsFile("etcd/client.key"),
		"etcd-servers":                       "https://127.0.0.1:2379",
		"kubelet-certificate-authority":      tlsFile("server-ca.crt"),
		"kubelet-client-certificate":         tlsFile("client-kube-apiserver.crt"),
		"kubelet-client-key":                 tlsFile("client-kube-apiserver.key"),
		"profiling":                          "false",
		"proxy-client-cert-file":             tlsFile("client-auth-proxy.crt"),
		"proxy-client-key-file":              tlsFile("client-auth-proxy.key"),
		"requestheader-allowed-names":        "system:auth-proxy",
		"requestheader-client-ca-file":       tlsFile("request-header-ca.crt"),
		"requestheader-extra-headers-prefix": "X-Remote-Extra-",
		"requestheader-group-headers":        "X-Remote-Group",
		"requestheader-username-headers":     "X-Remote-User",
		"secure-port":                        "6443",
		"service-account-issuer":             issuer,
		"service-account-key-file":           tlsFile("service.key"),
		"service-account-signing-key-file":   tlsFile("service.current.key"),
		"service-cluster-ip-range":           orDefault(c.String("service-cidr"), serviceCIDR),
		"service-node-port-range":            orDefault(c.String("service-node-port-range"), "30000-32767"),
		"storage-backend":                    "etcd3",
		"tls-cert-file":                      tlsFile("serving-kube-apiserver.crt"),
		"tls-private-key-file":               tlsFile("serving-kube-apiserver.key"),
	}
}

func controllerManagerDefaults(c RKE2Config, builtInCCM bool) map[string]string {
	kubeconfig := serverCred + "/controller.kubeconfig"
	args := map[string]string{
		"allocate-node-cidrs":       "true",
		"authentication-kubeconfig": kubeconfig,
		"authorization-kubeconfig":  kubeconfig,
		"bind-address":              "127.0.0.1",
		"cluster-cidr":              orDefault(c.String("cluster-cidr"), clusterCIDR),
		"cluster-signing-kube-apiserver-client-cert-file": tlsFile("client-ca.nochain.crt"),
		"cluster-signing-kube-apiserver-client-key-file":  tlsFile("client-ca.key"),
		"cluster-signing-kubelet-client-cert-file":        tlsFile("client-ca.nochain.crt"),
		"cluster-signing-kubelet-client-key-file":         tlsFile("client-ca.key"),
		"cluster-signing-kubelet-serving-cert-file":       tlsFile("server-ca.nochain.crt"),
		"cluster-signing-kubelet-serving-key-file":        tlsFile("server-ca.key"),
		"cluster-signing-legacy-unknown-cert-file":        tlsFile("server-ca.nochain.crt"),
		"cluster-signing-legacy-unknown-key-file":         tlsFile("server-ca.key"),
		"controllers":                      "*,tokencleaner",
		"kubeconfig":                       kubeconfig,
		"profiling":                        "false",
		"root-ca-file":                     tlsFile("server-ca.crt"),
		"secure-port":                      "10257",
		"service-account-private-key-file": tlsFile("service.current.key"),
		"service-cluster-ip-range":         orDefault(c.String("service-cidr"), serviceCIDR),
		"use-service-account-credentials":  "true",
	}
	if builtInCCM {
		args["configure-cloud-routes"] = "false"
		args["controllers"] += ",-service,-route,-cloud-node-lifecycle"
	}
	return args
}

func schedulerDefaults() map[string]string {
	kubeconfig := serverCred + "/scheduler.kubeconfig"
	return map[string]string{
		"authentication-kubeconfig": kubeconfig,
		"authorization-kubeconfig":  kubeconfig,
		"bind-address":              "127.0.0.1",
		"kubeconfig":                kubeconfig,
		"profiling":                 "false",
		"secure-port":               "10259",
	}
}

func cloudControllerDefaults(c RKE2Config) map[string]string {
	kubeconfig := serverCred + "/cloud-controller.kubeconfig"
	return map[string]string{
		"allocate-node-cidrs":          "true",
		"authentication-kubeconfig":    kubeconfig,
		"authorization-kubeconfig":     kubeconfig,
		"bind-address":                 "127.0.0.1",
		"cloud-provider":               "rke2",
		"cluster-cidr":                 orDefault(c.String("cluster-cidr"), clusterCIDR),
		"configure-cloud-routes":       "false",
		"kubeconfig":                   kubeconfig,
		"leader-elect-resource-name":   "rke2-cloud-controller-manager",
		"node-status-update-frequency": "1m0s",
		"profiling":                    "false",
	}
}

func kubeletDefaults(c RKE2Config, f Facts, nodeName string) map[string]string {
	args := map[string]string{
		"address":                      "0.0.0.0",
		"anonymous-auth":               "false",
		"authentication-token-webhook": "true",
		"authorization-mode":           "Webhook",
		"cgroup-driver":                "systemd",
		"client-ca-file":               path.Join(agentDir, "client-ca.crt"),
		"cluster-dns":                  "10.43.0.10",
		"cluster-domain":               "cluster.local",
		"container-runtime-endpoint":   "unix:///run/k3s/containerd/containerd.sock",
		"containerd":                   "/run/k3s/containerd/containerd.sock",
		"eviction-hard":                "imagefs.available<5%,nodefs.available<5%",
		"eviction-minimum-reclaim":     "imagefs.available=10%,nodefs.available=10%",
		"fail-swap-on":                 "false",
		"healthz-bind-address":         "127.0.0.1",
		"hostname-override":            nodeName,
		"kubeconfig":                   path.Join(agentDir, "kubelet.kubeconfig"),
		"node-ip":                      orDefault(c.String("node-ip"), f.PrivateIP),
		"node-labels":                  strings.Join(c.List("node-label"), ","),
		"pod-manifest-path":            ManifestDir,
		"read-only-port":               "0",
		"serialize-image-pulls":        "false",
		"tls-cert-file":                path.Join(agentDir, "serving-kubelet.crt"),
		"tls-private-key-file":         path.Join(agentDir, "serving-kubelet.key"),
	}
	if taints := c.List("node-taint"); len(taints) > 0 {
		args["register-with-taints"] = strings.Join(taints, ",")
	}
	if builtInCCM(c, f.Roles) {
		args["cloud-provider"] = "external"
	}
	return args
}

// kubeProxyDefaults returns those of k3s (pkg/daemons/agent/agent_linux.go, release 1.26).
func kubeProxyDefaults(c RKE2Config, nodeName string) map[string]string {
	return map[string]string{
		"cluster-cidr":                      orDefault(c.String("cluster-cidr"), clusterCIDR),
		"conntrack-max-per-core":            "0",
		"conntrack-tcp-timeout-close-wait":  "0s",
		"conntrack-tcp-timeout-established": "0s",
		"healthz-bind-address":              "127.0.0.1",
		"hostname-override":                 nodeName,
		"kubeconfig":                        path.Join(agentDir, "kubeproxy.kubeconfig"),
		"proxy-mode":                        "iptables",
	}
}
