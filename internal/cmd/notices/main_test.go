package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoticesAreGenerated: what is committed is what `make generate` writes.
func TestNoticesAreGenerated(t *testing.T) {
	const root = "../../.."
	want, err := generate(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root + "/THIRD_PARTY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("THIRD_PARTY_NOTICES is not what `make generate` writes: want (-), is (+):\n%.2000s", diff)
	}
}
