package kube

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// charts reads RKE2's HelmCharts and HelmChartConfigs. It returns none if the cluster does not
// have these resources.
func (r Reader) charts(ctx context.Context) verify.Read[[]downstream.Chart] {
	var all []downstream.Chart
	for resource, kind := range map[string]string{"helmcharts": "HelmChart", "helmchartconfigs": "HelmChartConfig"} {
		gvr := schema.GroupVersionResource{Group: "helm.cattle.io", Version: "v1", Resource: resource}
		part := collect(ctx, r, resource, metav1.ListOptions{}, r.Dynamic.Resource(gvr).List, func(l *unstructured.UnstructuredList) []downstream.Chart {
			return filter(l.Items, func(u *unstructured.Unstructured) (downstream.Chart, bool) { return convertChart(kind, u), true })
		})
		if part.Err != nil && isNotFound(part.Err) {
			continue
		}
		if !part.OK() {
			return part
		}
		all = append(all, part.Value...)
	}
	return verify.Got(all)
}

func convertChart(kind string, u *unstructured.Unstructured) downstream.Chart {
	field := func(name string) string {
		s, _, _ := unstructured.NestedString(u.Object, "spec", name)
		return s
	}
	c := downstream.Chart{
		Object: downstream.Object{Kind: kind, Namespace: u.GetNamespace(), Name: u.GetName()},
		Chart:  field("chart"), Version: field("version"), TargetNamespace: field("targetNamespace"), Deleting: u.GetDeletionTimestamp() != nil,
	}
	c.Bootstrap, _, _ = unstructured.NestedBool(u.Object, "spec", "bootstrap")
	return c
}

// releases reads the labels of Helm's Secrets through the metadata API. The server omits the
// data, so that no values reach this process.
func (r Reader) releases(ctx context.Context) verify.Read[[]downstream.Release] {
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	opts := metav1.ListOptions{LabelSelector: "owner=helm,status!=superseded"}
	return collect(ctx, r, "metadata of Helm's Secrets", opts, r.Metadata.Resource(secrets).List, func(l *metav1.PartialObjectMetadataList) []downstream.Release {
		return filter(l.Items, func(m *metav1.PartialObjectMetadata) (downstream.Release, bool) {
			return downstream.Release{Namespace: m.Namespace, Name: m.Labels["name"], Status: m.Labels["status"], Revision: m.Labels["version"]}, true
		})
	})
}

// ccmObjects reads the objects of upstream's chart besides the DaemonSet, by the names that
// every version of it uses.
func (r Reader) ccmObjects(ctx context.Context) verify.Read[[]downstream.Object] {
	rbac := func(resource string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: resource}
	}
	var found []downstream.Object
	for _, o := range []struct {
		resource        schema.GroupVersionResource
		kind, ns, named string
	}{
		{schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, "ServiceAccount", wellknown.System, "cloud-controller-manager"},
		{rbac("clusterroles"), "ClusterRole", "", "system:cloud-controller-manager"},
		{rbac("clusterrolebindings"), "ClusterRoleBinding", "", "system:cloud-controller-manager"},
		{rbac("rolebindings"), "RoleBinding", wellknown.System, "cloud-controller-manager:apiserver-authentication-reader"},
	} {
		ctx, cancel := r.deadline(ctx)
		m, err := r.Metadata.Resource(o.resource).Namespace(o.ns).Get(ctx, o.named, metav1.GetOptions{})
		cancel()
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return verify.Failed[[]downstream.Object](fmt.Errorf("reading %s %s: %w", o.kind, o.named, err))
		}
		found = append(found, convertObject(o.kind, m.ObjectMeta))
	}
	return verify.Got(found)
}
