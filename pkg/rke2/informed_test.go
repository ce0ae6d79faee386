package rke2

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A plan asks to inform the owners only if a run would write and the user did not confirm it.
func TestPlan_ownersNotInformed_noted(t *testing.T) {
	for name, tt := range map[string]struct {
		at       position.Position
		informed []string
		lookOnly bool
		undo     bool
		says     bool
	}{
		"a migration":         {at: position.P0, says: true},
		"in the middle":       {at: position.P3, says: true},
		"an undo":             {at: position.P3, undo: true, says: true},
		"nothing to undo":     {at: position.P0, undo: true},
		"informed":            {at: position.P0, informed: []string{"fleet"}},
		"another is informed": {at: position.P0, informed: []string{"terraform"}, says: true},
		"an audit":            {at: position.P3, lookOnly: true},
		"finished":            {at: position.P5},
	} {
		facts := factsWith("v1.26.13+rke2r1", "v2.8.5", "aws", "linux")
		facts.Cluster.Managers = []string{"fleetagent"}
		o := Options{Options: migration.Options{OwnersInformed: tt.informed, ReadOnly: tt.lookOnly, InstallMethod: migration.InstallHelm}}
		p := &Backend{options: o}
		snap := migration.Snapshot{Config: observed{Facts: facts}, Result: clustertest.ResultAt(tt.at)}
		m := &procedure.Migration{Backend: p, Access: migration.Access{Options: o.Options, Distribution: wellknown.RKE2}}
		snap.Reading = snap.Config.Combine(downstream.Cluster{})
		step := m.Steps()[0]
		if tt.undo {
			step, snap.Back = m.Undo().Steps()[0], true
		}
		plan, err := step.Plan(t.Context(), snap)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if says := strings.Contains(strings.Join(plan.Notes, "\n"), "--owner-informed=fleet"); says != tt.says {
			t.Errorf("%s: notes %q", name, plan.Notes)
		}
	}
}
