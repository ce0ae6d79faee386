package rancher_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// readOf reads the cluster as a release of Rancher serves it.
func readOf(t *testing.T, release rancherfixture.Release, change func(map[string]object)) (rancher.Facts, error) {
	t.Helper()
	return rancher.Clients{Management: release.Client(t, change), ManagementKube: release.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
}

func TestRead_beacon_pending(t *testing.T) {
	owner := func(name any) func(map[string]object) {
		return func(all map[string]object) { all["beacon"]["status"].(object)["owner"] = name }
	}
	for name, tt := range map[string]struct {
		beacons bool
		change  func(map[string]object)
		says    string
	}{
		"not served":            {false, nil, ""},
		"idle":                  {true, nil, ""},
		"an empty owner":        {true, owner(""), ""},
		"the planner":           {true, owner("planner"), ""},
		"an operation":          {true, owner("encryption-key-rotation/x"), `Beacon fleet-default/demo: held by "encryption-key-rotation/x"`},
		"absent":                {true, func(all map[string]object) { delete(all, "beacon") }, "Beacon fleet-default/demo: does not exist"},
		"of another cluster":    {true, func(all map[string]object) { all["beacon"]["metadata"].(object)["name"] = "other" }, "Beacon fleet-default/demo: does not exist"},
		"a name like a planner": {true, owner("planner-2"), `held by "planner-2"`},
	} {
		f, err := readOf(t, rancherfixture.Release{Beacons: tt.beacons}, tt.change)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		refused := f.Combine(downstream.Cluster{}).RequireSettled()
		if says := migration.SummarizePending(f.AtRest()); tt.says == "" && says != "" || !strings.Contains(says, tt.says) || strings.Contains(says, ";") {
			t.Errorf("%s: %q", name, says)
		}
		if tt.says != "" && (refused == nil || !strings.Contains(refused.Error(), tt.says)) {
			t.Errorf("%s: an edit would be written: %v", name, refused)
		}
	}
	if _, err := readOf(t, rancherfixture.Release{Beacons: true}, owner(int64(1))); err == nil {
		t.Error("an owner that is no text was read")
	}
}

// A Beacon that the user may not read leaves the cluster undecided.
func TestRead_beaconForbidden_error(t *testing.T) {
	release := rancherfixture.Release{Beacons: true}
	client := release.Client(t, nil)
	client.PrependReactor("get", "beacons", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "beacons"}, "", nil)
	})
	_, err := rancher.Clients{Management: client, ManagementKube: release.Kube()}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	if f, ok := fault.As(err); !ok || f.Reason != fault.ReasonForbidden || f.Object != "Beacon fleet-default/demo" {
		t.Errorf("%v", err)
	}
}

// Discovery that fails is not taken for a Rancher without Beacons.
func TestRead_discoveryFails_error(t *testing.T) {
	kube := rancherfixture.Release{}.Kube()
	kube.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("away")
	})
	_, err := rancher.Clients{Management: rancherfixture.Client(t, nil), ManagementKube: kube}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	if fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("%v", err)
	}
}

func TestRead_v1beta2Alone_sameFacts(t *testing.T) {
	want, err := readOf(t, rancherfixture.Release{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readOf(t, rancherfixture.Release{V1Beta2: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Machines {
		want.Machines[i].Infrastructure = want.Machines[i].Name // only the model of v1beta2 has it
	}
	if d := cmp.Diff(want.Machines, got.Machines); d != "" || len(got.AtRest()) != 0 {
		t.Errorf("%s %v", d, got.AtRest())
	}
	paused, err := readOf(t, rancherfixture.Release{V1Beta2: true}, func(all map[string]object) { all["capi"]["spec"].(object)["paused"] = true })
	if err != nil || !paused.CAPIPaused {
		t.Errorf("the pause of Cluster API was not read: %v", err)
	}
}

// Rancher 2.15 writes its conditions in both places. Other conditions have another meaning in
// v1beta2.
func TestRead_v1beta2Conditions_eitherPlace(t *testing.T) {
	condition := func(kind, status string) object { return object{"type": kind, "status": status, "message": "x"} }
	for name, tt := range map[string]struct {
		here, deprecated []any
		pending          int
	}{
		"the deprecated place":      {nil, []any{condition("PlanApplied", "True"), condition("Reconciled", "True")}, 0},
		"the new place":             {[]any{condition("PlanApplied", "True"), condition("Reconciled", "True"), condition("Ready", "False")}, nil, 0},
		"one in each":               {[]any{condition("PlanApplied", "True")}, []any{condition("Reconciled", "True")}, 0},
		"neither":                   {nil, nil, 2},
		"not applied in one place":  {[]any{condition("PlanApplied", "True"), condition("Reconciled", "True")}, []any{condition("PlanApplied", "Unknown")}, 1},
		"not applied in the other":  {[]any{condition("PlanApplied", "Unknown")}, []any{condition("PlanApplied", "True"), condition("Reconciled", "True")}, 1},
		"other conditions are open": {[]any{condition("Updating", "True"), condition("PlanApplied", "True")}, []any{condition("Reconciled", "True"), condition("NodeHealthy", "False")}, 0},
	} {
		f, err := readOf(t, rancherfixture.Release{V1Beta2: true, Beacons: true}, func(all map[string]object) {
			all["w"]["status"].(object)["conditions"], all["w"]["status"].(object)["deprecated"] = tt.here, object{"v1beta1": object{"conditions": tt.deprecated}}
		})
		if open := f.AtRest(); err != nil || len(open) != tt.pending || len(f.Machines[1].Conditions) > 2 {
			t.Errorf("%s: %v %+v", name, err, open)
		}
	}
}
