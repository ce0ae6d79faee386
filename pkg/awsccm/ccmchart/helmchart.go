package ccmchart

import (
	"encoding/base64"
	"fmt"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// HelmChartManifest returns one HelmChart document for Rancher's additional manifest, which
// makes RKE2's helm controller install the chart. It contains the chart and needs no
// repository.
//
// bootstrap lets its Job run on a tainted control-plane node without cluster network.
// failurePolicy abort: the default uninstalls a failed release, including the CCM. backOffLimit
// 3: the default of 1000 hides a failure for hours
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
func HelmChartManifest(ch *chart.Chart, values map[string]any) (string, error) {
	archive, err := Pack(ch)
	if err != nil {
		return "", err
	}
	content, err := yaml.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("write values of HelmChart %s/%s: %w", wellknown.System, wellknown.CCM, err)
	}
	doc, err := yaml.Marshal(map[string]any{
		"apiVersion": "helm.cattle.io/v1",
		"kind":       "HelmChart",
		"metadata":   map[string]any{"name": wellknown.CCM, "namespace": wellknown.System},
		"spec": map[string]any{
			"chartContent":    base64.StdEncoding.EncodeToString(archive),
			"targetNamespace": wellknown.System,
			"bootstrap":       true,
			"failurePolicy":   "abort",
			"timeout":         "300s",
			"backOffLimit":    3,
			"valuesContent":   string(content),
		},
	})
	if err != nil {
		return "", fmt.Errorf("write HelmChart %s/%s: %w", wellknown.System, wellknown.CCM, err)
	}
	return string(doc), nil
}
