package rkechecks

import "testing"

// Which misspelt keys stop a migration: those on which arguments, the provider or names
// depend.
func TestGrave(t *testing.T) {
	for _, tt := range []struct {
		path, wanted string
		want         bool
	}{
		{"servces", "services", true}, {"cloudprovider", "cloud_provider", true}, {"node", "nodes", true}, {"kubernetesVersion", "kubernetes_version", true}, {"netwrk", "network", false}, {"mine", "", false},
		{"services.mine", "", false}, {"nodes[0].adddress", "address", true}, {"nodes[0].hostnameOverride", "hostname_override", true}, {"nodes[0].internalAddress", "internal_address", true}, {"nodes[0].rol", "role", true},
		{"nodes[0].usr", "user", false}, {"nodes[0].taints[0].ky", "address", false}, {"cloud_provider.nme", "name", true}, {"cloudprovider.nme", "name", true}, {"cloud_provider.awsCloudProvider.x", "name", false}, {"network.plgin", "plugin", false},
		{"services.kubelt", "kubelet", true}, {"services.kubeController", "kube-controller", true}, {"services.kubeapi", "kube-api", false}, {"services.etdc", "etcd", false}, {"services.kubelet.extraArgs", "extra_args", true},
		{"services.kube-api.extraArgs", "extra_args", false}, {"services.etcd.snpshot", "snapshot", false}, {"services.scheduler.image", "image", false}, {"services.kubeproxy.image", "image", false}, {"services.kubelet.extra_args.a", "b", false},
	} {
		if got := grave(tt.path, tt.wanted); got != tt.want {
			t.Errorf("%s, %q: %t", tt.path, tt.wanted, got)
		}
	}
}
