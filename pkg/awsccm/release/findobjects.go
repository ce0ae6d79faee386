package release

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Annotations with which Helm marks the objects of a release
// (helm.sh/helm/v3:pkg/action/validate.go).
const (
	helmReleaseName      = "meta.helm.sh/release-name"
	helmReleaseNamespace = "meta.helm.sh/release-namespace"
)

// find reads everything that judgeFound needs.
func (i *Installer) find(ctx context.Context, wanted []unstructured.Unstructured) (Found, error) {
	found := Found{Now: i.clock.Now()}
	var err error
	if found.Release, err = i.Current(); err != nil {
		return Found{}, err
	}
	if found.Elsewhere, err = i.elsewhere(ctx); err != nil {
		return Found{}, err
	}
	if found.HelmChart, err = i.cattle(ctx, "helmcharts"); err != nil {
		return Found{}, err
	}
	if found.HelmChartConfig, err = i.cattle(ctx, "helmchartconfigs"); err != nil {
		return Found{}, err
	}
	for n := range wanted {
		object, err := i.existing(ctx, &wanted[n])
		if err != nil {
			return Found{}, err
		}
		if object != nil {
			found.Objects = append(found.Objects, *object)
		}
	}
	return found, nil
}

// elsewhere returns other namespaces with a release of our name. It reads only the labels of
// Helm's records: the records themselves are large.
func (i *Installer) elsewhere(ctx context.Context) ([]string, error) {
	secrets := i.metadata.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: "owner=helm,name=" + wellknown.CCM})
	if err != nil {
		return nil, fmt.Errorf("list Helm releases %s of all namespaces: %w", wellknown.CCM, awsccm.CouldNotLook(err))
	}
	names := map[string]bool{}
	for _, s := range list.Items {
		if s.Namespace != wellknown.System && s.Labels["status"] != "uninstalled" {
			names[s.Namespace] = true
		}
	}
	var out []string
	for ns := range names {
		out = append(out, ns)
	}
	sort.Strings(out)
	return out, nil
}

// cattle reports whether RKE2's helm controller has an object of our name. It returns false for a
// cluster without that API.
func (i *Installer) cattle(ctx context.Context, resource string) (bool, error) {
	gvr := schema.GroupVersionResource{Group: "helm.cattle.io", Version: "v1", Resource: resource}
	_, err := i.dynamic.Resource(gvr).Namespace(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	switch {
	case err == nil:
		return true, nil
	case apierrors.IsNotFound(err):
		return false, nil
	}
	return false, fmt.Errorf("read %s %s/%s: %w", resource, wellknown.System, wellknown.CCM, awsccm.CouldNotLook(err))
}

// existing reads the object that a rendered one would replace, or returns nil.
func (i *Installer) existing(ctx context.Context, want *unstructured.Unstructured) (*FoundObject, error) {
	mapper, err := i.helm.RESTClientGetter.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	gvk := want.GroupVersionKind()
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", ccmchart.ObjectName(want), awsccm.CouldNotLook(err))
	}
	objects := i.metadata.Resource(mapping.Resource)
	have, err := (*metav1.PartialObjectMetadata)(nil), error(nil)
	namespace := ""
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if namespace = want.GetNamespace(); namespace == "" {
			namespace = wellknown.System
		}
		have, err = objects.Namespace(namespace).Get(ctx, want.GetName(), metav1.GetOptions{})
	} else {
		have, err = objects.Get(ctx, want.GetName(), metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ccmchart.ObjectName(want), awsccm.CouldNotLook(err))
	}
	return &FoundObject{
		Object:      ccmchart.ObjectName(want),
		ReleaseName: have.Annotations[helmReleaseName], ReleaseNamespace: have.Annotations[helmReleaseNamespace],
		resource: mapping.Resource, namespace: namespace, shortName: want.GetName(), uid: have.UID,
	}, nil
}

// roundTrip returns values as they are read back from a release record: as JSON.
func roundTrip(values map[string]any) map[string]any {
	data, err := json.Marshal(values)
	if err != nil {
		return values
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		return values
	}
	return out
}
