package e2e

import (
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunsOnAnEmptyImage checks that the program needs nothing of the system it is started on:
// no interpreter, no library, no file.
func TestRunsOnAnEmptyImage(t *testing.T) {
	t.Parallel()
	program := filepath.Join("..", "..", "bin", "awsmigrate")
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			interpreter, _ := io.ReadAll(segment.Open())
			t.Errorf("%s asks for the interpreter %q", program, interpreter)
		}
	}
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("%s asks for %v, %v", program, libraries, err)
	}

	root := t.TempDir()
	copied, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "awsmigrate"), copied, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"version"}, "awsmigrate ", 0},
		{[]string{"explain", "AWSM-201"}, "migration lease", 0},
		{[]string{"verify", "--kubeconfig", "/none"}, "/none", 2},
	} {
		cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--user", "--map-root-user", "--root", root, "/awsmigrate"}, tc.args...)...)
		cmd.Env = []string{}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.says) {
			t.Errorf("%v on an empty image: exit %d, want %d, and %q in\n%s", tc.args, code, tc.code, tc.says, out)
		}
	}
}
