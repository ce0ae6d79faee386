package managed

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
)

// serviceKeys maps Rancher's names of the services to those of cluster.yml
// (rancher/rke:types/rke_types.go@v1.5.9).
func serviceKeys() map[string]string {
	return map[string]string{"etcd": "etcd", "kubeApi": "kube-api", "kubeController": "kube-controller", "scheduler": "scheduler",
		"kubelet": "kubelet", "kubeproxy": "kubeproxy"}
}

// fileOf returns the parts of Rancher's configuration that checks judge as a cluster.yml, so
// that both kinds of cluster share the checks. Rancher's keys are in camel case. Keys that are
// data (arguments) stay unchanged.
func fileOf(c Cluster) (*clusterfile.File, error) {
	out := map[string]any{}
	if version, ok := c.Config["kubernetesVersion"]; ok {
		out["kubernetes_version"] = version
	}
	services := map[string]any{}
	for camel, key := range serviceKeys() {
		if service := pickKeys(configtree.In(c.Config, "services", camel), "image", "extraArgs", "extraArgsArray", "extraBinds", "extraEnv", "winExtraArgs", "winExtraArgsArray"); len(service) > 0 {
			services[key] = service
		}
	}
	put(out, "services", services)
	put(out, "cloud_provider", providerOf(configtree.Map(c.Config["cloudProvider"])))
	put(out, "upgrade_strategy", pickKeys(configtree.Map(c.Config["upgradeStrategy"]), "maxUnavailableWorker", "maxUnavailableControlplane", "drain"))
	put(out, "system_images", pickKeys(configtree.Map(c.Config["systemImages"]), "kubernetes", "kubernetesServicesSidecar", "alpine", "nginxProxy", "certDownloader"))
	put(out, "restore", pickKeys(configtree.Map(c.Config["restore"]), "restore"))
	for key, value := range pickKeys(c.Config, "rotateCertificates", "rotateEncryptionKey") {
		out[key] = value
	}
	text, err := yaml.Marshal(out)
	if err == nil {
		var file *clusterfile.File
		if file, err = clusterfile.Parse(c.object(), text); err == nil {
			return file, nil
		}
	}
	return nil, &fault.Error{Class: fault.Check, Reason: "BadConfiguration", Object: c.object(), Seen: fmt.Sprintf("spec.%s cannot be read", rkeConfigKey), Err: err}
}

func put(into map[string]any, key string, value map[string]any) {
	if len(value) > 0 {
		into[key] = value
	}
}

// pickKeys returns the values of keys under their names in cluster.yml, without nulls.
func pickKeys(from map[string]any, keys ...string) map[string]any {
	out := map[string]any{}
	for _, key := range keys {
		if value := from[key]; value != nil {
			out[toSnakeCase(key)] = value
		}
	}
	return out
}

func toSnakeCase(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// providerOf returns cloudProvider for cluster.yml; only serviceOverride changes its name.
func providerOf(provider map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"name", "useInstanceMetadataHostname", "customCloudProvider"} {
		if value := provider[key]; value != nil {
			out[key] = value
		}
	}
	aws, found := provider["awsCloudProvider"].(map[string]any)
	if !found {
		return out
	}
	block := map[string]any{}
	if global := configtree.Map(aws["global"]); len(global) > 0 {
		block["global"] = global
	}
	if overrides := configtree.Map(aws["serviceOverride"]); len(overrides) > 0 {
		block["service_override"] = overrides
	}
	out["awsCloudProvider"] = block
	return out
}
