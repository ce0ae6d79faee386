package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/awschecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// nothingThere returns the view of another account's credentials.
func nothingThere(in *evidence.Input) {
	none := verify.Got(map[string]cloud.Tags{})
	in.Cloud.Identity = verify.Got(cloud.Identity{Account: "999999999999"})
	in.Cloud.Instances = verify.Got(map[string]cloud.Instance{})
	in.Cloud.SecurityGroups, in.Cloud.Subnets, in.Cloud.RouteTables = none, none, none
	in.Cloud.Roles, in.Cloud.Unclaimed = verify.Got[[]cloud.RoleRights](nil), verify.Read[[]cloud.Instance]{}
}

// If no instance is found, one check reports it once. No other check calls the cluster healthy or
// incomplete because of it.
func TestNothingFoundIsOneFinding(t *testing.T) {
	for _, p := range position.All() {
		in := healthy(t, p)
		nothingThere(&in)
		for _, res := range verify.RunAll(t.Context(), verify.Bind(in, awschecks.All()...), verify.Options{Position: p}).Results {
			switch {
			case res.ID == "AWSM-401":
				if len(res.Findings) != 1 || res.Status != verify.Fail ||
					res.Findings[0].Seen != "none of the 6 instances is in account 999999999999, region us-east-1" || !strings.Contains(res.Findings[0].Fix, "credentials") {
					t.Errorf("at %s: %s %+v", p, res.Status, res.Findings)
				}
			case res.Status == verify.Skip && strings.Contains(res.Reason, "host network"): // nothing to look for
			case res.Status != verify.Unknown && !strings.HasPrefix(res.Reason, "applies at "):
				t.Errorf("%s at %s is %s: %+v", res.ID, p, res.Status, res.Findings)
			}
		}
	}
}

// If --region excludes all nodes, that is the only finding.
func TestNothingAskedIsNotMissing(t *testing.T) {
	in := healthy(t, position.P0)
	nothingThere(&in)
	in.Cloud.Missed = map[string]string{"us-east-1": "region us-east-1 was not asked: --region is eu-west-1"}
	for _, res := range verify.RunAll(t.Context(), verify.Bind(in, awschecks.All()...), verify.Options{Position: position.P0}).Results {
		if res.Status == verify.Skip && strings.HasPrefix(res.Reason, "applies at ") {
			continue
		}
		if res.Status != verify.Unknown || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Reason, "was not asked") {
			t.Errorf("%s is %s: %+v", res.ID, res.Status, res.Findings)
		}
	}
}
