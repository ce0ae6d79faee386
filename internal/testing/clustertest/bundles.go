package clustertest

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// LeavesOutLiveOnly fails the test unless a bundle has all checks except those that need a
// live cluster. At least one check must need one.
func LeavesOutLiveOnly(t *testing.T, bound []verify.Bound, all []verify.Meta) {
	t.Helper()
	if !slices.ContainsFunc(all, func(m verify.Meta) bool { return m.LiveOnly }) {
		t.Error("no check is live only")
	}
	for _, meta := range all {
		asked := slices.ContainsFunc(bound, func(b verify.Bound) bool { return b.ID == meta.ID })
		if asked == meta.LiveOnly {
			t.Errorf("%s: live only %t, asked %t", meta.ID, meta.LiveOnly, asked)
		}
	}
}
