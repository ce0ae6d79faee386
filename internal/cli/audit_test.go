package cli

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

var auditTime = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// audited returns a report of all checks in which every check is OK except those with findings.
func audited(t *testing.T, at position.Position, options migration.Options, findings map[string][]verify.Finding) verifyview.AuditDocument {
	t.Helper()
	return auditedBy(t, rke2checks.Metas(), at, options, findings)
}

// auditedBy returns the same of some checks.
func auditedBy(t *testing.T, metas []verify.Meta, at position.Position, options migration.Options, findings map[string][]verify.Finding) verifyview.AuditDocument {
	t.Helper()
	var bound []verify.Bound
	for _, meta := range metas {
		bound = append(bound, verify.Bind(findings[meta.ID], verify.Check[[]verify.Finding]{Meta: meta, Judge: func(f []verify.Finding) []verify.Finding { return f }})...)
	}
	seen := session.Reading{At: auditTime, Next: "awsmigrate rke2 plan --cluster demo", Target: bundle.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u-1"},
		Header: []string{
			"demo   fleet-default · c-m-7xk2p · RKE2 v1.26.13+rke2r1 · 3 control planes, 3 workers · Rancher v2.8.5",
			fmt.Sprintf("now    %s   %s", at, at.Summary()), "aws    123456789012 · us-east-1 · as arn:aws:sts::123456789012:assumed-role/operator/lab",
		}, Inspection: audit.Inspection{Input: evidence.Input{Position: position.Result{Position: at, Summary: at.Summary()}}}}
	report := verify.RunAll(t.Context(), bound, options.Checks(at))
	doc := (&auditor{app: &app.App{}, options: options}).document(seen, report)
	doc.Seconds = 0.41
	return doc
}

func flawed() map[string][]verify.Finding {
	var nodes []verify.Finding
	for i := range 7 {
		nodes = append(nodes, verify.Finding{Status: verify.Fail, Object: fmt.Sprintf("Node ip-10-0-0-%d.ec2.internal", i), Seen: "zone label us-east-1b", Wanted: "us-east-1a"})
	}
	return map[string][]verify.Finding{
		"AWSM-112": {{Status: verify.Warn, Object: "Cluster fleet-default/demo", Seen: "3 etcd members in 2 zones: us-east-1a ×2, us-east-1b ×1", Wanted: "3 zones"}},
		"AWSM-303": nodes,
		"AWSM-402": {{Status: verify.Unknown, Object: "instances", Reason: "could not look: UnauthorizedOperation"}},
		"AWSM-421": {{Status: verify.Skip, Reason: "hop limit not looked at: the CCM's pods use the host network"}},
	}
}

