package rke2

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

func TestReadTemplates(t *testing.T) {
	configs := schema.GroupVersionResource{Group: "rke-machine-config.cattle.io", Version: "v1", Resource: "amazonec2configs"}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configs: "Amazonec2ConfigList"})
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "rke-machine-config.cattle.io/v1", "kind": "Amazonec2Config",
		"metadata": map[string]any{"namespace": "fleet-default", "name": "nc-cp"}, "httpTokens": "required"}}
	if err := client.Tracker().Create(configs, object, "fleet-default"); err != nil {
		t.Fatal(err)
	}
	c := rancher.Cluster{Namespace: "fleet-default", ManagementID: "c-m-9", Spec: config.Spec{Pools: []config.Pool{
		{Name: "cp", ControlPlane: true, ConfigKind: "Amazonec2Config", ConfigName: "nc-cp"}, {Name: "w", OS: "windows", ConfigKind: "Amazonec2Config", ConfigName: "nc-w"},
		{Name: "vsphere", ConfigKind: "VmwarevsphereConfig", ConfigName: "x"}, {Name: "none"}}}}
	got := readTemplates(t.Context(), client, c).Value
	if len(got) != 2 || !got[0].ControlPlane || got[0].Tokens != "required" || got[0].Clusters[0] != "c-m-9" || got[0].Unread != "" || !got[1].Windows || got[1].Unread != "does not exist" {
		t.Errorf("%+v", got)
	}
	client.PrependReactor("get", "amazonec2configs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(configs.GroupResource(), "nc-cp", nil)
	})
	if read := readTemplates(t.Context(), client, c); read.Err == nil {
		t.Errorf("no error without a right: %+v", read)
	}
}
