package rkechecks_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rketraps"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func judged(t *testing.T, p *rkechecks.Prepared, id string) verify.Result {
	t.Helper()
	return judgedIn(t, rkechecks.All(), p, id)
}

func judgedIn(t *testing.T, registry []verify.Check[rkechecks.Prepared], p *rkechecks.Prepared, id string) verify.Result {
	t.Helper()
	for _, c := range registry {
		if c.ID == id {
			return verify.RunAll(t.Context(), verify.Bind(*p, c), verify.Options{Position: position.Unknown}).Results[0]
		}
	}
	return verify.Result{}
}

func TestTraps(t *testing.T) {
	for _, tt := range rketraps.All() {
		t.Run(tt.ID+" "+tt.Name, func(t *testing.T) {
			if wrong := judgedBy(t, tt, rkechecks.All()); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// judgedBy returns the difference from the wanted result, or empty.
func judgedBy(t *testing.T, tt rketraps.Trap, registry []verify.Check[rkechecks.Prepared]) string {
	t.Helper()
	p := rketraps.Sound(t)
	tt.Break(t, p)
	res := judgedIn(t, registry, p, tt.ID)
	if res.Status != tt.Want {
		return fmt.Sprintf("%s, wanted %s: %+v", res.Status, tt.Want, res.Findings)
	}
	if tt.Seen != "" && !slices.ContainsFunc(res.Findings, func(f verify.Finding) bool {
		return f.Status == tt.Want && strings.Contains(f.Object+" "+f.Seen+" "+f.Reason+" "+f.Fix+" "+f.Wanted, tt.Seen)
	}) {
		return fmt.Sprintf("no finding says %q: %+v", tt.Seen, res.Findings)
	}
	return ""
}

// Every check has a trap that fails if the check finds nothing.
func TestBlankedChecksAreNoticed(t *testing.T) {
	for i, c := range rkechecks.All() {
		registry := rkechecks.All()
		registry[i].Judge = func(rkechecks.Prepared) []verify.Finding { return nil }
		noticed := false
		for _, tt := range rketraps.All() {
			if tt.ID == c.ID {
				noticed = noticed || judgedBy(t, tt, registry) != ""
			}
		}
		if !noticed {
			t.Errorf("no trap fails if %s finds nothing", c.ID)
		}
	}
}

// A sound cluster passes every check. Every check but the notice has a failing trap.
func TestAll_soundAndTraps_passAndFail(t *testing.T) {
	p := rketraps.Sound(t)
	caught := map[string]bool{}
	for _, tt := range rketraps.All() {
		if tt.Want == verify.Fail || tt.Want == verify.Warn || tt.Want == verify.Unknown {
			caught[tt.ID] = true
		}
	}
	for _, c := range rkechecks.All() {
		if res := judged(t, p, c.ID); res.Status != verify.OK {
			t.Errorf("%s is %s on a sound cluster: %+v", c.ID, res.Status, res.Findings)
		}
		if !caught[c.ID] && c.ID != "AWSM-710" {
			t.Errorf("%s has no cluster that it catches", c.ID)
		}
	}
}

// No check passes without evidence.
func TestAll_noEvidence_notOK(t *testing.T) {
	for _, c := range rkechecks.All() {
		res := judged(t, &rkechecks.Prepared{}, c.ID)
		if res.Status != verify.Unknown && c.ID != "AWSM-710" {
			t.Errorf("%s is %s of nothing: %+v", c.ID, res.Status, res.Findings)
		}
	}
}

// Offline, exactly the checks that cluster.yml alone does not decide need the cluster.
func TestAll_offline_needsCluster(t *testing.T) {
	p := rketraps.Sound(t)
	p.Offline = true
	needs := map[string]bool{}
	for _, c := range rkechecks.All() {
		res := judged(t, p, c.ID)
		undecided := slices.ContainsFunc(res.Findings, func(f verify.Finding) bool {
			return f.Seen == rkechecks.NeedsCluster || f.Reason == rkechecks.NeedsCluster
		})
		if undecided != (res.Status == verify.Unknown) {
			t.Errorf("%s is %s: %+v", c.ID, res.Status, res.Findings)
		}
		needs[c.ID] = undecided
	}
	for id, want := range map[string]bool{"AWSM-704": true, "AWSM-723": false, "AWSM-116": false, "AWSM-742": true, "AWSM-113": true, "AWSM-117": true, "AWSM-118": true} {
		if needs[id] != want {
			t.Errorf("%s needs the cluster: %t", id, needs[id])
		}
	}
}

// A skipped check is no proof that a name is kept, neither on request nor by the check itself.
func TestNameChecks_skip_refused(t *testing.T) {
	skips := map[string]string{}
	for _, c := range rkechecks.All() {
		if slices.Contains([]string{"AWSM-113", "AWSM-762", "AWSM-763", "AWSM-764"}, c.ID) {
			skips[c.ID] = "no time"
			if !c.DecidesNames || !c.Mandatory {
				t.Errorf("%s does not decide names", c.ID)
			}
		}
	}
	p := rketraps.Sound(t)
	p.NameErr = &fault.Error{Class: fault.Check, Reason: naming.ReasonNotProven, Object: "Node x", Seen: "renamed"}
	report := verify.RunAll(t.Context(), verify.Bind(*p, rkechecks.All()...), verify.Options{Position: position.P0, Skip: skips})
	if len(skips) != 4 || len(report.Refused) != len(skips) || len(report.With(verify.Fail)) == 0 {
		t.Errorf("%d skips, %d refused, %v", len(skips), len(report.Refused), report.With(verify.Fail))
	}
}

// issued maps every ID that was ever in use, even of retired checks, to its title; see
// pkg/verify/checks.
var issued = map[string]string{
	"AWSM-101": "Kubernetes version has the in-tree provider and leader migration",
	"AWSM-103": "every machine runs the in-tree provider",
	"AWSM-105": "the cluster is at rest",
	"AWSM-108": "control planes restart one at a time",
	"AWSM-109": "rollouts do not drain nodes",
	"AWSM-110": "the control plane survives a restart",
	"AWSM-112": "etcd members are spread over zones",
	"AWSM-113": "the edit of switch-provider keeps every Node's name",
	"AWSM-114": "kube-controller-manager's arguments allow the migration",
	"AWSM-116": "both edits can be computed and change nothing else",
	"AWSM-117": "the chart can be installed",
	"AWSM-118": "the chart's values are safe",
	"AWSM-701": "Kubernetes version has the in-tree provider and leader migration",
	"AWSM-702": "no node runs Windows",
	"AWSM-703": "rke applied the in-tree provider",
	"AWSM-704": "cluster.yml and the cluster have the same nodes",
	"AWSM-705": "the control plane survives a restart",
	"AWSM-706": "etcd members are spread over zones",
	"AWSM-707": "control planes restart one at a time",
	"AWSM-708": "rke does not drain while it rolls",
	"AWSM-709": "the cluster is at rest",
	"AWSM-710": "RKE's end of life is known",
	"AWSM-721": "no awsCloudProvider with external-aws",
	"AWSM-722": "cluster.yml has the provider that the cluster runs",
	"AWSM-723": "kubernetes_version is set",
	"AWSM-724": "no image of Kubernetes beats kubernetes_version",
	"AWSM-725": "`rke up` applies the configuration",
	"AWSM-726": "no key of cluster.yml is misspelt",
	"AWSM-727": "cluster.yml holds no changes that were not applied",
	"AWSM-728": "the state file next to cluster.yml is the cluster's",
	"AWSM-729": "both edits can be computed",
	"AWSM-730": "rke can write the cloud config",
	"AWSM-731": "rke accepts cluster.yml",
	"AWSM-732": "no other provider's options exist with aws",
	"AWSM-733": "no value is a placeholder",
	"AWSM-734": "no duplicate keys",
	"AWSM-741": "rke version can be determined",
	"AWSM-742": "the rke binary knows external-aws",
	"AWSM-743": "the rke binary knows the Kubernetes versions",
	"AWSM-751": "no extra argument beats cloud_provider",
	"AWSM-752": "no argument is given twice",
	"AWSM-753": "kube-controller-manager's arguments allow leader migration",
	"AWSM-754": "arguments are written without dashes",
	"AWSM-755": "every service's arguments suit migration and upgrade",
	"AWSM-761": "every Node keeps its name",
	"AWSM-762": "no service has a hostname-override for all nodes",
	"AWSM-763": "rke-tools get an answer from the metadata service",
	"AWSM-764": "rke finds every Node after the switch",
	"AWSM-765": "no volume is bound to a hostname label that changes",
	"AWSM-781": "the chart can be installed",
	"AWSM-782": "the chart's values are safe",
}

// retired holds the IDs of removed checks: rke reports or ignores the same in cluster.yml, or
// another ID covers it.
var retired = map[string]bool{"AWSM-726": true, "AWSM-731": true, "AWSM-733": true, "AWSM-734": true, "AWSM-741": true,
	"AWSM-705": true, "AWSM-706": true, "AWSM-703": true, "AWSM-729": true, "AWSM-753": true, "AWSM-761": true, "AWSM-708": true, "AWSM-707": true, "AWSM-709": true, "AWSM-782": true, "AWSM-781": true, "AWSM-701": true}

func TestIDsAreStable(t *testing.T) {
	pattern := regexp.MustCompile(`^AWSM-[17][0-9]{2}$`)
	known := map[string]bool{}
	for _, m := range verify.Metas(rkechecks.All()...) {
		if known[m.ID] || retired[m.ID] || !pattern.MatchString(m.ID) || issued[m.ID] != m.Title {
			t.Errorf("%s is used twice, retired, malformed, or not %q", m.ID, m.Title)
		}
		known[m.ID] = true
		if m.Category == "" || m.Why == "" || m.Source == "" || m.Fix == "" {
			t.Errorf("%s does not say category, why, source and fix", m.ID)
		}
	}
	for id := range issued {
		if !known[id] && !retired[id] {
			t.Errorf("%s is gone and not retired", id)
		}
	}
	all := map[string]bool{}
	for _, m := range rkechecks.Metas() {
		if all[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		all[m.ID] = true
	}
	if !all["AWSM-101"] || !all["AWSM-201"] || all["AWSM-304"] {
		t.Error("not the checks of an RKE migration")
	}
}

// A run refuses unsupported clusters before it leaves any trace. Clusters that only need a fix
// must not count as unsupported.
func TestAll_unsupported_notFixable(t *testing.T) {
	supported := func(name string) bool {
		registry := slices.DeleteFunc(rkechecks.All(), func(c verify.Check[rkechecks.Prepared]) bool { return !c.Unsupported })
		for _, tt := range rketraps.All() {
			if tt.ID+" "+tt.Name == name {
				p := rketraps.Sound(t)
				tt.Break(t, p)
				return verify.RunAll(t.Context(), verify.Bind(*p, registry...), verify.Options{Position: position.P0}).Err() == nil
			}
		}
		t.Fatalf("no cluster %s", name)
		return false
	}
	for name, want := range map[string]bool{"AWSM-101 too old": false, "AWSM-702 Windows": false, "AWSM-103 external": false,
		"AWSM-105 not at rest": true, "AWSM-723 empty": true, "AWSM-742 too old": true} {
		if got := supported(name); got != want {
			t.Errorf("%s: supported %t", name, got)
		}
	}
}
