package main

import (
	"path/filepath"
	"testing"
)

// Each defect has its place in the current sources. A change of such a line fails here, not only
// in `make seeded-defects`.
func TestDefects_current_haveTheirPlace(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	all := defects()
	if len(all) == 0 {
		t.Fatal("the list of defects is empty")
	}
	if _, err := overlayFile(root, t.TempDir(), all); err != nil {
		t.Error(err)
	}
}
