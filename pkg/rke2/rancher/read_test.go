package rancher_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

type object = map[string]any

func TestRead_objects_facts(t *testing.T) {
	set := func(value any, path ...string) func(map[string]object) {
		return func(all map[string]object) {
			if err := unstructured.SetNestedField(all[path[0]], value, path[1:]...); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone := func(name string) func(map[string]object) {
		return func(all map[string]object) { delete(all, name) }
	}
	for name, tt := range map[string]struct {
		change func(map[string]object)
		differ func(*rancher.Facts)
	}{
		"as it is":                 {nil, func(*rancher.Facts) {}},
		"no control plane yet":     {gone("plane"), func(f *rancher.Facts) { f.ControlPlane = rancher.ControlPlane{} }},
		"no CAPI Cluster":          {gone("capi"), func(*rancher.Facts) {}},
		"CAPI paused":              {set(true, "capi", "spec", "paused"), func(f *rancher.Facts) { f.CAPIPaused = true }},
		"CAPI paused by a mark":    {set("true", "capi", "metadata", "annotations", rancher.PausedAnnotation), func(f *rancher.Facts) { f.CAPIPaused = true }},
		"a mark that says no":      {set("false", "capi", "metadata", "annotations", rancher.PausedAnnotation), func(*rancher.Facts) {}},
		"Rancher's default":        {set("", "setting", "value"), func(f *rancher.Facts) { f.Rancher.Value = "v2.8.0" }},
		"paused":                   {set("true", "plane", "metadata", "annotations", rancher.PausedAnnotation), func(f *rancher.Facts) { f.ControlPlane.Paused = true }},
		"a pause that is not true": {set("no", "plane", "metadata", "annotations", rancher.PausedAnnotation), func(*rancher.Facts) {}},
		"a Machine is deleted":     {set("2026-11-22T10:00:00Z", "w", "metadata", "deletionTimestamp"), func(f *rancher.Facts) { f.Machines[1].Deleting = true }},
		"made for an object":       {set("demo-cp-x7k2p", "cp", "spec", "infrastructureRef", "name"), func(f *rancher.Facts) { f.Machines[0].Infrastructure = "demo-cp-x7k2p" }},
		"the Cluster is":           {set("2026-11-22T10:00:00Z", "cluster", "metadata", "deletionTimestamp"), func(f *rancher.Facts) { f.Cluster.Deleting = true }},
		"a Machine without a Node": {set(object{"phase": "Provisioning"}, "w", "status"), func(f *rancher.Facts) {
			f.Machines[1].NodeName, f.Machines[1].Phase, f.Machines[1].Conditions = "", "Provisioning", rancher.Conditions{}
		}},
	} {
		want, err := (rancher.Clients{Management: rancherfixture.Client(t, nil), ManagementKube: rancherfixture.Release{}.Kube()}).Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		tt.differ(&want)
		got, err := rancher.Clients{Management: rancherfixture.Client(t, tt.change), ManagementKube: rancherfixture.Release{}.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if d := cmp.Diff(want.ControlPlane, got.ControlPlane) + cmp.Diff(want.Machines, got.Machines) + cmp.Diff(want.Rancher, got.Rancher); err != nil || d != "" || got.CAPIPaused != want.CAPIPaused || got.Cluster.Deleting != want.Cluster.Deleting {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	f, err := rancher.Clients{Management: rancherfixture.Client(t, nil), ManagementKube: rancherfixture.Release{}.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	c, p, m := f.Cluster, f.ControlPlane, f.Machines
	if err != nil || c.UID != "uid-demo" || c.ResourceVersion != "7" || c.ManagementID != "c-m-1" || c.Generation != 3 || c.ObservedGeneration != 3 || !c.HasRKEConfig || c.Spec.KubernetesVersion != "v1.26.13+rke2r1" {
		t.Errorf("%v %+v", err, c)
	}
	if !p.Found || p.Generation != 4 || p.ObservedGeneration != 4 || p.SnapshotGeneration != 2 || !p.Conditions.True("Ready") || p.Conditions.True("Paused") || len(p.AppliedSpec) != len(p.Spec) || len(p.Spec) == 0 {
		t.Errorf("%+v", p)
	}
	if len(m) != 2 || m[0].Name != "cp" || m[0].NodeName != "node-cp" || m[0].Pool != "cp" || !m[0].ControlPlane() || !m[1].Worker() || m[1].UID != "uid-w" || !f.At.Equal(time.Unix(1, 0)) {
		t.Errorf("%+v", m)
	}
	f, err = rancher.Clients{Management: rancherfixture.Client(t, set(object{}, "cluster", "spec")), ManagementKube: rancherfixture.Release{}.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	if err != nil || f.Cluster.HasRKEConfig || rancher.Supported(f) == nil {
		t.Errorf("a cluster that Rancher did not make: %v %+v", err, f.Cluster)
	}
	for resource, object := range map[string]string{"rkecontrolplanes": "RKEControlPlane fleet-default/demo", "machines": "Machines of Cluster fleet-default/demo", "clusters": "Cluster fleet-default/demo", "settings": ""} {
		client := rancherfixture.Client(t, nil)
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)
		})
		f, err := rancher.Clients{Management: client, ManagementKube: rancherfixture.Release{}.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if g, ok := fault.As(err); ok != (object != "") || ok && (g.Object != object || g.Reason != fault.ReasonForbidden) || !ok && f.Rancher.OK() {
			t.Errorf("%s: %v", resource, err)
		}
	}
	client := rancherfixture.Client(t, nil)
	client.PrependReactor("get", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.GetResource() == rancherfixture.CAPIClusters, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	})
	if _, err := (rancher.Clients{Management: client, ManagementKube: rancherfixture.Release{}.Kube()}).Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0)); err == nil {
		t.Error("no error although the pause of Cluster API is unknown")
	}
}

// versionsListed returns the versions at which Machines were listed.
func versionsListed(actions []clienttesting.Action) (versions []string) {
	for _, action := range actions {
		if list, is := action.(clienttesting.ListActionImpl); is && list.Resource.Resource == "machines" {
			versions = append(versions, list.ListOptions.ResourceVersion)
		}
	}
	return versions
}

// A run needs the Machines as they are now; a look may read the API server's cache.
func TestRead_fromCache_machinesListedThere(t *testing.T) {
	for fromCache, want := range map[bool]string{true: "0", false: ""} {
		client := rancherfixture.Client(t, nil)
		_, err := rancher.Clients{Management: client, ManagementKube: rancherfixture.Release{}.Kube(), FromCache: fromCache}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if got := versionsListed(client.Actions()); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("from cache %t: listed at %q, %v", fromCache, got, err)
		}
	}
}

// A run that reads again lists current Machines if the Cluster or its RKEControlPlane changed.
func TestRead_known_currentAfterAChange(t *testing.T) {
	for changed, want := range map[string][]string{"": {"0"}, "cluster": {""}, "plane": {""}} {
		known := &rancher.Known{}
		read := func(change func(map[string]object)) []string {
			client := rancherfixture.Client(t, change)
			if _, err := (rancher.Clients{Management: client, ManagementKube: rancherfixture.Release{}.Kube(), Known: known}).Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			return versionsListed(client.Actions())
		}
		read(nil)
		got := read(func(all map[string]object) {
			if changed == "" {
				return
			}
			if err := unstructured.SetNestedField(all[changed], "changed", "metadata", "resourceVersion"); err != nil {
				t.Fatal(err)
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q changed: Machines listed at %q, want %q", changed, got, want)
		}
	}
}
