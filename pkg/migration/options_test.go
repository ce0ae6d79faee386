package migration

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Choices that no reading could make sense of are refused by the flag that has them.
func TestOptionsAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		object string // "": it is valid
		seen   string
	}{
		"the defaults":       {func(*Options) {}, "", ""},
		"by a document":      {func(o *Options) { o.InstallMethod = InstallManifest }, "", ""},
		"another method":     {func(o *Options) { o.InstallMethod = "kubectl" }, "flag --install-method", "kubectl"},
		"routes on":          {func(o *Options) { o.CloudRoutes = "on" }, "", ""},
		"routes odd":         {func(o *Options) { o.CloudRoutes = "maybe" }, "flag --cloud-routes", "maybe"},
		"AWS off":            {func(o *Options) { o.AWS = "off" }, "", ""},
		"AWS odd":            {func(o *Options) { o.AWS = "" }, "flag --aws", `""`},
		"a skip with reason": {func(o *Options) { o.Skip = map[string]string{"AWSM-1": "known"} }, "", ""},
		"one without":        {func(o *Options) { o.Skip = map[string]string{"AWSM-2": "known", "AWSM-3": " ", "AWSM-1": ""} }, "flag --skip", "AWSM-1 without"},
	} {
		o := Options{InstallMethod: InstallHelm, AWS: "auto"}
		tt.change(&o)
		err := o.Validate()
		if f, ok := fault.As(err); ok != (tt.object != "") || ok && (f.Object != tt.object || f.Class != fault.Usage || !strings.Contains(f.Seen, tt.seen)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The checks of a migration are its side's, and then those that every cluster has.
func TestChecksOfAMigration(t *testing.T) {
	own := []verify.Meta{{ID: "AWSM-999"}}
	metas := CheckMetas(wellknown.RKE2, own)
	if len(metas) != 1+len(checks.For(wellknown.RKE2)) || metas[0].ID != "AWSM-999" {
		t.Errorf("%d checks", len(metas))
	}
}

// What a side stops a rollout with is its verdict, at the progress that was seen.
func TestStoppedRoll(t *testing.T) {
	r := &Roll{Progress: "half", Evidence: []string{"all"}}
	if r.Stopped() || r.Verdict().Kind != runner.Met {
		t.Errorf("%+v", r.Verdict())
	}
	r.Wait("b")
	if r.Stopped() || r.Verdict().Kind != runner.Waiting {
		t.Errorf("%+v", r.Verdict())
	}
	r.Stop(Failed(errAway))
	if got := r.Verdict(); !r.Stopped() || got.Kind != runner.Failed || got.Progress != "half" {
		t.Errorf("%+v", got)
	}
}

// A step forward makes one edit and has it applied; a way back takes all of its edits
// back, one after the other. Where somebody puts the old one back at once it ends, and
// says what of whom.
func TestEditsOneAfterTheOther(t *testing.T) {
	takenBack := change("spec.a")
	takenBack.Changes = append(takenBack.Changes, runner.Change{Object: "no place"}, runner.Change{Location: "spec.b"})
	takenBack.By = "terraform"
	for name, tt := range map[string]struct {
		id     journal.StepID
		open   []Edit
		did    []string
		reason string
		says   string
	}{
		"forward":            {StepSwitch, []Edit{change("a"), change("b")}, []string{"write a", "apply"}, "", ""},
		"back":               {StepUndoSwitch, []Edit{change("a"), change("b"), change("c")}, []string{"write a", "write b", "write c", "apply"}, "", ""},
		"back, and put back": {StepUndoSwitch, []Edit{takenBack}, []string{"write spec.a"}, "EditTakenBack", "by terraform while it was rolled out: spec.a, spec.b"},
	} {
		core, _, by := observer(position.P3)
		by.open = tt.open
		step := &editing{base{Migration: core, ID: tt.id}, editRules{}}
		err := step.Do(t.Context(), txFor(t, tt.id), looked(t, core, journal.Record{}))
		if reasonOf(err) != tt.reason || !slices.Equal(by.did, tt.did) || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, did %q", name, err, by.did)
		}
	}
}

// Whether the migration lease can be nobody's but a CCM's with the flag.
func TestAwaitsCCM(t *testing.T) {
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*Reading)
		want   bool
	}{
		"switched":              {position.P4, func(*Reading) {}, true},
		"one is in-tree":        {position.P4, func(r *Reading) { r.KCMs[1] = aKCM("cp-1", position.InTree, true) }, false},
		"one is not known":      {position.P4, func(r *Reading) { r.KCMs[1].Known = false }, false},
		"the CCM has no flag":   {position.P5, func(*Reading) {}, false},
		"there is no CCM":       {position.P4, func(r *Reading) { r.Down.CCM = nil }, false},
		"no control plane":      {position.P4, func(r *Reading) { r.KCMs = nil }, false},
		"a single one switched": {position.P4, func(r *Reading) { r.KCMs = r.KCMs[:1] }, true},
	} {
		r := clusterAt(tt.at).Reading
		tt.change(&r)
		if got := r.awaitsCCM(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// What a person has to put right is the fix of a cluster that is not at rest; what passes
// by itself is waited for.
func TestFixOfUnrest(t *testing.T) {
	for fix, open := range map[string][]Unrest{
		"wait until nothing moves any more, or mend what is named, then run again": {{Object: "a", Seen: "moves"}},
		"put it back; then run the same command again":                             {{Object: "a", Seen: "moves"}, {Object: "b", Fix: "put it back"}, {Object: "c", Fix: "another"}},
	} {
		if f, ok := fault.As((Reading{Unrest: open}).Rest(TellUnrest)); !ok || f.Fix != fix || !f.Passing {
			t.Errorf("%+v", f)
		}
	}
}

// A right is missing where either is; the edit that turns the flag on needs both.
func TestEnableNeedsBothRights(t *testing.T) {
	for name, tt := range map[string]struct{ get, update, may bool }{"both": {true, true, true}, "get": {true, false, false}, "update": {false, true, false}} {
		core, _, _ := observer(position.P1)
		seen := clusterAt(position.P1)
		seen.Reading.Down.MayGet, seen.Reading.Down.MayUpdate = tt.get, tt.update
		if err := mayEnable(t.Context(), core, seen); (err == nil) != tt.may || err != nil && reasonOf(err) != "GrantMissing" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The switch is written where the CCM waits, beside nobody else, and with the control
// planes that the preflight saw.
func TestMaySwitch(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Snapshot)
		reason string
	}{
		"at P3":                {nil, ""},
		"a control plane came": {func(s *Snapshot) { s.Record = printed(t, prints()[1:]...) }, "ControlPlanesChanged"},
		"at P4 already":        {func(s *Snapshot) { s.Result = at(position.P4) }, "NotReadyToSwitch"},
	} {
		core, _, _ := observer(position.P3)
		seen := clusterAt(position.P3)
		if tt.change != nil {
			tt.change(&seen)
		}
		if err := maySwitch(t.Context(), core, seen); reasonOf(err) != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Cordons of ours are given back early once each control plane is seen to be switched and
// Ready, by its pod.
func TestCordonsAreGivenBackEarly(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*KCM)
		gives  bool
	}{
		"all are switched":     {func(*KCM) {}, true},
		"one is not":           {func(k *KCM) { *k = aKCM("cp-1", position.InTree, true) }, false},
		"one has the flag":     {func(k *KCM) { *k = aKCM("cp-1", position.External, true) }, false},
		"one is not Ready":     {func(k *KCM) { k.Ready = false }, false},
		"one cannot be seen":   {func(k *KCM) { k.Pod = nil }, false},
		"in-tree, and no flag": {func(k *KCM) { *k = aKCM("cp-1", position.InTree, false) }, false},
	} {
		core, client, _ := observer(position.P4)
		seen := clusterAt(position.P4)
		cordonByUs(&seen.Reading.Down.Nodes[0])
		tt.change(&seen.Reading.KCMs[1])
		tx := txFor(t, StepSwitch)
		err := giveBackEarly(t.Context(), core, tx, seen)
		if err != nil || (len(tx.Record().Intents) == 1) != tt.gives {
			t.Errorf("%s: %v, %v, %+v", name, err, writes(client), tx.Record().Intents)
		}
	}
}

// broken is a configuration of which every question fails.
type broken struct{ *editor }

func (broken) Edit(context.Context, Snapshot, journal.StepID) (Edit, error) { return Edit{}, errAway }
func (broken) PlanEdit(context.Context, Snapshot, journal.StepID) (runner.Plan, error) {
	return runner.Plan{}, errAway
}

func (broken) Rollout(context.Context, *runner.Tx, Snapshot, journal.StepID) (Rollout, error) {
	return Rollout{}, errAway
}

func (broken) WhileRolling(context.Context, *runner.Tx, Snapshot, journal.StepID) (bool, error) {
	return false, errAway
}

// What cannot be computed, seen or done is an error of the step, and nothing follows it.
func TestStepsPassErrorsOn(t *testing.T) {
	by := &editor{open: []Edit{change("a")}}
	called := false
	step := anEdit(StepSwitch, by)
	step.Backend = broken{by}
	step.rules.note = "a note"
	step.rules.meanwhile = func(context.Context, *Migration, *runner.Tx, Snapshot) error { called = true; return nil }
	seen := Snapshot{Reading: resting()}
	plan, planned := step.Plan(t.Context(), seen)
	verdict, verified := step.Verify(t.Context(), txFor(t, StepSwitch), seen)
	for what, err := range map[string]error{"plan": planned, "do": step.Do(t.Context(), txFor(t, StepSwitch), seen), "verify": verified, "tend": step.Tend(t.Context(), txFor(t, StepSwitch), seen)} {
		if !errors.Is(err, errAway) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(by.did) > 0 || called || len(plan.Notes) > 0 || verdict.Kind == runner.Met {
		t.Errorf("did %q, called %t, %+v, %+v", by.did, called, plan, verdict)
	}
	lost := errors.New("lost")
	step = anEdit(StepSwitch, by)
	step.Backend = unwritable{by, lost}
	if err := step.Do(t.Context(), txFor(t, StepSwitch), seen); !errors.Is(err, lost) {
		t.Errorf("a write that failed: %v", err)
	}
}

// unwritable is a configuration whose edits cannot be written.
type unwritable struct {
	*editor
	err error
}

func (u unwritable) Edit(context.Context, Snapshot, journal.StepID) (Edit, error) {
	edit := change("a")
	edit.Write = func(context.Context, *runner.Tx) error { return u.err }
	return edit, nil
}
