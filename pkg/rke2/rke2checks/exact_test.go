package rke2checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// In an otherwise sound cluster, the check of each trap reports it with an object and a fix.
// Only the checks in alsoReportedBy report it, too.
func TestExactlyTheExpectedCheck(t *testing.T) {
	known := map[string]bool{}
	for _, tt := range checkTraps() {
		known[tt.id+" "+tt.name] = true
		if tt.want == verify.OK || tt.want == verify.Skip {
			continue
		}
		name := tt.id + " " + tt.name
		t.Run(name, func(t *testing.T) {
			p := sound()
			tt.breaks(p)
			var others []string
			for _, res := range verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: p.Stands}).Results {
				if res.Status == verify.OK || res.Status == verify.Skip {
					continue
				}
				if res.ID != tt.id {
					if tt.want != verify.Unknown || res.Status != verify.Unknown {
						others = append(others, res.ID)
					}
					continue
				}
				for _, f := range res.Findings {
					if f.Status == tt.want && (f.Object == "" || f.Fix+res.Fix == "") {
						t.Errorf("no object or no fix: %+v", f)
					}
				}
			}
			slices.Sort(others)
			if got := strings.Join(others, " "); got != alsoReportedBy[name] {
				t.Errorf("also reported by %q, want %q", got, alsoReportedBy[name])
			}
		})
	}
	for name := range alsoReportedBy {
		if !known[name] {
			t.Errorf("%s is no trap", name)
		}
	}
}

// alsoReportedBy lists the other checks that report a trap.
var alsoReportedBy = map[string]string{
	"AWSM-101 no version":            "AWSM-114",
	"AWSM-103 a machine without":     "AWSM-111", // its arguments differ from the Cluster
	"AWSM-104 two configs":           "AWSM-111",
	"AWSM-114 election off":          "AWSM-111",
	"AWSM-114 a gate that is locked": "AWSM-111 AWSM-126",
	"AWSM-121 one control plane":     "AWSM-111",
	"AWSM-120 on its way":            "AWSM-102", // no longer in Rancher's release data

	"AWSM-122 the release that Rancher rolls out": "AWSM-101 AWSM-102",
	"AWSM-123 the release that Rancher rolls out": "AWSM-102",

	// The cluster is sound before its migration: aws, node names like node-0, no edit of the switch.
	"AWSM-106 after the install, in an audit": "AWSM-122 AWSM-125",
	"AWSM-122 ahead, after the switch":        "AWSM-124 AWSM-125",
	"AWSM-123 ahead, after the switch":        "AWSM-122 AWSM-124 AWSM-125",
	"AWSM-124 left out by one entry":          "AWSM-122 AWSM-125",
	"AWSM-125 a name of the operating system": "AWSM-122 AWSM-124",

	"AWSM-126 the target":                       "AWSM-111", // the Nodes were not restarted
	"AWSM-126 the next minor, after the switch": "AWSM-111 AWSM-122 AWSM-124 AWSM-125",
}
