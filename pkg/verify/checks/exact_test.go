package checks

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// wrong returns the checks of a report that are neither OK nor skipped.
func wrong(r verify.Report) map[string]verify.Status {
	ids := map[string]verify.Status{}
	for _, res := range r.Results {
		if res.Status != verify.OK && res.Status != verify.Skip {
			ids[res.ID] = res.Status
		}
	}
	return ids
}

// audit runs the whole audit of a cluster, as verify does: it reads the position from the
// cluster, and no test fixes it.
func audit(t *testing.T, in evidence.Input) verify.Report {
	t.Helper()
	in.Position = position.Compute(in.Evidence(in.KCMs))
	return verify.RunAll(t.Context(), Bind(in), verify.Options{Position: in.Position.Position,
		AlsoAt: in.Position.AlsoAt(), PositionUnknown: in.Position.Position == position.Unknown && !in.Position.HandMade})
}

// printed lists the cases that differ from a fingerprint. The others have none: their defect is
// older than any fingerprint.
var printed = []string{"AWSM-308 the user's lost", "AWSM-309 flapping", "AWSM-309 another first address", "AWSM-312 another UID", "AWSM-801 another load balancer",
	"AWSM-801 subnets changed in AWS before the switch", "AWSM-801 subnets changed in AWS", "AWSM-801 deregistered by hand", "AWSM-801 gone from AWS"}

// Every trap in an otherwise healthy cluster is found by its check, which names the object and a
// remedy. Only checks that see the same defect from another side report it as well. A failed
// reading makes other checks Unknown, never failed.
func TestExactlyTheExpectedCheck(t *testing.T) {
	known := map[string]bool{}
	for _, tc := range checkTraps() {
		known[tc.id+" "+tc.name] = true
		name := tc.id + " " + tc.name
		t.Run(name, func(t *testing.T) {
			in := healthy(t, tc.at)
			if !slices.Contains(printed, name) {
				in.Fingerprint = nil
			}
			tc.breaks(&in)
			report := audit(t, in)
			got := wrong(report)
			if got[tc.id] != tc.want {
				t.Errorf("%s is %q, want %s", tc.id, got[tc.id], tc.want)
			}
			for _, res := range report.With(tc.want) {
				for _, f := range res.Findings {
					if res.ID == tc.id && f.Status == tc.want && (f.Object == "" || f.Fix+res.Fix == "") {
						t.Errorf("no object or no fix: %+v", f)
					}
				}
			}
			hides := tc.want == verify.Unknown || tc.id == "AWSM-119"
			maps.DeleteFunc(got, func(id string, status verify.Status) bool {
				return id == tc.id || hides && status == verify.Unknown
			})
			if ids := strings.Join(slices.Sorted(maps.Keys(got)), " "); ids != alsoReportedBy[name] {
				t.Errorf("also reported by %q, want %q", ids, alsoReportedBy[name])
			}
		})
	}
	for name := range alsoReportedBy {
		if !known[name] {
			t.Errorf("%s is no trap", name)
		}
	}
}

// beginsByHand lists the checks that see a CCM next to in-tree managers at P0.
const beginsByHand = "AWSM-201 AWSM-208 AWSM-209 AWSM-210 AWSM-213 AWSM-604 AWSM-612"

// alsoReportedBy lists the checks that see a trap from another side.
var alsoReportedBy = map[string]string{
	"AWSM-201 no update":                           "AWSM-213", // starved, which no run leaves behind
	"AWSM-208 still the KCM":                       "AWSM-213",
	"AWSM-208 no lease":                            "AWSM-209",
	"AWSM-208 handed over to no candidate":         "AWSM-209",
	"AWSM-209 handed over to no candidate":         "AWSM-208",
	"AWSM-209 frozen":                              "AWSM-213", // a CCM is needed that renews
	"AWSM-210 KCM without flag":                    "AWSM-213",
	"AWSM-210 CCM without flag":                    "AWSM-213 AWSM-311", // such a CCM is one of P5
	"AWSM-205 a static pod on a worker":            "AWSM-215",          // it is in-tree
	"AWSM-215 a Deployment of the CCM before":      beginsByHand,
	"AWSM-215 a bare pod in back-off before":       "AWSM-201 AWSM-208 AWSM-209 AWSM-210 AWSM-213 AWSM-311 AWSM-604 AWSM-612", // such a CCM is one of P5
	"AWSM-215 a second DaemonSet of the CCM":       "AWSM-604",
	"AWSM-215 in-tree in a DaemonSet":              "AWSM-205",
	"AWSM-215 an old manifest under another label": "AWSM-205",
	"AWSM-211 external with flag":                  "AWSM-213",
	"AWSM-212 v1.28 without file":                  "AWSM-213",
	"AWSM-212 no readable tag":                     "AWSM-213",
	"AWSM-315 an image without a version":          "AWSM-212 AWSM-213",
	"AWSM-213 by hand":                             "AWSM-201",
	"AWSM-302 one instance in two zones":           "AWSM-305 AWSM-403 AWSM-404 AWSM-405", // it claims another's instance
	"AWSM-302 one instance in two forms":           "AWSM-301 AWSM-305 AWSM-404 AWSM-405",
	"AWSM-302 twice":                               "AWSM-305 AWSM-404 AWSM-405",
	"AWSM-305 two nodes for an address":            "AWSM-405",
	"AWSM-403 moved":                               "AWSM-303", // the label is where the ProviderID says
	"AWSM-422 its Node has another ProviderID":     "AWSM-401",
	"AWSM-409 tokens required, name not proven":    "AWSM-304",
	"AWSM-409 AWS off, name not proven":            "AWSM-304",
	"AWSM-504 hop limit":                           "AWSM-409",
	"AWSM-502 KCM":                                 "AWSM-207 AWSM-501", // locked on in 1.26; the volumes are there
	"AWSM-604 zero pods":                           "AWSM-213",
	"AWSM-604 two on one node":                     "AWSM-213", // at P3 it is not complete
	"AWSM-604 none":                                "AWSM-213",
	"AWSM-404 no name and stopped":                 "AWSM-402",
	"AWSM-604 a control plane that is off":         "AWSM-402",
	"AWSM-615 pending":                             "AWSM-601",
	"AWSM-801 gone from AWS":                       "AWSM-804",
	"AWSM-801 another load balancer":               "AWSM-804",

	"AWSM-207 EBS migration's umbrella, locked": "AWSM-502",
	"AWSM-314 an older image of 1.26":           "AWSM-605 AWSM-606", // it is no whole DaemonSet
	"AWSM-314 no private DNS name, AWS off":     "AWSM-409",
}
