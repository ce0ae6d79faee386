package fleet

import (
	"strings"
	"testing"
)

func TestLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		left         Left
		holds, stays string // or empty
	}{
		"at rest":                         {Left{}, "", ""},
		"it rolls":                        {Left{Step: "switch-provider"}, "step switch-provider is being rolled out", ""},
		"the rollout was paused":          {Left{PausedRollout: "rollout paused"}, "", "rollout paused"},
		"it does not answer, at rest":     {Left{Unread: "no route"}, "", "no route"},
		"it does not answer, and may":     {Left{Unread: "no route", Open: true}, "no route", ""},
		"a run ended without its rollout": {Left{Open: true}, "", ""},
	} {
		if holds, stays := tt.left.Holds(), tt.left.Stays(); !strings.Contains(holds, tt.holds) || !strings.Contains(stays, tt.stays) || (holds == "") != (tt.holds == "") || (stays == "") != (tt.stays == "") {
			t.Errorf("%s: holds %q, stays %q", name, holds, stays)
		}
	}
}