func rendered(t *testing.T, format string, doc verifyview.AuditDocument, bend func(*console.Streams)) string {
	t.Helper()
	var out bytes.Buffer
	streams := console.Streams{Out: &out}
	if bend != nil {
		bend(&streams)
	}
	if err := verifyview.WriteAudit(streams, format, doc); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A failed reading is shown once, at its first check, and every check that is Unknown because of
// it is named.
func TestUnseenIsToldOnce(t *testing.T) {
	findings := flawed()
	for _, id := range []string{"AWSM-403", "AWSM-404"} {
		findings[id] = findings["AWSM-402"]
	}
	findings["AWSM-405"] = []verify.Finding{{Status: verify.Unknown, Object: "instances", Reason: "another reason"}}
	text := rendered(t, "text", audited(t, position.P3, migration.Options{}, findings), nil)
	if n := strings.Count(text, "UnauthorizedOperation"); n != 1 {
		t.Errorf("told %d times", n)
	}
	for _, want := range []string{"\n\n?  AWSM-403  could not be checked, as AWSM-402: ", "\n?  AWSM-404  could not be checked, as AWSM-402: ", "\n\n?  AWSM-405  instances: another reason\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A reason that skips many checks is shown once, with all of them; a single check keeps its
// title.
func TestSkippedForOneReasonAreToldOnce(t *testing.T) {
	findings := flawed()
	for _, id := range []string{"AWSM-401", "AWSM-402", "AWSM-403"} {
		findings[id] = []verify.Finding{{Status: verify.Skip, Reason: "AWS was not asked: no AWS credentials"}}
	}
	findings["AWSM-404"] = []verify.Finding{{Status: verify.Skip, Reason: "alone"}}
	text := rendered(t, "text", audited(t, position.P3, migration.Options{}, findings), nil)
	for _, want := range []string{"\n–  AWSM-401, AWSM-402, AWSM-403: AWS was not asked: no AWS credentials\n", "\n–  AWSM-404  node names are EC2's private DNS names: alone\n"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "AWS was not asked"); n != 1 {
		t.Errorf("told %d times:\n%s", n, text)
	}
}

// The view of twelve lines shows it once as well, whole and in front of the number of its checks.
func TestUnseenIsToldOnceInShort(t *testing.T) {
	findings := flawed()
	delete(findings, "AWSM-303")
	const cause = "the SSO session has expired"
	for _, id := range []string{"AWSM-401", "AWSM-402", "AWSM-403", "AWSM-404", "AWSM-405"} {
		findings[id] = []verify.Finding{{Status: verify.Unknown, Object: "EC2 instances", Reason: "could not look: " + strings.Repeat("failed to refresh, ", 20) + cause}}
	}
	text := rendered(t, "short", audited(t, position.P3, migration.Options{}, findings), nil)
	if !strings.Contains(text, "?  EC2 instances: could not look: failed to refresh, ") || strings.Count(text, cause+" (5 checks)\n") != 1 || strings.Count(text, "?  ") != 1 {
		t.Errorf("short view:\n%s", text)
	}
}

// A command can be pasted from a screen of any width, and the text before it fits the width.
func TestCommandsStayWhole(t *testing.T) {
	const grant = "aws iam put-role-policy --role-name control-plane --policy-name awsmigrate-ccm-required --policy-document '{\"Version\":\"2012-10-17\"}'"
	findings := flawed()
	findings["AWSM-406"] = []verify.Finding{{Status: verify.Fail, Object: "role", Seen: "x", Fix: "find out what the machine is, and if it does not belong to the cluster and never was one of them: " + grant}}
	findings["AWSM-418"] = []verify.Finding{{Status: verify.Fail, Object: "role", Seen: "x", Fix: grant}}
	for width, want := range map[int]string{40: "  ", 80: "  ", 240: "             "} {
		text := rendered(t, "text", audited(t, position.P3, migration.Options{}, findings), func(s *console.Streams) { s.OutTerminal, s.Width = true, func() int { return width } })
		if own := strings.Count(text, "\n"+want+grant+"\n"); own != 1 && width == 240 || own != 2 && width < 240 {
			t.Errorf("width %d: a command is broken in\n%s", width, text)
		}
	}
}

// fiveChecks returns checks that the product does not have, so that golden files hold the
// layout of a report and no new or reworded check changes them.
func fiveChecks() []verify.Meta {
	var metas []verify.Meta
	for i, category := range []string{"cluster", "nodes", "nodes", "aws", "ccm"} {
		metas = append(metas, verify.Meta{ID: fmt.Sprintf("AWSM-90%d", i+1), Title: fmt.Sprintf("title of check %d", i+1), Category: category,
			Why: fmt.Sprintf("why there is check %d", i+1), Source: "kubernetes/kubernetes:pkg/x.go@v1.26.13", Fix: fmt.Sprintf("follow the general fix of check %d", i+1)})
	}
	metas[4].Applies = position.BeforeInstall()
	return metas
}

// fiveFindings returns a finding of each status but ok, of which AWSM-901 is.
func fiveFindings() map[string][]verify.Finding {
	all := flawed()
	return map[string][]verify.Finding{"AWSM-902": all["AWSM-303"], "AWSM-903": all["AWSM-112"], "AWSM-904": all["AWSM-402"], "AWSM-905": all["AWSM-421"]}
}

func TestGoldenAudits(t *testing.T) {
	skipped := map[string][]verify.Finding{"AWSM-905": flawed()["AWSM-421"]}
	golden.Require(t, "audit-healthy.txt.golden", rendered(t, "text", auditedBy(t, fiveChecks(), position.P5, migration.Options{}, skipped), nil))
	bad := auditedBy(t, fiveChecks(), position.P2, migration.Options{}, fiveFindings())
	for _, format := range verifyview.AuditFormats() {
		ending := map[string]string{"text": "txt", "wide": "wide.txt", "short": "short.txt", "junit": "xml"}[format]
		if ending == "" {
			ending = format
		}
		golden.Require(t, "audit."+ending+".golden", rendered(t, format, bad, nil))
	}
	golden.Require(t, "audit-terminal.txt.golden", strings.ReplaceAll(rendered(t, "text", bad, func(s *console.Streams) {
		s.OutTerminal, s.Color, s.Width = true, true, func() int { return 80 }
	}), "\x1b", "␛"))
}

// A report of all checks on a healthy cluster fits a screen.
func TestHealthyAuditFitsAScreen(t *testing.T) {
	healthy := audited(t, position.P5, migration.Options{}, map[string][]verify.Finding{"AWSM-421": flawed()["AWSM-421"]})
	if n := strings.Count(rendered(t, "text", healthy, nil), "\n"); n > 24 {
		t.Errorf("a healthy cluster takes %d lines, more than a screen", n)
	}
}

// The exit code is the report's in every view.
func TestAuditExitCodes(t *testing.T) {
	warn := map[string][]verify.Finding{"AWSM-112": flawed()["AWSM-112"]}
	unknown := map[string][]verify.Finding{"AWSM-402": flawed()["AWSM-402"]}
	for name, tt := range map[string]struct {
		options  migration.Options
		findings map[string][]verify.Finding
		code     int
	}{
		"healthy":            {migration.Options{}, nil, 0},
		"warning":            {migration.Options{}, warn, 0},
		"warning that fails": {migration.Options{FailOnWarning: true}, warn, 4},
		"unknown":            {migration.Options{}, unknown, 10},
		"failed":             {migration.Options{}, flawed(), 3},
		"no such check":      {migration.Options{Skip: map[string]string{"AWSM-999": "x"}}, nil, 2},
		"not skippable":      {migration.Options{Skip: map[string]string{"AWSM-113": "x"}}, nil, 2},
		"skipped":            {migration.Options{Skip: map[string]string{"AWSM-303": "ticket", "AWSM-402": "no rights"}}, flawed(), 0},
	} {
		doc := audited(t, position.P3, tt.options, tt.findings)
		if name == "skipped" && doc.Counts[verify.Fail] != 0 {
			t.Errorf("%s: %v", name, doc.Counts)
		}
		if doc.Code != tt.code || view.ExitCode(doc.Outcome()) != tt.code {
			t.Errorf("%s: exit %d in the document, %d of the error, want %d", name, doc.Code, view.ExitCode(doc.Outcome()), tt.code)
		}
		for _, format := range verifyview.AuditFormats() {
			text := rendered(t, format, doc, nil)
			if want := fmt.Sprint(tt.code); format != "junit" && !strings.Contains(text, want) {
				t.Errorf("%s: -o %s does not tell exit %s", name, format, want)
			}
		}
	}
}

// What a cluster holds reaches no view raw: no control character, no direction
// mark, no megabyte, and XML stays XML.
func TestHostileClustersStayText(t *testing.T) {
	evil := "evil\x1b[2J\x00\r\nexit 0\u202e\u009b31m]]>&<x>\xff" + strings.Repeat("A", 1<<20)
	findings := map[string][]verify.Finding{}
	for _, meta := range checklist.All() {
		status := []verify.Status{verify.Fail, verify.Warn, verify.Unknown, verify.Skip, verify.OK}[len(findings)%5]
		findings[meta.ID] = []verify.Finding{{Status: status, Object: evil, Seen: evil, Wanted: evil, Fix: evil, Reason: evil}}
	}
	for _, width := range []int{0, 80, 120} {
		doc := audited(t, position.Unknown, migration.Options{}, findings)
		for _, format := range verifyview.AuditFormats() {
			text := rendered(t, format, doc, func(s *console.Streams) { s.OutTerminal, s.Width = width > 0, func() int { return width } })
			if len(text) > 5<<20 {
				t.Errorf("-o %s: %d bytes", format, len(text))
			}
			for _, r := range text {
				if r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
					t.Fatalf("-o %s: %U reached the output", format, r)
				}
			}
			if lines := strings.Split(text, "\n"); width == 0 && format == "short" && len(lines)-1 > 12 {
				t.Errorf("short is %d lines", len(lines)-1)
			}
			if format == "junit" {
				validXML(t, text)
			}
		}
	}
}

func validXML(t *testing.T, text string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v", err)
		}
	}
}

