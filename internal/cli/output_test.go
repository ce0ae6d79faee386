package cli

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// fullDisk accepts some bytes, then fails.
type fullDisk struct {
	left int
	err  error
}

func (w *fullDisk) Write(text []byte) (int, error) {
	if w.left -= len(text); w.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: w.err}
	}
	return len(text), nil
}

// No command and no format ends with success if its output was not written, at its beginning or at its end.
func TestMain_outputLost_exit1(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	t.Chdir(t.TempDir())
	cluster := soundRKE + "cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}\n"
	if err := os.WriteFile("cluster.yml", []byte(cluster), 0o600); err != nil {
		t.Fatal(err)
	}
	journal := journalFile(t, nil)
	for _, args := range []string{
		"--help", "rke2 plan --help", "--version", "version", "version -o json", "version -o yaml", "explain P3", "explain install-ccm", "explain AWSM-303 -o json",
		"completion bash", "completion fish", "job --cluster prod --image i:1 -- --edits apply",
		"rke plan --config cluster.yml --offline", "rke plan --config cluster.yml --offline -o json", "rke plan --config cluster.yml --offline -o yaml",
		"report " + journal, "report " + journal + " -o html", "report " + journal + " -o markdown",
	} {
		run := func(out io.Writer) (code int, errs string) {
			var stderr bytes.Buffer
			code = Main(t.Context(), strings.Fields(args), console.Streams{In: strings.NewReader(""), Out: out, Err: &stderr, Env: func(string) string { return "" }})
			return code, stderr.String()
		}
		var whole bytes.Buffer
		want, _ := run(&whole)
		for _, left := range []int{0, whole.Len() - 1} {
			for _, cause := range []error{syscall.ENOSPC, syscall.EPIPE} {
				code, errs := run(&fullDisk{left: left, err: cause})
				if code != max(want, 1) || !strings.Contains(errs, "could not write standard output") || !strings.Contains(errs, cause.Error()) {
					t.Errorf("%s, %d bytes written, %v: exit %d, wanted %d: %s", args, left, cause, code, max(want, 1), errs)
				}
			}
		}
		if want != 0 && !strings.HasPrefix(args, "report") {
			t.Errorf("%s: exit %d", args, want)
		}
	}
}

// An error keeps its class and its text, although its document is lost.
func TestMain_errorAndOutputLost_exitOfTheError(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	var errs bytes.Buffer
	code := Main(t.Context(), strings.Fields("rke2 plan --cluster a -o json"), console.Streams{Out: &fullDisk{err: syscall.ENOSPC}, Err: &errs})
	if code != 2 || !strings.Contains(errs.String(), "kubeconfig") || !strings.Contains(errs.String(), "no space left") || !strings.Contains(errs.String(), "exit 2") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
