// Package generated holds what is generated from the kinds to their generator. It has a
// test only: the generator is a module of its own, and Go would not test it again when
// a kind has changed, which lies outside of that.
package generated

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestKindsAreGenerated: what is committed is what `make generate` writes, and nothing of
// it is left that no longer is.
func TestKindsAreGenerated(t *testing.T) {
	for _, input := range []string{"tools/codegen", "pkg/apis"} { // so that Go tests again when one has changed
		files(t, filepath.Join(root, input))
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "-C", filepath.Join(root, "tools", "codegen"), "run", ".", repository, into).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh := files(t, into)
	if len(fresh) < 2 {
		t.Errorf("%d files were generated", len(fresh))
	}
	for name, want := range fresh {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make generate` writes (%v)", name, err)
		}
	}
	for _, folder := range []string{"charts/awsmigrate-crd/templates", "pkg/generated"} {
		for name := range files(t, filepath.Join(root, folder)) {
			if _, ok := fresh[filepath.Join(folder, name)]; !ok {
				t.Errorf("%s in %s is not generated any more", name, folder)
			}
		}
	}
	for name := range files(t, filepath.Join(root, "pkg", "apis")) {
		if _, ok := fresh[filepath.Join("pkg", "apis", name)]; !ok && strings.HasPrefix(filepath.Base(name), "zz_generated") {
			t.Errorf("%s is not generated any more", name)
		}
	}
}

// files are the contents of a folder, by their paths below it.
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
