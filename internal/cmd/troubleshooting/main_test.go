package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

// TestTroubleshootingIsGenerated: what is committed is what `make generate` writes.
func TestTroubleshootingIsGenerated(t *testing.T) {
	want, err := page(os.DirFS(filepath.Join(root, "docs")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, target))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: `make generate` writes (-), committed is (+):\n%s", target, diff)
	}
}

// TestReasonsExplainedExist: a word that a table explains is one that the product can say.
func TestReasonsExplainedExist(t *testing.T) {
	text, err := page(os.DirFS(filepath.Join(root, "docs")))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, folder := range []string{"internal", "pkg"} {
		err := fs.WalkDir(os.DirFS(filepath.Join(root, folder)), ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := os.ReadFile(filepath.Join(root, folder, name))
			code.Write(source)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reasons, _, _ := strings.Cut(string(text), "\n## Checks\n")
	for _, title := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(reasons, -1) {
		if !strings.Contains(code.String(), `"`+title[1]+`"`) {
			t.Errorf("nothing says %s", title[1])
		}
	}
}

func TestPage(t *testing.T) {
	table := tableHead + "\n|---|---|---|\n"
	text, err := page(fstest.MapFS{
		"rke.md":     {Data: []byte("# RKE\n\n" + table + "| `NotAtRest`, `FileLocked` | 3, 8 | Wait, see [back](going-back.md). |\n\n| `NoTable` | 3 | no. |\n")},
		"steps/a.md": {Data: []byte(table + "| brake: `NodeRenamed` with `NotThis` | 3 | See [below](#the-brake). |\n| `AWSM-105 …: pending` | 3 | Wait, see [back](../going-back.md). |\n")},
		"steps/b.md": {Data: []byte(table + "| `NodeRenamed`: `x is gone` | 3 | See [below](a.md#the-brake). |\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(text), "## Reasons\n")
	want := `
### FileLocked

- [rke](rke.md), exit 8: Wait, see [back](going-back.md).

### NodeRenamed

- [a](steps/a.md#what-can-go-wrong), [b](steps/b.md#what-can-go-wrong), exit 3: See [below](steps/a.md#the-brake).

### NotAtRest

- [rke](rke.md), exit 3: Wait, see [back](going-back.md).

## Checks

### AWSM-105

- [a](steps/a.md#what-can-go-wrong), exit 3: Wait, see [back](going-back.md).
- What it judges: [AWSM-105](checks.md#awsm-105)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if _, err := page(fstest.MapFS{}); err == nil {
		t.Error("a page of nothing")
	}
}
