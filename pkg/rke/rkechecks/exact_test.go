package rkechecks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rketraps"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// In an otherwise sound cluster, the check of each trap reports it with an object and a fix.
// Only the checks in alsoReportedBy report it, too.
func TestExactlyTheExpectedCheck(t *testing.T) {
	known := map[string]bool{}
	for _, tt := range rketraps.All() {
		known[tt.ID+" "+tt.Name] = true
		if tt.Want == verify.OK || tt.Want == verify.Skip {
			continue
		}
		name := tt.ID + " " + tt.Name
		t.Run(name, func(t *testing.T) {
			p := rketraps.Sound(t)
			tt.Break(t, p)
			var others []string
			for _, res := range verify.RunAll(t.Context(), verify.Bind(*p, rkechecks.All()...), verify.Options{Position: position.P0}).Results {
				if res.Status == verify.OK || res.Status == verify.Skip {
					continue
				}
				if res.ID != tt.ID {
					if res.ID == "AWSM-727" { // a changed file was not applied
						continue
					}
					if tt.Want != verify.Unknown || res.Status != verify.Unknown {
						others = append(others, res.ID)
					}
					continue
				}
				for _, f := range res.Findings {
					if f.Status == tt.Want && (f.Object == "" || f.Fix+res.Fix == "") {
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
	"AWSM-101 too new":                  "AWSM-743",
	"AWSM-101 too old":                  "AWSM-743",
	"AWSM-101 unreadable":               "AWSM-743 AWSM-755",
	"AWSM-103 no provider":              "AWSM-722",
	"AWSM-103 external":                 "AWSM-722",
	"AWSM-704 a Node without machine":   "AWSM-763",
	"AWSM-704 a machine without Node":   "AWSM-112 AWSM-764",
	"AWSM-112 zones unknown":            "AWSM-704 AWSM-764",
	"AWSM-722 an old file":              "AWSM-103",
	"AWSM-724 an image, and an upgrade": "AWSM-743", // the binary does not know the target
	"AWSM-742 another program runs it":  "AWSM-743",
	"AWSM-751 kubelet":                  "AWSM-755", // 1.27 refuses it
	"AWSM-755 Rancher's advice":         "AWSM-743",
	"AWSM-755 on, and an upgrade":       "AWSM-743",
	"AWSM-763 required":                 "AWSM-113",
	"AWSM-764 no Node":                  "AWSM-112 AWSM-704",

	"AWSM-755 a removed flag, and an upgrade":                "AWSM-743",
	"AWSM-755 a removed gate, and an upgrade":                "AWSM-743",
	"AWSM-755 locked in the target":                          "AWSM-743",
	"AWSM-755 EBS migration's umbrella":                      "AWSM-743",
	"AWSM-755 EBS migration's umbrella, and an upgrade":      "AWSM-743",
	"AWSM-755 all beta gates of the kubelet":                 "AWSM-743",
	"AWSM-755 all beta gates of the kube-controller-manager": "AWSM-743",
}