func TestJUnitCounts(t *testing.T) {
	for _, failOn := range []bool{false, true} {
		options := migration.Options{FailOnWarning: failOn}
		doc := audited(t, position.P3, options, map[string][]verify.Finding{"AWSM-112": flawed()["AWSM-112"]})
		var suites junitCounts
		if err := xml.Unmarshal([]byte(rendered(t, "junit", doc, nil)), &suites); err != nil {
			t.Fatal(err)
		}
		want := map[bool]int{false: 0, true: 1}[failOn]
		if suites.Failures != want || suites.Tests != len(doc.Results) || suites.Skipped != doc.Counts[verify.Skip] {
			t.Errorf("fail on warning %t: %d failures of %d tests, %d skipped", failOn, suites.Failures, suites.Tests, suites.Skipped)
		}
	}
}

func TestPreflightOfAMigratedCluster(t *testing.T) {
	v := &auditor{app: &app.App{}, preflight: true}
	for _, p := range position.All() {
		err := v.refused(position.Result{Position: p})
		if (err != nil) != p.AtLeast(position.P4) || err != nil && fault.ClassOf(err) != fault.Check {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := v.refused(position.Result{Position: position.Unknown}); err != nil {
		t.Error(err)
	}
	if got := v.selection(position.Result{Position: position.Unknown}).AlsoAt; len(got) != 4 {
		t.Errorf("a preflight at an unknown position is judged as at %v", got)
	}
}

// If warnings count, they count besides failures.
func TestJUnitWarningsBesideFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		asked    bool
		failures int
	}{"asked for": {true, 2}, "not asked for": {false, 1}} {
		var suites junitCounts
		text := rendered(t, "junit", audited(t, position.P3, migration.Options{FailOnWarning: tt.asked}, flawed()), nil)
		if err := xml.Unmarshal([]byte(text), &suites); err != nil {
			t.Fatal(err)
		}
		if suites.Failures != tt.failures || suites.Errors != 1 {
			t.Errorf("%s: %d failures and %d errors, want %d and 1", name, suites.Failures, suites.Errors, tt.failures)
		}
	}
}

