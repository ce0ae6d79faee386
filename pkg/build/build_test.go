package build

import (
	"runtime/debug"
	"testing"
)

func TestStampOf(t *testing.T) {
	stamp := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	for name, tc := range map[string]struct {
		build *debug.BuildInfo
		want  Stamp
	}{
		"release":          {stamp("v1.2.0", revision, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), Stamp{"v1.2.0", "abc"}},
		"tree with edits":  {stamp("v1.2.1-0.2026+dirty", revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), Stamp{"v1.2.1-0.2026+dirty", "abc+dirty"}},
		"outside a commit": {stamp("(devel)"), Stamp{Version: "devel"}},
		"nothing stamped":  {stamp(""), Stamp{Version: "devel"}},
	} {
		if got := stampOf(tc.build); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
