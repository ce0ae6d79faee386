package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// screenWidths are the widths of terminals for which every screen is laid out.
var screenWidths = []int{40, 60, 80, 120, 240}

// screens returns every screen that the README and docs/first-cluster.md show.
func screens(t *testing.T) map[string]func(console.Streams) {
	all := auditScreens(t)
	for name, write := range map[string]func(console.Streams){
		"plan":        func(s console.Streams) { planScreen(t, s, procedure.Foreseen{}) },
		"plan --diff": func(s console.Streams) { view.WritePlan(s, scriptHeader, proposal(t).Steps, true) },
		"stopped plan": func(s console.Streams) {
			report := verify.Report{Results: []verify.Result{{Meta: fiveChecks()[1], Status: verify.Fail, Findings: flawed()["AWSM-303"]}}}
			planScreen(t, s, procedure.Foreseen{Report: report, Stops: layoutFault()})
		},
		"list":                func(s console.Streams) { view.WriteList(s, view.NewList(listedFleet())) },
		"status":              func(s console.Streams) { statusScreen(t, s) },
		"history":             func(s console.Streams) { view.WriteHistory(s, longHistory()) },
		"run":                 func(s console.Streams) { runScreen(t, s) },
		"end":                 func(s console.Streams) { endScreen(s, nil) },
		"interrupt":           interruptScreen,
		"status --watch":      watchScreen,
		"stop":                func(s console.Streams) { endScreen(s, layoutFault()) },
		"error":               func(s console.Streams) { view.WriteError(s, "text", layoutFault()) },
		"report of a record":  func(s console.Streams) { Main(t.Context(), []string{"report", "../report/testdata/clean.jsonl"}, s) },
		"report of a journal": func(s console.Streams) { Main(t.Context(), []string{"report", journalFile(t, nil)}, s) },
		"explain a check":     func(s console.Streams) { Main(t.Context(), []string{"explain", "AWSM-303"}, s) },
		"explain a step":      func(s console.Streams) { Main(t.Context(), []string{"explain", "install-ccm"}, s) },
		"explain a position":  func(s console.Streams) { Main(t.Context(), []string{"explain", "P3"}, s) },
		"access":              func(s console.Streams) { accessScreen(t, s) },
		"question": func(s console.Streams) {
			view.WriteQuestion(s, questionOf(proposal(t), commands(target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}})))
		},
	} {
		all[name] = write
	}
	return all
}

func auditScreens(t *testing.T) map[string]func(console.Streams) {
	findings := flawed()
	for i := 401; i < 413; i++ {
		findings[fmt.Sprintf("AWSM-%d", i)] = []verify.Finding{{Status: verify.Skip, Reason: "AWS was not asked: no AWS credentials"}}
	}
	findings["AWSM-415"] = []verify.Finding{{Status: verify.Unknown, Object: "EC2 instances", Reason: "the credentials of AWS_PROFILE do not work: failed to get shared config profile, nope"}}
	findings["AWSM-406"] = []verify.Finding{{Status: verify.Fail, Object: "role", Seen: "x", Fix: "find out what the machine is, and if it was never one of the cluster's: aws iam put-role-policy --role-name control-plane --policy-document '{\"a\":\";\"}'; then run `awsmigrate verify --cluster demo` again"}}
	all := map[string]func(console.Streams){}
	for _, format := range []string{"text", "short", "wide"} {
		doc := audited(t, position.P3, migration.Options{}, findings)
		all["verify -o "+format] = func(s console.Streams) { _ = verifyview.WriteAudit(s, format, doc) }
	}
	return all
}

func planScreen(t *testing.T, s console.Streams, foreseen procedure.Foreseen) {
	p := proposal(t)
	next := target.Words{Command: "rke2", Args: []string{"--cluster", "demo", "--ccm-image", "registry.example/kubernetes/cloud-controller-manager:v1.26.14"}}.Run()
	document := planDocument{Header: scriptHeader, WholePlan: p.WholePlan, Next: next}
	if err := document.write(&app.App{Streams: s, Output: "text"}, foreseen, false); err != nil {
		t.Error(err)
	}
}

