package rke

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestToolsFor(t *testing.T) {
	for version, want := range map[string]string{
		"v1.22.4-rancher1-1": "0.1.78", "v1.22.17-rancher1-2": "0.1.88", "v1.23.6-rancher1-1": "0.1.80", "v1.23.16-rancher2-3": "0.1.88",
		"v1.24.16-rancher1-1": "0.1.88", "v1.24.17-rancher1-1": "0.1.90", "v1.25.13-rancher1-1": "0.1.90", "v1.25.14-rancher1-1": "0.1.96",
		"v1.25.16-rancher2-3": "0.1.96", "v1.26.4-rancher2-1": "0.1.89", "v1.26.8-rancher1-1": "0.1.90", "v1.26.9-rancher1-1": "0.1.96",
		"v1.26.15-rancher1-1": "0.1.96", "v1.27.14-rancher1-1": "0.1.96", "v1.27.16-rancher1-1": "0.1.100", "v1.28.12-rancher1-1": "0.1.100",
		"v1.28.13-rancher1-1": "0.1.102", "v1.30.2-rancher1-1": "0.1.100", "v1.31.1-rancher1-1": "0.1.103", "v1.32.0-rancher1-1": "0.1.103",
	} {
		if got := ToolsFor(version); got == nil || got.String() != want {
			t.Errorf("%s: %v, want %s", version, got, want)
		}
	}
	for _, version := range []string{"", "v1.21.14-rancher1-1", "v1.26.1-rancher1-1", "latest"} {
		if got := ToolsFor(version); got != nil {
			t.Errorf("%q: %v out of thin air", version, got)
		}
	}
}

func TestSupportsExternalAWS(t *testing.T) {
	for version, class := range map[string]fault.Class{
		"v1.4.14": fault.Check, "v1.4.15": 0, "v1.4.15-rc1": 0, "v1.4.22-rc.1": 0, "v1.4.3": fault.Check, "v1.3.24": fault.Check, "v0.3.2": fault.Check,
		"v1.5.0-rc8": fault.Check, "v1.5.0-rc9": 0, "v1.5.0-rc10": 0, "v1.5.0-rc.11": 0, "v1.5.0-alpha": fault.Check, "v1.5.0": 0, "v1.5.1-rc1": 0,
		"v1.5.14": 0, "v1.6.0-rc1": 0, "v1.8.14": 0, "v2.0.0": 0, "1.5.9": 0,
		"dev": fault.CouldNotLook, "": fault.CouldNotLook, "v1.5": fault.CouldNotLook,
	} {
		err := SupportsExternalAWS(version)
		if (err == nil) != (class == 0) || err != nil && fault.ClassOf(err) != class {
			t.Errorf("%q: %v, wanted class %d", version, err, class)
		}
	}
	if v, err := ParseRKEVersion("v1.4.22-rc.1"); err != nil || v.Patch() != 22 || v.Prerelease() != "rc.1" {
		t.Errorf("%v, %v", v, err)
	}
}
