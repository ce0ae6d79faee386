// Package modules holds the repository's Go modules together: the product, the lab,
// and the tests that need both.
package modules

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root    = "../../.."
	product = "github.com/awsmigrate/awsmigrate"
)

// module is what `go mod edit -json` says of a go.mod, as far as it matters.
type module struct {
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct{ Old struct{ Path string } }
	Exclude []struct{ Path, Version string }
}

func read(t *testing.T, dir string) module {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil { // so that Go tests again when it has changed
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var m module
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// What is tested is what is built: nothing is linked into the product in one
// version and tested beside the lab in another.
func TestModulesAgreeOnVersions(t *testing.T) {
	agree := func(dir, other string) {
		t.Helper()
		of, beside := read(t, dir), read(t, other)
		if of.Go != beside.Go {
			t.Errorf("Go %s in %s/go.mod, %s in %s/go.mod", of.Go, dir, beside.Go, other)
		}
		versions, shared := map[string]string{}, 0
		for _, r := range of.Require {
			versions[r.Path] = r.Version
		}
		for _, r := range beside.Require {
			if want, both := versions[r.Path]; both {
				shared++
				if r.Version != want {
					t.Errorf("%s: %s in %s/go.mod, %s in %s/go.mod", r.Path, want, dir, r.Version, other)
				}
			}
		}
		if shared < 20 {
			t.Errorf("%s and %s share %d requirements: is it they that were read?", dir, other, shared)
		}
	}
	agree(".", "test/lab")
	agree(".", "test")
	agree("test/lab", "test")
}

// `go install …@version` refuses a go.mod with replace or exclude, and finds no
// module that only a replace makes known. The lab serves others without the product.
func TestProductAndLabStandAlone(t *testing.T) {
	for _, dir := range []string{".", "test/lab"} {
		m := read(t, dir)
		if len(m.Replace)+len(m.Exclude) > 0 {
			t.Errorf("%s/go.mod replaces %v, excludes %v", dir, m.Replace, m.Exclude)
		}
		for _, r := range m.Require {
			if r.Path == product || strings.HasPrefix(r.Path, product+"/") {
				t.Errorf("%s/go.mod requires %s", dir, r.Path)
			}
		}
	}
}

// Maintenance windows are in time zones, and the program runs in an image without any.
func TestProgramHasTimeZones(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/awsmigrate")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(out)), "time/tzdata") {
		t.Error("cmd/awsmigrate does not embed time/tzdata")
	}
}
