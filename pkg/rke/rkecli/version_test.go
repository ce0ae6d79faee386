package rkecli

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

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
	if v, err := parseVersion("v1.4.22-rc.1"); err != nil || v.Patch() != 22 || v.Prerelease() != "rc.1" {
		t.Errorf("%v, %v", v, err)
	}
}
