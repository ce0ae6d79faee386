package procedure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Whether a run has something left to write, and thus whether an owner of the
// configuration has to be informed before it: a plan says so, and of nobody else.
func TestWhatIsLeftToWrite(t *testing.T) {
	fleet, flux := migration.Owner{Name: "Fleet", Mark: "label f"}, migration.Owner{Name: "Flux", Mark: "label x"}
	back := func(s *migration.Snapshot) { s.Back = true }
	for name, tt := range map[string]struct {
		at      position.Position
		options migration.Options
		change  func(*migration.Snapshot)
		writes  bool
	}{
		"nothing is begun":         {position.P0, migration.Options{}, nil, true},
		"a step is left":           {position.P4, migration.Options{}, nil, true},
		"leader migration is kept": {position.P4, migration.Options{KeepLeaderMigration: true}, nil, false},
		"kept, and the switch still goes": {position.P4, migration.Options{KeepLeaderMigration: true}, func(s *migration.Snapshot) {
			s.Reading.Pending = clustertest.Rolling().Pending
			s.Record = intended(migration.StepSwitch)
		}, true},
		"it is through":                   {position.P5, migration.Options{}, nil, false},
		"through, but for an upgrade":     {position.P5, migration.Options{KubernetesVersion: "v1.27.10+rke2r1"}, nil, true},
		"it is only looked at":            {position.P0, migration.Options{ReadOnly: true}, nil, false},
		"nobody can say where it is":      {position.P5, migration.Options{}, func(s *migration.Snapshot) { s.Result = position.Result{Position: position.Unknown, HandMade: true} }, true},
		"back, from the end":              {position.P5, migration.Options{}, back, true},
		"back, with nothing to take back": {position.P0, migration.Options{}, back, false},
		"back, and nobody can say":        {position.P0, migration.Options{}, func(s *migration.Snapshot) { back(s); s.Result.HandMade = true }, true},
	} {
		seen := clustertest.At(tt.at)
		seen.Reading.Owners = []migration.Owner{fleet, flux}
		if tt.change != nil {
			tt.change(&seen)
		}
		tt.options.InstallMethod, tt.options.DisableAsked, tt.options.OwnersInformed = migration.InstallHelm, true, []string{"flux"}
		core := &Migration{Access: migration.Access{Options: tt.options}, Backend: &clustertest.Editor{}}
		if got := core.Writes(seen); got != tt.writes {
			t.Errorf("%s: writes %t", name, got)
		}
		var want []string
		if tt.writes {
			want = []string{"! kept by Fleet (label f): a run needs --owner-informed=fleet"}
		}
		if d := cmp.Diff(want, core.ownerNotes(seen)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		seen.Reading.Owners = []migration.Owner{flux}
		if got := core.ownerNotes(seen); got != nil {
			t.Errorf("%s: its only owner is informed: %q", name, got)
		}
	}
}

// The step that was begun and is not finished; a run that takes it up does not stop at
// what the checks find.
func TestInProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		want   journal.StepID
	}{
		"none": {position.P3, nil, ""},
		"the switch rolls": {position.P3, func(s *migration.Snapshot) {
			s.Reading.Pending = clustertest.Rolling().Pending
			s.Record = intended(migration.StepSwitch)
		}, migration.StepSwitch},
		"half enabled": {position.P1, func(s *migration.Snapshot) {
			s.Result = clustertest.ResultBetween(position.P1, position.P2)
			s.Record = intended(migration.StepEnable)
		}, migration.StepEnable},
		"nobody can say": {position.P3, func(s *migration.Snapshot) { s.Result.HandMade, s.Result.Mixed = true, true }, ""},
	} {
		seen := clustertest.At(tt.at)
		if tt.change != nil {
			tt.change(&seen)
		}
		core := &Migration{Access: migration.Access{Options: migration.Options{InstallMethod: migration.InstallHelm}}, Backend: &clustertest.Editor{}}
		if got := core.inProgress(seen); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What people read of a long list: the first of it, and how many there are besides.
func TestLongListsAreCutOff(t *testing.T) {
	for _, tt := range []struct {
		names       []string
		names4, all string
	}{
		{nil, "", ""},
		{[]string{"c", "b", "a"}, "a, b, c", "c; b; a"},
		{[]string{"d", "c", "b", "a"}, "a, b, c, d", "d; c; b; and 1 more"},
		{[]string{"e", "d", "c", "b", "a"}, "a, b, c, d and 1 more", "e; d; c; and 2 more"},
	} {
		if got := migration.NameList(tt.names); got != tt.names4 {
			t.Errorf("names: %q, want %q", got, tt.names4)
		}
		if got := migration.JoinSome(tt.names); got != tt.all {
			t.Errorf("lines: %q, want %q", got, tt.all)
		}
	}
}
