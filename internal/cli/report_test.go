package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// reported returns the output of report for arguments.
func reported(t *testing.T, args ...string) played {
	t.Helper()
	var out, stderr bytes.Buffer
	code := Main(t.Context(), append([]string{"report"}, args...), console.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr, Env: func(string) string { return "" }, Width: func() int { return 0 }})
	return played{out: out.String(), err: stderr.String(), code: code}
}

// journalFile is a journal as kubectl prints its ConfigMap.
func journalFile(t *testing.T, change func(*corev1.ConfigMap)) string {
	t.Helper()
	client := fake.NewClientset()
	target := journal.Target{Kind: "rke2", Name: "prod", Namespace: "fleet-default", UID: "5f0c"}
	st := journal.State{Runs: []journal.Run{
		{ID: "run-1", Who: "ann@laptop", Command: "awsmigrate rke2 --cluster prod", Start: "2026-11-21T09:00:00Z", Outcome: "died"},
		{ID: "run-2", Who: "bob@bastion", Command: "awsmigrate rke2 --cluster prod", Start: "2026-11-21T10:00:00Z", End: "2026-11-21T10:30:00Z", Outcome: "done", Verified: []journal.StepID{"switch-provider", "verify"}},
	}, Approvals: []journal.Approval{{Run: "run-2", Who: "bob@bastion", Time: "2026-11-21T10:00:10Z", Plan: "sha256:6b1f0c"}},
		Intents: []journal.Intent{{Run: "run-1", Step: "switch-provider", What: "patch Cluster fleet-default/prod", Object: "Cluster fleet-default/prod", Time: "2026-11-21T09:05:00Z"}}}
	if err := journal.NewConfigMap(client, "fleet-default", "awsmigrate-prod", target).Commit(t.Context(), &st); err != nil {
		t.Fatal(err)
	}
	cm, err := client.CoreV1().ConfigMaps("fleet-default").Get(t.Context(), "awsmigrate-prod", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cm.APIVersion, cm.Kind = "v1", "ConfigMap"
	if change != nil {
		change(cm)
	}
	text, err := yaml.Marshal(cm)
	if err != nil {
		t.Fatal(err)
	}
	return saved(t, "journal.yaml", text)
}

// recordsFile are the records of runs as kubectl prints their ConfigMap.
func recordsFile(t *testing.T) string {
	t.Helper()
	client := fake.NewClientset()
	store := archive.Store{Client: client, Namespace: "fleet-default", Cluster: "prod", Clock: clock.RealClock{}}
	for _, run := range []string{"run-1", "run-2"} {
		pack, at := archive.NewPack(), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		for _, e := range []record.Entry{{At: at, Header: &record.Header{Form: record.Form, Name: "prod"}}, {At: at, Run: &record.Run{ID: run, By: run + "@laptop", Position: "P0"}}} {
			if err := pack.Put(e); err != nil {
				t.Fatal(err)
			}
		}
		packed, err := pack.Bytes(at, "")
		if err == nil {
			err = store.Keep(t.Context(), []string{run}, packed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cm, err := client.CoreV1().ConfigMaps("fleet-default").Get(t.Context(), "awsmigrate.record.prod", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cm.APIVersion, cm.Kind = "v1", "ConfigMap"
	text, err := yaml.Marshal(cm)
	if err != nil {
		t.Fatal(err)
	}
	return saved(t, "records.yaml", text)
}

// Records of runs in a file are reported one at a time, the last unless one is named.
func TestReportOfRecordsBesideAJournal(t *testing.T) {
	file := recordsFile(t)
	for want, args := range map[string][]string{"run-2": {file}, "run-1": {file, "--run", "run-1"}} {
		if got := reported(t, args...); got.code != 10 || !strings.Contains(got.out, want) || strings.Count(got.out, "run-") != strings.Count(got.out, want) {
			t.Errorf("%v: exit %d, %s%s", args, got.code, got.out, got.err)
		}
	}
}

func saved(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func bundleFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bundle.json")
	seen := session.Reading{At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Target: bundle.Target{Kind: "rke2", Name: "prod", Namespace: "fleet-default"}, Header: []string{"prod   Kubernetes v1.26.13"}}
	if err := target.Dump(path, seen); err != nil {
		t.Fatal(err)
	}
	return path
}

// report detects the type of a file; text and exit code depend on the file.
func TestGoldenReport(t *testing.T) {
	golden.Require(t, "report-record.txt.golden", reported(t, "../report/testdata/clean.jsonl").all())
	golden.Require(t, "report-journal.txt.golden", reported(t, journalFile(t, nil)).all())
}

func TestReportOfFiles(t *testing.T) {
	packed := func(cm *corev1.ConfigMap) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(cm.Data["journal.json"])); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		delete(cm.Data, "journal.json")
		cm.BinaryData = map[string][]byte{"journal.json.gz": b.Bytes()}
	}
	asJSON := func() string {
		text, err := os.ReadFile(journalFile(t, nil))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = yaml.YAMLToJSON(text); err != nil {
			t.Fatal(err)
		}
		return saved(t, "journal.json", text)
	}
	for name, tt := range map[string]struct {
		file   string
		format string
		code   int
		says   []string
	}{
		"a record":            {"../report/testdata/clean.jsonl", "markdown", 0, []string{"# Run of awsmigrate on prod", "No two processes ran", "```diff"}},
		"its time line":       {"../report/testdata/clean.jsonl", "svg", 0, []string{"<svg"}},
		"with an overlap":     {"../report/testdata/double.jsonl", "html", 3, []string{"Two processes ran"}},
		"with a gap in it":    {"../report/testdata/unwatched.jsonl", "markdown", 10, []string{"at a stretch was not watched"}},
		"a journal":           {journalFile(t, nil), "markdown", 10, []string{"# Runs of awsmigrate on prod", "It took over from run run-1 of ann@laptop", "sha256:6b1f0c", "a journal has the runs, but no watch"}},
		"a journal, packed":   {journalFile(t, packed), "html", 10, []string{"Runs of awsmigrate on prod"}},
		"a journal, as JSON":  {asJSON(), "html", 10, []string{"Runs of awsmigrate on prod"}},
		"a bundle":            {bundleFile(t), "markdown", 10, []string{"# Audit of prod", "a bundle is one moment", "unknown"}},
		"a bundle on a page":  {bundleFile(t), "html", 10, []string{"Audit of prod"}},
		"a bundle as a text":  {bundleFile(t), "text", 10, []string{"Audit", "AWSM-"}},
		"a time line of runs": {journalFile(t, nil), "svg", 2, nil},
	} {
		got := reported(t, tt.file, "-o", tt.format)
		if got.code != tt.code {
			t.Errorf("%s: exit %d, wanted %d: %s", name, got.code, tt.code, got.err)
		}
		for _, want := range tt.says {
			if !strings.Contains(got.out, want) && name != "a bundle as a text" {
				t.Errorf("%s: %q is not in\n%s", name, want, got.out)
			}
		}
		if tt.code == 10 && strings.Contains(got.out, "No two processes") {
			t.Errorf("%s: says that no two processes ran at once", name)
		}
	}
}

// A foreign file is refused by name, regardless of its content and size.
func TestReportRefuses(t *testing.T) {
	bomb := func(cm *corev1.ConfigMap) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		zeros := make([]byte, 1<<20)
		for range 70 {
			if _, err := w.Write(zeros); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		cm.Data, cm.BinaryData = nil, map[string][]byte{"journal.json.gz": b.Bytes()}
	}
	edited := func(cm *corev1.ConfigMap) {
		cm.Data["journal.json"] = strings.Replace(cm.Data["journal.json"], "ann@laptop", "eve@laptop", 1)
	}
	other := journalFile(t, func(cm *corev1.ConfigMap) { cm.Kind = "Secret" })
	foreign, err := json.Marshal(map[string]any{"apiVersion": "awsmigrate.io/v1", "kind": "AuditBundle", "schema": 99})
	if err != nil {
		t.Fatal(err)
	}
	for says, tt := range map[string]struct {
		args []string
		code int
	}{
		"wanted FILE, --cluster NAME or --config": {nil, 2},
		"FILE and a cluster":                      {[]string{"x", "--cluster", "prod"}, 2},
		"flags --cluster and --config":            {[]string{"--cluster", "prod", "--config", "cluster.yml"}, 2},
		"no such file":                            {[]string{"testdata/none"}, 2},
		"a bundle of verify --dump":               {[]string{saved(t, "a.txt", []byte("hello\n"))}, 2},
		"its first line is no header":             {[]string{saved(t, "f.jsonl", []byte("{\"at\":\"x\",\"object\":\"ConfigMap a/b\"}\n{}\n"))}, 2},
		"it is empty":                             {[]string{saved(t, "b.txt", nil)}, 2},
		"changed by something other than":         {[]string{journalFile(t, edited)}, 9},
		"the journal has more than 4194304 bytes": {[]string{journalFile(t, bomb)}, 9},
		`is a "Secret"`:                           {[]string{other}, 2},
		"has more than 8 MB":                      {[]string{saved(t, "c.yaml", append([]byte("kind: ConfigMap\nx: "), bytes.Repeat([]byte("a"), 9<<20)...))}, 2},
		"cannot be read as YAML or JSON":          {[]string{saved(t, "d.yaml", []byte("kind: ConfigMap\n\t- a: [\n"))}, 2},
		"has schema 99":                           {[]string{saved(t, "e.json", foreign)}, 2},
		"no record is kept of run run-9":          {[]string{recordsFile(t), "--run", "run-9"}, 2},
		"holds no records of runs":                {[]string{journalFile(t, nil), "--run", "last"}, 2},
		"holds neither a journal nor records":     {[]string{journalFile(t, func(cm *corev1.ConfigMap) { cm.Data, cm.BinaryData = nil, nil })}, 2},
		"is a directory":                          {[]string{t.TempDir()}, 2},
		"is of one run, or of none":               {[]string{bundleFile(t), "--run", "last"}, 2},
		"svg shows the time line of a record":     {[]string{bundleFile(t), "-o", "svg"}, 2},
	} {
		got := reported(t, tt.args...)
		if got.code != tt.code || !strings.Contains(strings.Join(strings.Fields(got.err), " "), says) {
			t.Errorf("%q: exit %d, %s", says, got.code, got.err)
		}
		if len(tt.args) > 0 && filepath.IsAbs(tt.args[0]) && tt.args[len(tt.args)-1] != "svg" && !strings.Contains(got.err, tt.args[0]) {
			t.Errorf("%q does not name the file: %s", says, got.err)
		}
	}
}
