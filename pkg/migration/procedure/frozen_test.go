package procedure

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A release that freezes the reported arguments stops both directions, regardless of the
// journal and of a rollout.
func TestJudge_frozenArguments_refusesBothDirections(t *testing.T) {
	frozen := []migration.KCM{{Member: "cp", Kind: "Machine", Mirror: component.Mirror{Kubelet: "v1.26.7+rke2r1"}}}
	for _, r := range []migration.Reading{clustertest.Resting(), clustertest.Rolling()} {
		for _, last := range []journal.StepID{"", migration.StepEnable, migration.StepSwitch, migration.StepUpgrade} {
			s := progress{Snapshot: migration.Snapshot{Reading: r}, Options: migration.Options{KubernetesVersion: "v1.26.15+rke2r1"}}
			if last != "" {
				s.Record.Intents = []journal.Intent{{Step: last}}
			}
			s.Reading.KCMs = frozen
			s.Result = position.Compute(s.Reading.Evidence())
			s = sided(s)
			_, forth := s.states(order(migration.Options{InstallMethod: migration.InstallHelm, KubernetesVersion: "v1.27.16+rke2r2"}))
			_, back := s.undoStates(undoOrder())
			for direction, err := range map[string]error{"forth": forth, "back": back} {
				if fault.ClassOf(err) != fault.CouldNotLook || !strings.Contains(err.Error(), "v1.26.10 or later") {
					t.Errorf("%s after %q, moving %t: %v", direction, last, len(r.Pending) > 0, err)
				}
			}
		}
	}
}
