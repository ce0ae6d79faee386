package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// facts returns the facts of an in-tree RKE2 cluster, with changes.
func facts(change ...func(*Facts)) Facts {
	f := Facts{Now: now, Known: Known{Namespace: "fleet-default", Name: "demo", DisplayName: "demo", ID: "c-m-1", Distribution: RKE2, Version: "v1.26.13+rke2r1", Providers: []string{"aws"}}}
	for _, c := range change {
		c(&f)
	}
	return f
}

func seen(p position.Position, step journal.StepID) func(*Facts) {
	return func(f *Facts) {
		f.Seen = &Seen{Position: position.Result{Position: p, Summary: p.Summary(), Between: [2]position.Position{p, p}}, Step: step}
	}
}

func external(f *Facts) { f.Providers = []string{"external"} }
func kept(f *Facts)     { f.Journal = &journal.State{} }

func fails(class fault.Class) func(*Facts) {
	return func(f *Facts) {
		f.Errs = append(f.Errs, &fault.Error{Class: class, Reason: "Why", Object: "Node a", Seen: "seen"})
	}
}

func heldBy(owner lock.Owner, renewed time.Time) func(*Facts) {
	return func(f *Facts) {
		f.Held = &lock.Held{Owner: owner, Identity: "alice", Renewed: renewed, For: 2 * time.Minute}
	}
}

// leftOpen returns a journal whose last step was not seen completed.
func leftOpen(f *Facts) {
	f.Journal = &journal.State{Runs: []journal.Run{{ID: "r1", Who: "bob@desk"}},
		Intents: []journal.Intent{{Step: migration.StepSwitch, Run: "r1"}}}
}

// inStep returns a journal of the run r2 that is in the second of two steps.
func inStep(f *Facts) {
	f.Journal = &journal.State{Runs: []journal.Run{{ID: "r2"}},
		Notes: map[string]json.RawMessage{"run": json.RawMessage(`{"run": "r2", "step": "switch-provider", "steps": [{"id": "preflight"}, {"id": "switch-provider"}]}`)}}
}

