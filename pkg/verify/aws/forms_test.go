package aws

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// An instance without a readable region is found in the regions of the other Nodes. One with the zone
// of another region is found in its own.
func TestRead_otherProviderIDForms_found(t *testing.T) {
	nodes, instances := many(30, "us-east-1", "demo")
	for name, id := range map[string]string{"bare": "i-aa000005", "without a zone": "aws:////i-aa000005", "slash": "aws:///us-east-1a/i-aa000005/", "rack": "aws:///rack-7/i-aa000005", "another region": "aws:///eu-west-1a/i-aa000005"} {
		for _, tag := range []string{"demo", ""} {
			t.Run(name+" "+tag, func(t *testing.T) {
				all := maps.Clone(instances)
				for k, i := range all {
					i.tag = tag
					all[k] = i
				}
				f := &fake{instances: all}
				serve(t, f)
				changed := slices.Clone(nodes)
				changed[5].ProviderID = id
				got := Read(t.Context(), changed, quick)
				i, found := got.Instances.Value["i-aa000005"]
				if !found || i.Region != "us-east-1" || len(got.Instances.Value) != 30 || len(got.Missed) != 0 || len(got.Unclaimed.Value) != 0 || strings.HasPrefix(got.Region, ",") {
					t.Errorf("%+v of %d instances in %q, missed %v, unclaimed %+v, %v", i, len(got.Instances.Value), got.Region, got.Missed, got.Unclaimed, got.Instances.Err)
				}
			})
		}
	}
}

// If no Node names a region, the configured one is read.
func TestRead_noRegionInNodes_configuredRegion(t *testing.T) {
	_, instances := many(3, "us-east-1", "demo")
	for _, option := range []string{"us-east-1", ""} {
		serve(t, &fake{instances: instances})
		t.Setenv("AWS_REGION", "us-east-1")
		o := quick
		o.Region = option
		got := Read(t.Context(), []downstream.Node{{Name: "a", ProviderID: "i-aa000000"}, {Name: "b", ProviderID: "aws:///rack/i-aa000001"}}, o)
		if len(got.Instances.Value) != 2 || got.Instances.Value["i-aa000000"].Region != "us-east-1" || got.Region != "us-east-1" {
			t.Errorf("--region %q: %+v in %q, %v", option, got.Instances, got.Region, got.Missed)
		}
	}
}

// A region that only wrong zones name, and that does not answer, hides nothing found elsewhere.
func TestRead_wrongRegionSilent_nothingMissed(t *testing.T) {
	nodes, instances := many(30, "us-east-1", "demo")
	nodes[5].ProviderID = "aws:///xx-nowhere-1a/i-aa000005"
	instances["i-cc000001"] = ec2Instance{region: "us-east-1", tag: "demo"}
	serve(t, &fake{instances: instances, deny: "DescribeInstances", denyIn: "xx-nowhere-1"})
	got := Read(t.Context(), nodes, quick)
	if len(got.Instances.Value) != 30 || len(got.Missed) != 0 || !got.Unclaimed.OK() || len(got.Unclaimed.Value) != 1 {
		t.Errorf("%d instances, missed %v, unclaimed %+v", len(got.Instances.Value), got.Missed, got.Unclaimed)
	}
}

// An instance whose own region does not answer stays unknown.
func TestRead_regionSilent_instancesUnknown(t *testing.T) {
	nodes, instances := many(30, "us-east-1", "demo")
	nodes = append(nodes, downstream.Node{Name: "west", ProviderID: "aws:///us-west-2a/i-bb000000"})
	serve(t, &fake{instances: instances, deny: "DescribeInstances", denyIn: "us-west-2"})
	got := Read(t.Context(), nodes, quick)
	if got.MissedIn("us-west-2a") == "" || got.Unclaimed.OK() {
		t.Errorf("missed %v, unclaimed %+v", got.Missed, got.Unclaimed)
	}
}
