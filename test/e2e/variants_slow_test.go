//go:build slow

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/overlay"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// variant is a build of awsmigrate with changed sources. It maps a file to the text that is
// replaced and its replacement. A nil variant is the tested build.
type variant map[string][2]string

var (
	// newer embeds another chart of the cloud controller manager and has another version.
	newer = variant{
		"charts/aws-cloud-controller-manager/values.yaml": {"minReadySeconds: 30", "minReadySeconds: 25"},
		"charts/aws-cloud-controller-manager/Chart.yaml":  {"version: 0.1.0", "version: 0.2.0"},
		"pkg/build/build.go":                              {`Stamp{Version: "devel"}`, `Stamp{Version: "v9.9.9"}`},
	}
	// newest also writes journals that no other version can read.
	newest = variant{
		"charts/aws-cloud-controller-manager/Chart.yaml": {"version: 0.1.0", "version: 0.2.0"},
		"pkg/runner/journal/journal.go":                  {`"awsmigrate.io/journal/v1"`, `"awsmigrate.io/journal/v2"`},
	}
)

// path returns the program of the variant, and builds it first unless it is the tested one.
func (p variant) path(t *testing.T, lab *scenario.Lab) string {
	t.Helper()
	if p == nil {
		return filepath.Join(lab.Bin, "awsmigrate")
	}
	root, err := filepath.Abs("../..")
	must(t, err)
	texts := map[string]string{}
	for file, change := range p {
		path := filepath.Join(root, file)
		text, err := os.ReadFile(path)
		must(t, err)
		if strings.Count(string(text), change[0]) != 1 {
			t.Fatalf("%s has %q %d times", file, change[0], strings.Count(string(text), change[0]))
		}
		texts[path] = strings.Replace(string(text), change[0], change[1], 1)
	}
	dir := t.TempDir()
	list, err := overlay.Write(dir, texts)
	must(t, err)
	built := filepath.Join(dir, "awsmigrate")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "-ldflags", "-s -w", "-o", built, "./cmd/awsmigrate")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build another awsmigrate: %v\n%s", err, said)
	}
	return built
}
