package migration

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Whether a run has something left to write, and thus whether an owner of the
// configuration has to be informed before it: a plan says so, and of nobody else.
func TestWhatIsLeftToWrite(t *testing.T) {
	fleet, flux := Owner{"Fleet", "label f"}, Owner{"Flux", "label x"}
	back := func(s *Snapshot) { s.Back = true }
	for name, tt := range map[string]struct {
		at      position.Position
		options Options
		change  func(*Snapshot)
		writes  bool
	}{
		"nothing is begun":                {position.P0, Options{}, nil, true},
		"a step is left":                  {position.P4, Options{}, nil, true},
		"leader migration is kept":        {position.P4, Options{KeepLeaderMigration: true}, nil, false},
		"kept, and the switch still goes": {position.P4, Options{KeepLeaderMigration: true}, func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest; s.Record = intended(StepSwitch) }, true},
		"it is through":                   {position.P5, Options{}, nil, false},
		"through, but for an upgrade":     {position.P5, Options{KubernetesVersion: "v1.27.10+rke2r1"}, nil, true},
		"it is only looked at":            {position.P0, Options{LookOnly: true}, nil, false},
		"nobody can say where it is":      {position.P5, Options{}, func(s *Snapshot) { s.Result = position.Result{Position: position.Unknown, HandMade: true} }, true},
		"back, from the end":              {position.P5, Options{}, back, true},
		"back, with nothing to take back": {position.P0, Options{}, back, false},
		"back, and nobody can say":        {position.P0, Options{}, func(s *Snapshot) { back(s); s.Result.HandMade = true }, true},
	} {
		seen := clusterAt(tt.at)
		seen.Reading.Owners = []Owner{fleet, flux}
		if tt.change != nil {
			tt.change(&seen)
		}
		tt.options.InstallMethod, tt.options.DisableAsked, tt.options.OwnersInformed = InstallHelm, true, []string{"flux"}
		core := &Migration{Access: Access{Options: tt.options}, Backend: &editor{}}
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
		seen.Reading.Owners = []Owner{flux}
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
		change func(*Snapshot)
		want   journal.StepID
	}{
		"none":             {position.P3, nil, ""},
		"the switch rolls": {position.P3, func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest; s.Record = intended(StepSwitch) }, StepSwitch},
		"half enabled":     {position.P1, func(s *Snapshot) { s.Result = between(position.P1, position.P2); s.Record = intended(StepEnable) }, StepEnable},
		"nobody can say":   {position.P3, func(s *Snapshot) { s.Result.HandMade, s.Result.Mixed = true, true }, ""},
	} {
		seen := clusterAt(tt.at)
		if tt.change != nil {
			tt.change(&seen)
		}
		core := &Migration{Access: Access{Options: Options{InstallMethod: InstallHelm}}, Backend: &editor{}}
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
		if got := nameList(tt.names); got != tt.names4 {
			t.Errorf("names: %q, want %q", got, tt.names4)
		}
		if got := TellSome(tt.names); got != tt.all {
			t.Errorf("lines: %q, want %q", got, tt.all)
		}
	}
}
