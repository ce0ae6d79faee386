package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
)

// TestChecksPageIsGenerated: what is committed is what `make generate` writes.
func TestChecksPageIsGenerated(t *testing.T) {
	got, err := os.ReadFile("../../../" + verifyview.ChecksPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(page()), string(got)); diff != "" {
		t.Errorf("%s: `make generate` writes (-), committed is (+):\n%s", verifyview.ChecksPage, diff)
	}
}