func TestOf(t *testing.T) {
	alice := lock.Owner{User: "alice", Host: "host", Run: "r2"}
	paused := func(ours bool) func(*Facts) {
		return func(f *Facts) {
			f.Paused = []migration.PendingCondition{{Object: "RKEControlPlane fleet-default/demo", Seen: "paused by x", OurPause: ours}}
		}
	}
	rolloutPaused := func(f *Facts) {
		f.Journal = &journal.State{Pause: &journal.Pause{Step: migration.StepSwitch, Run: "r1"}}
	}
	for name, tt := range map[string]struct {
		facts    Facts
		state    State
		position string
		stops    string // reasons, and what the first one says
	}{
		"not begun":                         {facts(seen(position.P0, migration.StepSnapshot)), NotBegun, "P0", ""},
		"on its way":                        {facts(kept, seen(position.P2, migration.StepCordon)), Begun, "P2", ""},
		"half a step, at P0":                {facts(seen(position.P0, migration.StepLeaseAccess), func(f *Facts) { f.Seen.Position.Mixed = true }), Begun, "P0", ""},
		"done":                              {facts(external, kept, seen(position.P5, "")), Done, "P5", ""},
		"not asked":                         {facts(), NotAsked, "", ""},
		"not asked, and migrated":           {facts(external, kept), NotAsked, "", ""},
		"external, no run of awsmigrate":    {facts(external), None, "", ""},
		"external, and a goal":              {facts(external, func(f *Facts) { f.Migration = &Migration{Goal: "Migrate"} }), NotAsked, "", ""},
		"one of each":                       {facts(func(f *Facts) { f.Providers = []string{"external", "aws"} }), NotAsked, "", ""},
		"RKE":                               {facts(func(f *Facts) { f.Distribution = RKE }, seen(position.P1, migration.StepEnable)), Begun, "P1", ""},
		"RKE, external":                     {facts(func(f *Facts) { f.Distribution, f.Providers = RKE, []string{"external-aws"} }, kept, seen(position.P4, migration.StepDisable)), Begun, "P4", ""},
		"another cloud":                     {facts(func(f *Facts) { f.Providers = []string{"rancher-vsphere"} }), None, "", ""},
		"none":                              {facts(func(f *Facts) { f.Providers = nil }), None, "", ""},
		"K3s, with any provider":            {facts(func(f *Facts) { f.Distribution = K3s }), None, "", ""},
		"imported":                          {facts(func(f *Facts) { f.Distribution, f.Providers = Imported, nil }), None, "", ""},
		"does not answer":                   {facts(fails(fault.CouldNotLook)), Unknown, "unknown", "Why: seen"},
		"cannot be reached from here":       {facts(fails(fault.Usage)), Unknown, "unknown", "Why: seen"},
		"an error without a class":          {facts(func(f *Facts) { f.Errs = []error{errors.New("x")} }), Unknown, "unknown", ": x"},
		"no answer in time":                 {facts(func(f *Facts) { f.Errs = []error{fmt.Errorf("get: %w", context.DeadlineExceeded)} }), Unknown, "unknown", ": no answer in time"},
		"its object cannot be read":         {facts(func(f *Facts) { f.Distribution, f.Providers = NotKnown, nil }, fails(fault.CouldNotLook)), Unknown, "", "Why: seen"},
		"refused, and seen":                 {facts(seen(position.Unknown, ""), fails(fault.Check)), Stopped, "unknown", "Why: seen"},
		"refused before it was seen":        {facts(fails(fault.Check)), Stopped, "unknown", "Why: seen"},
		"seen, and its journal was not":     {facts(seen(position.P2, migration.StepCordon), fails(fault.CouldNotLook)), Unknown, "P2", "Why: seen"},
		"both":                              {facts(fails(fault.Check), fails(fault.CouldNotLook)), Unknown, "unknown", "Why Why: seen"},
		"joined":                            {facts(func(f *Facts) { f.Errs = []error{errors.Join(errors.New("a"), errors.New("b"))} }), Unknown, "unknown", " : a"},
		"locked":                            {facts(leftOpen, heldBy(alice, now.Add(-time.Second)), seen(position.P2, migration.StepCordon)), Locked, "P2", "LockHeld: lock held by alice@host, run r2"},
		"locked, in a step":                 {facts(inStep, heldBy(alice, now.Add(-time.Second)), seen(position.P2, migration.StepCordon)), Locked, "P2", "LockHeld: lock held by alice@host, run r2, in step 2 of 2 switch-provider"},
		"locked, and dead here":             {facts(inStep, heldBy(alice, now.Add(-time.Second)), func(f *Facts) { f.DiedHere = true }, seen(position.P2, migration.StepCordon)), Locked, "P2", "LockHeld: lock held by alice@host, run r2, in step 2 of 2 switch-provider; its process has ended"},
		"locked, by the dead perhaps":       {facts(heldBy(alice, now.Add(-time.Hour)), seen(position.P2, migration.StepCordon)), Locked, "P2", "LockHeld: lock held by alice@host, run r2, not renewed since 2026-11-22T09:00:00Z"},
		"locked by another program":         {facts(heldBy(lock.Owner{}, now), seen(position.P0, migration.StepCordon)), Locked, "P0", `LockHeld: lock held by "alice"`},
		"locked, and away":                  {facts(heldBy(alice, now), fails(fault.CouldNotLook)), Unknown, "unknown", "Why LockHeld: seen"},
		"left open":                         {facts(leftOpen, seen(position.P3, migration.StepSwitch)), Stopped, "P3", "LeftOpen: run r1 of bob@desk left switch-provider open"},
		"braked":                            {facts(rolloutPaused, paused(true), seen(position.P3, migration.StepSwitch)), Stopped, "P3", "PausedByRun: paused by x"},
		"paused":                            {facts(paused(false), seen(position.P0, migration.StepSnapshot)), Stopped, "P0", "Paused: paused by x"},
		"paused by a run, pause removed":    {facts(rolloutPaused, seen(position.P3, migration.StepSwitch)), Stopped, "P3", "BrakePulled: rollout paused in switch-provider by run r1"},
		"deleted":                           {facts(func(f *Facts) { f.Deleting = true }), Stopped, "", "Deleting: being deleted"},
		"another cloud's, deleted":          {facts(func(f *Facts) { f.Deleting, f.Providers = true, nil }), None, "", "Deleting: being deleted"},
		"not ours, and paused":              {facts(external, paused(false)), None, "", "Paused: paused by x"},
		"no configuration that can be read": {facts(func(f *Facts) { f.Providers = nil }, fails(fault.Check)), Stopped, "", "Why: seen"},
		"paused, not asked":                 {facts(paused(true)), Stopped, "", "PausedByRun: paused by x"},
	} {
		row := Of(tt.facts)
		said := ""
		for i, stop := range row.Stops {
			if said += stop.Reason; i < len(row.Stops)-1 {
				said += " "
			}
		}
		if len(row.Stops) > 0 {
			said += ": " + row.Stops[0].Seen
		}
		if row.State != tt.state || row.Position != tt.position || said != tt.stops {
			t.Errorf("%s: %s at %q, %q; wanted %s at %q, %q", name, row.State, row.Position, said, tt.state, tt.position, tt.stops)
		}
		if row.Unlooked() != (tt.state == Unknown) || !slices.Contains(States(), row.State) {
			t.Errorf("%s: could not be looked at: %t", name, row.Unlooked())
		}
	}
}

