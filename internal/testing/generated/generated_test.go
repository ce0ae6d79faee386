// Package generated checks that the generated files are up to date. It contains only tests. The
// generators are separate modules, and Go would not repeat a test there after a change in the
// product.
package generated

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestKindsAreGenerated checks the files that are generated from the kinds in pkg/apis.
func TestKindsAreGenerated(t *testing.T) {
	fresh := generate(t, "tools/codegen", "tools/codegen", "pkg/apis")
	nothingElse(t, fresh, "charts/awsmigrate-crd/templates", "")
	nothingElse(t, fresh, "pkg/generated", "")
	nothingElse(t, fresh, "pkg/apis", "zz_generated")
}

// TestPagesAreGenerated checks the pages that are generated from the product's code.
func TestPagesAreGenerated(t *testing.T) {
	fresh := generate(t, "tools/generate", "tools/generate", "cmd", "docs", "internal", "pkg", "THIRD_PARTY_NOTICES", "go.mod", "go.sum")
	nothingElse(t, fresh, "docs/schema", "")
}

// generate runs the generator in the folder tool and returns its files by path. It fails the
// test if a file is out of date. The generator reads inputs.
func generate(t *testing.T, tool string, inputs ...string) map[string][]byte {
	t.Helper()
	for _, input := range inputs { // makes go test depend on the inputs
		if err := filepath.WalkDir(filepath.Join(root, input), func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, tool), "run", ".", repository, into).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh := files(t, into)
	if len(fresh) < 2 {
		t.Errorf("%s generated %d files", tool, len(fresh))
	}
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, fresh[name]) {
			t.Errorf("%s is out of date; run `make generate` (%v)", name, err)
		}
	}
	return fresh
}

// nothingElse fails the test if a folder holds a file with the prefix that is not generated.
func nothingElse(t *testing.T, fresh map[string][]byte, folder, prefix string) {
	t.Helper()
	for name := range files(t, filepath.Join(root, folder)) {
		if _, ok := fresh[filepath.Join(folder, name)]; !ok && strings.HasPrefix(filepath.Base(name), prefix) {
			t.Errorf("%s in %s is not generated", name, folder)
		}
	}
}

// files returns the contents of a folder, by their paths below it.
func files(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		all[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