// After verify --cluster, kubectl uses the cluster in which Rancher runs: a fix that is pasted
// unchanged would write there.
func TestFixesSayWhichClusterTheyAreFor(t *testing.T) {
	const where = "where  run kubectl and helm of a fix against demo itself"
	fixed := func(status verify.Status, fix string) map[string][]verify.Finding {
		return map[string][]verify.Finding{"AWSM-308": {{Status: status, Object: "Node n", Seen: "cordoned", Fix: fix}}}
	}
	for _, tt := range []struct {
		name      string
		findings  map[string][]verify.Finding
		inRancher bool
		want      bool
	}{
		{"a command", fixed(verify.Fail, "kubectl uncordon n"), true, true},
		{"a command behind a condition", fixed(verify.Warn, "if no run is under way: kubectl uncordon n"), true, true},
		{"helm", fixed(verify.Fail, "helm -n kube-system uninstall x"), true, true},
		{"a command of AWS", fixed(verify.Fail, "aws ec2 start-instances --instance-ids i-1"), true, false},
		{"advice", fixed(verify.Fail, "look with kubectl at the node"), true, false},
		{"nothing wrong", nil, true, false},
		{"no Rancher", fixed(verify.Fail, "kubectl uncordon n"), false, false},
	} {
		doc := audited(t, position.P3, migration.Options{}, tt.findings)
		if !tt.inRancher {
			doc.Target.Namespace = ""
		}
		for _, format := range []string{"text", "wide"} {
			if got := strings.Contains(rendered(t, format, doc, nil), where); got != tt.want {
				t.Errorf("%s, %s: %t, want %t", tt.name, format, got, tt.want)
			}
		}
	}
}

// junitCounts are the counts of a report in JUnit's form.
type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}
