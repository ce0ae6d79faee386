package migration

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestValidate_ownerInformed_knownWordsOnly(t *testing.T) {
	o := Options{InstallMethod: InstallHelm, AWS: "auto", OwnersInformed: []string{"terraform", "Argo CD"}}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	o.OwnersInformed = []string{"teraform"}
	if err := o.Validate(); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "terraform") {
		t.Errorf("an unknown owner: %v", err)
	}
}

// A revert is harmful at positions where a CCM may be installed.
func TestRevertHarm_position_harmFromP3(t *testing.T) {
	for at, harms := range map[position.Position]bool{position.P0: false, position.P1: false, position.P2: false,
		position.P3: true, position.P4: true, position.P5: true, position.Unknown: true} {
		if got := RevertHarm(at) != ""; got != harms {
			t.Errorf("at %s: %t", at, got)
		}
	}
}
