package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/runlog"
)

// logged runs `awsmigrate logs` with arguments and a log on standard input.
func logged(t *testing.T, log string, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	code := Main(t.Context(), append([]string{"logs"}, args...), console.Streams{In: strings.NewReader(log), Out: &out, Err: &stderr, Env: func(string) string { return "" }, Width: func() int { return 0 }})
	return played{out: out.String(), err: stderr.String(), code: code}.all()
}

func TestGoldenLogs(t *testing.T) {
	const path = "../runlog/testdata/controller.jsonl"
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "logs.txt.golden", logged(t, string(log), "--cluster", "prod", "--from", "-"))
	golden(t, "logs-run.txt.golden", logged(t, "", "--cluster", "prod", "--run", "run-3", "--from", path))
	golden(t, "logs-none.txt.golden", logged(t, string(log), "--cluster", "prod", "-n", "team-b", "--from", "-"))
}

func TestLogsRefuse(t *testing.T) {
	for says, args := range map[string][]string{
		"flag --cluster is required":           {"--from", "-"},
		"flag --follow: what --from":           {"--cluster", "prod", "--from", "-", "-f"},
		"no such file or directory":            {"--cluster", "prod", "--from", "testdata/none"},
		"unknown command \"prod\"":             {"prod"},
		"flag --output: there is no such flag": {"--cluster", "prod", "--output", "json"},
		"kubeconfig testdata/none: can":        {"--cluster", "prod", "--kubeconfig", "testdata/none"},
	} {
		if got := logged(t, "", args...); !strings.Contains(got, says) || !strings.Contains(got, "--- exit 2") {
			t.Errorf("%q: want %q:\n%s", args, says, got)
		}
	}
}

// The command finds the pods that the chart makes.
func TestLogsFindTheChartsPods(t *testing.T) {
	helpers, deployment := readDoc(t, "charts/awsmigrate/templates/_helpers.tpl"), readDoc(t, "charts/awsmigrate/templates/deployment.yaml")
	label, value, _ := strings.Cut(runlog.Selector, "=")
	if !strings.Contains(helpers, "\n"+label+": "+value+"\n") || !strings.Contains(deployment, "\n        - name: "+runlog.Container+"\n") {
		t.Errorf("the chart's pods have no label %s or no container %s", runlog.Selector, runlog.Container)
	}
}
