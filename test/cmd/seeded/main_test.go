package main

import (
	"path/filepath"
	"testing"
)

// Every defect has its place in the sources as they are: who moves a line sees it here, and
// not when somebody runs all of them.
func TestEveryDefectHasItsPlace(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	all := defects()
	if len(all) == 0 {
		t.Fatal("there is none")
	}
	if _, err := overlayFile(root, t.TempDir(), all); err != nil {
		t.Error(err)
	}
}