// The same command ends a requested pause; any other pause is ended by hand.
func TestOf_pausedByRun_showsFix(t *testing.T) {
	for reason, want := range map[string]string{"BrakeAsked": "the same command ends the pause", "NodeRenamed": "docs/going-back.md"} {
		row := Of(facts(func(f *Facts) {
			f.Paused = []migration.PendingCondition{{Seen: "paused by r1", OurPause: true}}
			f.Journal = &journal.State{Pause: &journal.Pause{Run: "r1"}, Runs: []journal.Run{{ID: "r1", Reason: reason}}}
		}))
		if !strings.HasPrefix(row.Stops[0].Fix, want) {
			t.Errorf("%s: %q, wanted %q", reason, row.Stops[0].Fix, want)
		}
	}
}

func TestOf_anyCluster_namesIt(t *testing.T) {
	row := Of(facts(func(f *Facts) {
		f.Name, f.DisplayName, f.Providers = "c-7kq2x", "old", []string{"aws", "external"}
		f.Owners = []migration.Owner{{Name: "Fleet", Mark: "label x"}}
	}))
	if row.DisplayName != "old" || row.Provider != "aws, external" || !row.InTree || len(row.Owners) != 1 || row.Owners[0] != (Owner{"Fleet", "label x"}) {
		t.Errorf("%+v", row)
	}
	if plain := Of(facts()); plain.DisplayName != "" {
		t.Errorf("a name twice: %+v", plain)
	}
	for version, release := range map[string]string{"v1.26.13+rke2r1": "v1.26.13", "v1.26.15-rancher1-1": "v1.26.15", "v1.27.9-eks-5e0fdde": "v1.27.9", "": ""} {
		if got := (Row{Version: version}).Release(); got != release {
			t.Errorf("%s: %s", version, got)
		}
	}
	fleet := Fleet{Rows: []Row{{State: Unknown}, {State: Done}, {State: Unknown}}}
	if fleet.Unlooked() != 2 {
		t.Errorf("%d could not be looked at", fleet.Unlooked())
	}
}

// A stop keeps object, observation and fix separate for views.
func TestStopsOf(t *testing.T) {
	got := StopsOf(&fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "Nodes", Seen: "could not be read", Fix: "try again", Err: errors.New("refused")})
	if len(got) != 1 || got[0] != (Stop{"Unreachable", "Nodes", "could not be read: refused", "try again", true}) {
		t.Errorf("%+v", got)
	}
	if stop := Of(facts(leftOpen)).Stops[0]; !strings.Contains(stop.Fix, "undo") || stop.CouldNotLook {
		t.Errorf("%+v", stop)
	}
}

func TestMigratable(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"in-tree":            {facts(), true},
		"external, begun":    {facts(external, kept), true},
		"external, no trace": {facts(external), false},
		"could not be read":  {facts(fails(fault.CouldNotLook)), true},
		"K3s":                {facts(func(f *Facts) { f.Distribution, f.Providers = K3s, nil }), false},
		"unknown kind":       {facts(func(f *Facts) { f.Distribution = NotKnown }, fails(fault.CouldNotLook)), false},
		"RKE, not asked":     {facts(func(f *Facts) { f.Distribution = RKE }), true},
	} {
		if got := Of(tt.facts).Migratable(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