func statusScreen(t *testing.T, s console.Streams) {
	of := wholeScript()
	seen, err := of.Judge(migration.Snapshot{})
	if err != nil {
		t.Error(err)
	}
	doc := view.NewStatus(of.Target(), infos(of), seen, commands(target.Words{Command: "rke2", Args: []string{"--cluster", "demo", "--namespace", "clusters"}}))
	doc.Paused, doc.Unread = "paused by awsmigrate (20261121T090000Z-0badcafe)", "the journal could not be read: configmaps awsmigrate-demo is forbidden"
	doc.Header = append(slices.Clone(scriptHeader), "run    root on bastion, pid 15345, run 20261121T090000Z-0badcafe; in step install-ccm, for 1m4s; its lock was renewed 4s ago")
	view.WriteStatus(s, doc, time.Time{})
}

func longHistory() view.HistoryDocument {
	return view.NewHistory(journal.Target{}, []journal.Run{
		{ID: "1", Command: "awsmigrate rke2 --cluster demo --yes --edits apply --hand-over early", Who: "ada@bastion.example.internal", Start: "2026-11-21T09:00:00Z", End: "2026-11-21T09:04:12Z",
			Outcome: "stopped", Step: migration.StepSwitch, Reason: "NodeRenamed"},
		{ID: "2", Command: "awsmigrate rke2 undo --cluster demo", Start: "2026-11-21T10:40:00Z"},
	})
}

// layoutFault is an error with a command in the middle of its fix.
func layoutFault() error {
	return &fault.Error{Class: fault.Check, Reason: "NodeRenamed", Object: "Machine fleet-default/demo-cp-e782b882-pwvrm", Seen: "registered a second Node: ip-10-0-0-10 next to ip-10-0-0-10.ec2.internal",
		Wanted: "one Node for each machine", Fix: "find the one that the kubelet renews: kubectl -n kube-node-lease get lease ip-10-0-0-10.ec2.internal -o yaml; then delete the other one"}
}

func endScreen(s console.Streams, err error) {
	commands := commands(target.Words{Command: "rke2", Args: []string{"--cluster", "demo"}})
	commands.UpgradePath, commands.Report = "awsmigrate upgrade-path --cluster demo", func(run string) string { return "awsmigrate report --cluster demo --run " + run }
	evidence := func() runview.Evidence {
		return runview.Evidence{StoredRun: "20261121T090000Z-0badcafe", Refused: []string{"pods", "services"}, Report: "/home/ada/changes/CHG-2026-11-21/report.html"}
	}
	run := runview.NewRun(runview.Output{Streams: s, Format: "text", Progress: runview.ProgressNone, Evidence: evidence}, commands)
	compared := []runner.Compared{{Kind: "nodes", By: "names, UIDs, ProviderIDs", Same: 6, Of: 6}, {Kind: "addresses of nodes", By: "the first of each type, others in any order", Of: 6}}
	result := runner.Result{Position: "P5", Pauses: []time.Duration{7 * time.Second, 17 * time.Second}, Resume: "awsmigrate rke2 --cluster demo",
		Steps: []runner.StepResult{{ID: migration.StepPreflight, Outcome: runner.Finished}, {ID: migration.StepSwitch, Outcome: runner.Finished, Compared: compared}}}
	if err != nil {
		result.Steps[1].Outcome = runner.Stopped
	}
	_ = run.Finish(result, err)
}

// interruptScreen shows the question of Ctrl-C in a rollout.
func interruptScreen(s console.Streams) {
	commands := commands(target.Words{Command: "rke2", Args: []string{"--cluster", "demo", "--owner-informed", "terraform"}})
	run := runview.NewRun(runview.Output{Streams: s, Format: "text", Progress: runview.ProgressNone}, commands)
	run.Ask(&runner.Left{Step: migration.StepSwitch, By: "Rancher", GoesOn: true, Changed: 2, Total: 6})
}

