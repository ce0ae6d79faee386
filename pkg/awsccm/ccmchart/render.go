package ccmchart

import (
	"fmt"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Render returns the chart's objects for these values, sorted by kind and name, without a
// cluster.
func Render(ch *chart.Chart, values map[string]any, kubernetesVersion string) ([]unstructured.Unstructured, error) {
	capabilities := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion(kubernetesVersion)
	if err != nil {
		return nil, fmt.Errorf("render chart %s for Kubernetes %q: %w", ch.Name(), kubernetesVersion, err)
	}
	capabilities.KubeVersion = *version
	options := chartutil.ReleaseOptions{Name: wellknown.CCM, Namespace: wellknown.System, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(ch, values, options, capabilities)
	if err != nil {
		return nil, badValues(err)
	}
	files, err := engine.Render(ch, all)
	if err != nil {
		return nil, badValues(err)
	}
	var manifest strings.Builder
	for name, text := range files {
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
			manifest.WriteString("\n---\n" + text)
		}
	}
	return ParseManifest(manifest.String())
}

// IsOnDelete reports whether the DaemonSet among rendered objects leaves the replacement of its
// pods to their deletion. A chart need not use the value for it.
func IsOnDelete(objects []unstructured.Unstructured) bool {
	for _, o := range objects {
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "updateStrategy", "type")
		if o.GetKind() == "DaemonSet" && kind == "OnDelete" {
			return true
		}
	}
	return false
}

// ParseManifest splits a manifest into objects, sorted by kind and name. It drops documents
// without a kind, as Helm does.
func ParseManifest(manifest string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	for _, doc := range releaseutil.SplitManifests(manifest) {
		var obj map[string]any
		if err := yaml.Unmarshal([]byte(doc), &obj); err != nil {
			return nil, badValues(fmt.Errorf("%w in:\n%s", err, doc))
		}
		if len(obj) == 0 {
			continue
		}
		u := unstructured.Unstructured{Object: obj}
		if u.GetKind() == "" || u.GetName() == "" {
			return nil, badValues(fmt.Errorf("a document without kind or name:\n%s", doc))
		}
		out = append(out, u)
	}
	sort.Slice(out, func(i, j int) bool { return ObjectName(&out[i]) < ObjectName(&out[j]) })
	return out, nil
}

// DaemonSetOf returns the DaemonSet among rendered objects.
func DaemonSetOf(objects []unstructured.Unstructured) (*appsv1.DaemonSet, error) {
	for i := range objects {
		if objects[i].GetKind() != "DaemonSet" || objects[i].GetName() != wellknown.CCM {
			continue
		}
		var ds appsv1.DaemonSet
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[i].Object, &ds, true); err != nil {
			return nil, badValues(err)
		}
		return &ds, nil
	}
	return nil, badValues(fmt.Errorf("the chart renders no DaemonSet %s", wellknown.CCM))
}

// ObjectName names an object as plans and errors do: "DaemonSet kube-system/name".
func ObjectName(u *unstructured.Unstructured) string {
	if u.GetNamespace() == "" {
		return u.GetKind() + " " + u.GetName()
	}
	return u.GetKind() + " " + u.GetNamespace() + "/" + u.GetName()
}

func badValues(err error) error {
	return &fault.Error{
		Class: fault.Check, Reason: "ChartDoesNotRender", Object: "chart " + wellknown.CCM,
		Seen: "it does not render with these values", Fix: "look at --values and --chart", Err: err,
	}
}