// watchScreen shows the lines around the board of another process's run.
func watchScreen(s console.Streams) {
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	view.WriteFollowed(s, &runner.Account{ID: "20261121T090000Z-0badcafe", By: "root on bastion, pid 15345, run 20261121T090000Z-0badcafe", Started: began, Renewed: began.Add(time.Minute), Life: runner.LifeWorks}, began.Add(70*time.Second))
	view.WriteOutcome(s, journal.Run{Outcome: "stopped", Step: migration.StepSwitch, Reason: "NodeRenamed"})
}

// logTime matches the time of a line, which only a log has.
var logTime = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\dZ  `)

func runScreen(t *testing.T, s console.Streams) {
	script := wholeScript()
	script.list[5].verdicts = []runner.Verdict{script.list[5].verdicts[1], {Kind: runner.MustPause, Err: renamed()}}
	got := play(t, script, "text", func(on *console.Streams, _ *runner.Options) {
		on.OutTerminal, on.ErrTerminal, on.Width, on.Color = s.OutTerminal, s.ErrTerminal, s.Width, false
	})
	fmt.Fprint(s.Out, logTime.ReplaceAllString(got.out, "")+got.err)
}

func accessScreen(t *testing.T, s console.Streams) {
	doc, err := verifyview.NewAccess(answers(t))
	if err != nil {
		t.Error(err)
	}
	_ = verifyview.WriteAccess(s, "text", "awsmigrate verify --cluster prod --access", doc)
}

// shownOn returns a screen on a terminal of a width, or in a pipe if the width is 0.
func shownOn(width int, write func(console.Streams)) string {
	var out bytes.Buffer
	s := console.Streams{Out: &out, Err: &out, Env: func(string) string { return "" }, Width: func() int { return width }}
	s.OutTerminal, s.ErrTerminal = width > 0, width > 0
	write(s)
	return out.String()
}

// Every screen keeps the rules of layoutFaults at every width, and an edit of a view that cuts, breaks or
// wraps without an indent is found.
func TestScreens_anyWidth_laidOut(t *testing.T) {
	var code []string // lines of the page that a step is explained with
	for line := range strings.Lines(readDoc(t, "docs/steps/install-ccm.md")) {
		code = append(code, strings.TrimSpace(line))
	}
	for name, write := range screens(t) {
		t.Run(name, func(t *testing.T) {
			piped := shownOn(0, write)
			if name == "explain a step" { // a page has lines of 120 columns there
				piped = brokenParagraph.ReplaceAllString(underline.ReplaceAllString(piped, ""), "$1 $2")
			}
			for _, width := range screenWidths {
				shown := shownOn(width, write)
				for _, fault := range layoutFaults(piped, shown, width, code) {
					t.Errorf("%d columns: %s", width, fault)
				}
				if t.Failed() {
					t.Fatalf("%d columns:\n%s", width, shown)
				}
			}
		})
	}
}

// A table that cuts its cells, a line that breaks in a word, and one that continues without an indent are
// found.
func TestLayoutFaults_seededDefect_found(t *testing.T) {
	piped := shownOn(0, func(s console.Streams) { view.WriteList(s, view.NewList(listedFleet())) })
	each := func(change func(line string) string) string {
		var lines []string
		for line := range strings.Lines(piped) {
			lines = append(lines, change(strings.TrimSuffix(line, "\n")))
		}
		return strings.Join(lines, "\n") + "\n"
	}
	const label = "now    P3 the new controller is installed\n"
	for name, tt := range map[string]struct{ piped, shown, want string }{
		"a cell is cut":        {piped, each(func(line string) string { return plaintext.Clip(line, 60, false) }), "is cut"},
		"a word is broken":     {piped, each(func(line string) string { return breakAt(line, 60) }), "is no word"},
		"nothing is wrapped":   {piped, piped, "columns wide"},
		"no indent":            {label, "now    P3 the new\ncontroller is installed\n", "without an indent"},
		"a command is broken":  {"next   awsmigrate rke2 --cluster demo\n", "next   awsmigrate rke2\n       --cluster demo\n", "is broken"},
		"a word is left out":   {label, "now    P3 the controller is\n       installed\n", "is missing"},
		"the layout that does": {label, "now    P3 the new\n       controller is\n       installed\n", ""},
	} {
		found := strings.Join(layoutFaults(tt.piped, tt.shown, 60, nil), "\n")
		if tt.want == "" && found != "" || !strings.Contains(found, tt.want) {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

func breakAt(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return string(runes[:width]) + "\n      " + string(runes[width:])
}

var (
	// commandLine matches a command that a screen shows after a label, or alone.
	commandLine = regexp.MustCompile(`^(?:[a-z]+:? +|  +)?((?:awsmigrate|kubectl|aws|helm|rke) [^ ].*)$`)
	// underline matches the line below a heading, which is as wide as the heading.
	underline = regexp.MustCompile(`(?m)^(-+|=+)$`)
	// brokenParagraph matches the end of a line that continues on the next one.
	brokenParagraph = regexp.MustCompile(`([^\n])\n([^\s])`)
	// leftOut matches the line that names the columns without room, which only a narrow screen has.
	leftOut = regexp.MustCompile(`not shown at this width: [^·]*?\n\n`)
)

// layoutFaults returns how a screen differs from its rules: a line is wider than the terminal only if it is one
// command or one word; every word of the piped screen is there and none is broken or cut; a command has one
// line; and a line with a label continues with an indent.
func layoutFaults(piped, shown string, width int, code []string) []string {
	var faults []string
	whole := !leftOut.MatchString(shown)
	piped, shown = underline.ReplaceAllString(piped, ""), underline.ReplaceAllString(leftOut.ReplaceAllString(shown, "\n"), "")
	known, seen := screenWords(piped), screenWords(shown)
	for _, line := range strings.Split(shown, "\n") {
		if n := utf8.RuneCountInString(line); n > width && !mayBeWide(line) && !slices.Contains(code, strings.TrimSpace(line)) {
			faults = append(faults, fmt.Sprintf("%d columns wide: %q", n, line))
		}
		for _, word := range strings.Fields(line) {
			switch word = strings.TrimSuffix(word, ";"); {
			case strings.HasSuffix(word, "…") && !known[word]:
				faults = append(faults, fmt.Sprintf("%q is cut: %q", word, line))
			case !known[word]:
				faults = append(faults, fmt.Sprintf("%q is no word: %q", word, line))
			}
		}
	}
	if !whole {
		return faults // the rows lack columns
	}
	for word := range known {
		if !seen[word] {
			faults = append(faults, fmt.Sprintf("%q is missing", word))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return continuationFaults(piped, shown)
}

// mayBeWide reports whether a line is one command, one word after its label, or a comment of a manifest, which
// is pasted.
func mayBeWide(line string) bool {
	_, text := console.Hanging(line)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "report "), "record ")
	return commandLine.MatchString(line) || len(strings.Fields(strings.TrimLeft(text, "~+−!✗? "))) <= 1 || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "[")
}

func screenWords(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(text) {
		all[strings.TrimSuffix(word, ";")] = true // a command on a line of its own has no semicolon
	}
	return all
}

// continuationFaults finds commands with more than one line, and lines that continue a labelled one without an
// indent. The piped screen has a line for each paragraph.
func continuationFaults(piped, shown string) []string {
	var faults []string
	paragraphs := strings.Split(piped, "\n")
	for _, paragraph := range paragraphs {
		if match := commandLine.FindStringSubmatch(paragraph); match != nil && !strings.Contains(match[1], " · ") && !strings.Contains(shown, match[1]+"\n") {
			faults = append(faults, fmt.Sprintf("%q is broken", match[1]))
		}
	}
	for line := range strings.Lines(shown) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != ' ' && !slices.ContainsFunc(paragraphs, func(p string) bool { return mayHold(p, line) }) {
			faults = append(faults, fmt.Sprintf("without an indent: %q", line))
		}
	}
	return faults
}

// mayHold reports whether a line without an indent begins a paragraph, or is in the middle of one without a
// label.
func mayHold(paragraph, line string) bool {
	words, first := strings.Fields(paragraph), strings.Fields(line)
	first = first[:min(2, len(first))]
	if paragraph != "" && paragraph[0] != ' ' && len(words) >= len(first) && slices.Equal(words[:len(first)], first) {
		return true
	}
	label, text := console.Hanging(paragraph)
	return label == "" && strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(line), " "))
}
