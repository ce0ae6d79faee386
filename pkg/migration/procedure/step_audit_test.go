package procedure

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The preflight records fingerprint and control planes once every check has passed. It stops at
// a failing check unless a step is in progress: then it warns and continues. It waits for an
// unfinished rollout of an earlier run, or for its end.
func TestPreflightStep(t *testing.T) {
	half := func(s *migration.Snapshot) {
		s.Result = clustertest.ResultBetween(position.P2, position.P3)
		s.Record = intended(migration.StepInstall)
	}
	left := func(s *migration.Snapshot) {
		s.Reading.Pending = clustertest.Rolling().Pending
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: migration.StepCordon, Run: "earlier"}}}
	}
	unseen := func(s *migration.Snapshot) {
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: migration.StepEnable, Run: "earlier"}}}
		s.Reading.MayOutlive = true
	}
	// A machine joined under a second name, and the rollout is complete: no wait resolves that.
	second := func(s *migration.Snapshot) {
		again := s.Reading.Down.Nodes[2]
		again.Name, again.UID = "second-"+again.Name, "another"
		s.Reading.Down.Nodes = append(slices.Clone(s.Reading.Down.Nodes), again)
	}
	renamed := func(s *migration.Snapshot) { unseen(s); second(s) }
	leftRenamed := func(s *migration.Snapshot) { left(s); second(s) }
	stillRolls := func(s *migration.Snapshot) { unseen(s); s.Reading.Pending = clustertest.Rolling().Pending }
	for name, tt := range map[string]struct {
		bad    bool
		change func(*migration.Snapshot)
		want   runner.VerdictKind
		waits  string
	}{
		"all is well":                        {false, nil, runner.Met, ""},
		"a check fails":                      {true, nil, runner.Failed, ""},
		"one fails in the middle of a step":  {true, half, runner.Met, ""},
		"one fails while others' work goes":  {true, left, runner.Waiting, "the change of an earlier run to finish"},
		"its end was not seen":               {true, unseen, runner.Waiting, "the end of an earlier run's rollout"},
		"its end was not seen, all is well":  {false, unseen, runner.Met, ""},
		"its end was not seen, and a rename": {true, renamed, runner.MustPause, ""},
		"others' work goes, and a rename":    {true, leftRenamed, runner.MustPause, ""},
		"it still rolls":                     {true, stillRolls, runner.Met, ""},
		"others' work goes, and all is well": {false, left, runner.Met, ""},
	} {
		core, _, by := observer(position.P2)
		if tt.bad {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		for _, id := range []journal.StepID{migration.StepPreflight, migration.StepVerify} {
			snap, tx := looked(t, core, journal.Record{}), clustertest.TxFor(t, id)
			if tt.change != nil {
				tt.change(&snap)
			}
			step := makeStep(base{Migration: core, ID: id})
			plan, err := step.Plan(t.Context(), snap)
			if err != nil || len(plan.Summary) != 1 || !strings.Contains(plan.Summary[0], " checks") {
				t.Errorf("%s: %s plans %+v, %v", name, id, plan, err)
			}
			if id == migration.StepPreflight {
				continue // same verdict: it depends on the journal
			}
			got, err := step.Verify(t.Context(), tx, snap)
			if err != nil || got.Kind != tt.want || got.WaitingFor != tt.waits || tt.want == runner.Waiting && got.Seen == "" || (got.Err == nil) != (tt.want != runner.Failed && tt.want != runner.MustPause) {
				t.Errorf("%s: %v %+v", name, err, got)
			}
			if tt.want == runner.Met && (len(got.Evidence) == 0 || !strings.Contains(got.Evidence[0], " ok")) {
				t.Errorf("%s: %q", name, got.Evidence)
			}
			if _, known, _ := guard.Fingerprint(tx.Record()); known {
				t.Errorf("%s: an audit took the fingerprint", name)
			}
		}
	}
}

// A passing preflight records the cluster once; a failing one writes nothing. Nodes that
// registered again since are recorded as they are now.
func TestPreflightVerify_writesNotes(t *testing.T) {
	for _, fails := range []bool{true, false} {
		core, _, by := observer(position.P0)
		if fails {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		tx := clustertest.TxFor(t, migration.StepPreflight)
		step := makeStep(base{Migration: core, ID: migration.StepPreflight})
		got, err := step.Verify(t.Context(), tx, looked(t, core, tx.Record()))
		before, known, broken := guard.Fingerprint(tx.Record())
		if err != nil || broken != nil || known == fails || (got.Kind == runner.Met) == fails {
			t.Fatalf("fails %t: %v, %v, known %t, %+v", fails, err, broken, known, got)
		}
		if fails {
			continue
		}
		if len(before.Nodes) != 3 || !before.Nodes[0].ControlPlane || before.Nodes[2].ControlPlane {
			t.Errorf("%+v", before.Nodes)
		}
		node, err := core.Kube.CoreV1().Nodes().Get(t.Context(), "worker", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		node.UID = "again"
		if _, err := core.Kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		got, err = step.Verify(t.Context(), tx, looked(t, core, tx.Record()))
		after, _, broken := guard.Fingerprint(tx.Record())
		if err != nil || broken != nil || got.Kind != runner.Met || after.Nodes[2].UID != "again" {
			t.Errorf("%v, %v, %+v, %+v", err, broken, got, after.Nodes)
		}
	}
}

// A fingerprint belongs to one migration. It is taken again after an undo, or if no step began.
func TestPreflightVerify_fingerprint_takenOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		begun bool
		anew  bool
	}{"nothing is begun": {position.P0, false, true}, "begun here": {position.P0, true, false}, "begun by hand": {position.P1, false, false}} {
		core, _, _ := observer(tt.at)
		tx := clustertest.TxFor(t, migration.StepPreflight)
		if tt.begun {
			tx = announced(t, migration.StepEnable)
		}
		old := clustertest.Prints()
		old[2].Cordoned = true
		clustertest.NotePrint(t, tx, old...)
		snap := looked(t, core, tx.Record())
		if _, err := makeStep(base{Migration: core, ID: migration.StepPreflight}).Verify(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		after, known, err := guard.Fingerprint(tx.Record())
		if err != nil || !known || after.Nodes[2].Cordoned == tt.anew {
			t.Errorf("%s: %v, known %t, %+v", name, err, known, after.Nodes)
		}
	}
}

// An unreadable journal stops all steps that judge by it.
func TestFingerprint_unreadableJournal_stops(t *testing.T) {
	core, _, _ := observer(position.P4)
	tx := clustertest.TxFor(t, migration.StepPreflight)
	if err := tx.Note(t.Context(), guard.FingerprintNote, []byte("no fingerprint")); err != nil {
		t.Fatal(err)
	}
	snap := looked(t, core, tx.Record())
	for what, err := range map[string]error{
		"control planes": guard.RequireSameControlPlanes(snap), "a way back": judgeUndo(snap), "Nodes again": guard.UpdateUIDs(t.Context(), tx, snap),
		"noting control planes": guard.NoteControlPlanes(t.Context(), tx, snap), "checks": clustertest.ErrOf(core.Gather(t.Context(), snap)),
		"checks of a part": clustertest.ErrOf(core.GatherAPIOnly(t.Context(), snap.Record)), "a preflight": clustertest.ErrOf(makeStep(base{Migration: core, ID: migration.StepPreflight}).Verify(t.Context(), tx, snap)),
		"an undo": clustertest.ErrOf(makeStep(base{Migration: core, ID: migration.StepUndoPreflight}).Verify(t.Context(), tx, clustertest.At(position.P0))),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if got := guard.RenamesOf(snap); len(got) != 0 {
		t.Errorf("renames by a fingerprint that is none: %+v", got)
	}
	if guard.LostCordons(snap) != nil || guard.NewControlPlanes(snap) != nil {
		t.Errorf("cordons %v, control planes %v", guard.LostCordons(snap), guard.NewControlPlanes(snap))
	}
}

// A failing check fails the finished step; the step does not wait.
func TestAudited(t *testing.T) {
	for _, fails := range []bool{false, true} {
		core, _, by := observer(position.P1)
		if fails {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		got, err := core.Audited(t.Context(), looked(t, core, journal.Record{}), "seen")
		if err != nil || (got.Kind == runner.Failed) != fails || !fails && (got.Stable != 1 || len(got.Compared) != 3 || got.Evidence[0] != "seen" || !strings.HasPrefix(got.Evidence[1], "audit: ")) {
			t.Errorf("fails %t: %v %+v", fails, err, got)
		}
	}
}

// A step that removes something permanently ends with an audit, which can fail after all waits
// are over.
func TestVerify_lastAudit_fails(t *testing.T) {
	for _, fails := range []bool{false, true} {
		core, _, by := observer(position.P5)
		if fails {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		snap := looked(t, core, journal.Record{})
		got, err := makeStep(base{Migration: core, ID: migration.StepDisable}).Verify(t.Context(), clustertest.TxFor(t, migration.StepDisable), snap)
		if err != nil || (got.Kind == runner.Failed) != fails || !fails && (got.Kind != runner.Met || len(got.Compared) != 3 || !strings.Contains(strings.Join(got.Evidence, "; "), "audit: ")) {
			t.Errorf("fails %t: %v %+v", fails, err, got)
		}
	}
}

// Foresee returns the failures that would stop the run, from the checks of its preflight.
func TestForesee(t *testing.T) {
	left := func(s *migration.Snapshot) {
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: migration.StepInstall}}}
	}
	ours := []migration.PendingCondition{{OurPause: true}}
	paused := func(s *migration.Snapshot) { s.Reading.Pending = ours }
	for name, tt := range map[string]struct {
		at     position.Position
		bad    bool
		change func(*migration.Snapshot)
		stops  bool
	}{
		"all is well":                  {position.P0, false, nil, false},
		"a check fails, nothing begun": {position.P0, true, nil, true},
		"a check fails":                {position.P1, true, nil, true},
		"in the middle of a step": {position.P1, true, func(s *migration.Snapshot) {
			s.Result = clustertest.ResultBetween(position.P1, position.P2)
			s.Record = intended(migration.StepEnable)
		}, false},
		"an earlier run left it moving":  {position.P1, true, func(s *migration.Snapshot) { left(s); s.Reading.Pending = clustertest.Rolling().Pending }, false},
		"it was left, and does not move": {position.P1, true, left, true},
		"paused because of a finding":    {position.P1, false, paused, true},
		"the same, and nothing to do":    {position.P5, false, paused, false},
		"a foreign rollout":              {position.P1, true, func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }, true},
	} {
		core, _, by := observer(tt.at)
		if tt.bad {
			by.Own = []verify.Bound{clustertest.Failing(), clustertest.Findings(verify.Meta{ID: "AWSM-998"}, verify.Finding{Status: verify.Warn, Seen: "odd"})}
		}
		snap := looked(t, core, journal.Record{})
		if tt.change != nil {
			tt.change(&snap)
		}
		got, err := core.Foresee(t.Context(), snap)
		if err != nil || (got.Stops != nil) != tt.stops || !strings.Contains(got.Counts(), " ok") {
			t.Errorf("%s: %v, stops %v, %s", name, err, got.Stops, got.Counts())
		}
		if results := got.Results(); tt.bad && (results[0].ID != "AWSM-999" || len(got.Lines()) < 2*len(results) || !strings.HasPrefix(got.Lines()[0], "✗  AWSM-999")) {
			t.Errorf("%s: %+v, %q", name, results, got.Lines())
		}
	}
	core, _, by := observer(position.P0)
	by.Config.Pending = ours
	snap := looked(t, core, journal.Record{})
	snap.Record.RequestedPause = "run-1"
	if got, err := core.Foresee(t.Context(), snap); err != nil || clustertest.ReasonOf(got.Stops) == "PausedByRun" {
		t.Errorf("a requested pause at P0: %v, stops %v", err, got.Stops)
	}
	by.Lookup = clustertest.ErrAway
	if _, err := core.Foresee(t.Context(), snap); err == nil {
		t.Error("a cluster that cannot be observed anew was judged")
	}
}

// The preview of an undo judges whether rollback is possible and whether the cluster is at
// rest, except for the step that the undo ends.
func TestForeseeUndo(t *testing.T) {
	newer := func(s *migration.Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }
	moving := func(s *migration.Snapshot) { s.Reading.Pending = clustertest.Rolling().Pending }
	for name, tt := range map[string]struct {
		change func(*migration.Snapshot)
		reason string
	}{
		"at rest":            {nil, ""},
		"no way back":        {newer, "NoWayBack"},
		"none, and it moves": {func(s *migration.Snapshot) { newer(s); moving(s) }, "NoWayBack"},
		"it moves":           {moving, "NotAtRest"},
		"the undone step rolls": {func(s *migration.Snapshot) {
			moving(s)
			s.Record.Intents = []journal.Intent{{Step: migration.StepSwitch}}
		}, ""},
		"an earlier run left it":      {func(s *migration.Snapshot) { moving(s); s.Record.LeftOpen = true }, ""},
		"it was left, and is at rest": {func(s *migration.Snapshot) { s.Record.LeftOpen = true }, ""},
		"left, and a Node is not up":  {func(s *migration.Snapshot) { s.Record.LeftOpen = true; s.Reading.Down.Nodes[2].Ready.Status = "False" }, "NotAtRest"},
		"a pause of an earlier run":   {func(s *migration.Snapshot) { s.Reading.Pending = []migration.PendingCondition{{OurPause: true}} }, ""},
		"half switched is what it end": {func(s *migration.Snapshot) {
			s.Result = clustertest.ResultBetween(position.P3, position.P4)
			s.Record.Intents = []journal.Intent{{Step: migration.StepSwitch}}
		}, ""},
	} {
		snap := clustertest.At(position.P4)
		snap.Record = clustertest.Printed(t, clustertest.Prints()...)
		if tt.change != nil {
			tt.change(&snap)
		}
		got, err := (&Migration{Backend: &clustertest.Editor{}}).Undo().Foresee(t.Context(), snap)
		if err != nil || clustertest.ReasonOf(got.Stops) != tt.reason {
			t.Errorf("%s: %v, %v", name, err, got.Stops)
		}
	}
}

// On an unstarted cluster the checks run before any trace of a run exists.
func TestPrecheck_failingCheck_stops(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		bad   bool
		stops bool
	}{"well": {position.P0, false, false}, "bad": {position.P0, true, true}, "bad, and begun": {position.P1, true, false}} {
		core, _, by := observer(tt.at)
		snap := looked(t, core, journal.Record{})
		if tt.bad {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		if err := core.Precheck(t.Context(), snap, runner.Observation{}); (err != nil) != tt.stops {
			t.Errorf("%s: %v", name, err)
		}
	}
	core, _, _ := observer(position.P0)
	snap := looked(t, core, journal.Record{})
	core.Config.Host = "no URL: %"
	if err := core.Precheck(t.Context(), snap, runner.Observation{}); err == nil {
		t.Error("no check ran, and no error")
	}
}

// An unsupported cluster refuses the plan before the migration begins; other failures are left
// to the preflight. A check that cannot be skipped always refuses it.
func TestRequireSupported(t *testing.T) {
	fails := verify.Finding{Status: verify.Fail, Seen: "no"}
	for name, tt := range map[string]struct {
		at    position.Position
		meta  verify.Meta
		skip  string
		stops bool
	}{
		"unsupported":              {position.P0, verify.Meta{Unsupported: true}, "", true},
		"unsupported, and begun":   {position.P1, verify.Meta{Unsupported: true}, "", false},
		"it fails":                 {position.P0, verify.Meta{}, "", false},
		"skipped":                  {position.P1, verify.Meta{}, "AWSM-999", false},
		"skipped, and it may not":  {position.P1, verify.Meta{Mandatory: true}, "AWSM-999", true},
		"skipped, and is no check": {position.P1, verify.Meta{}, "AWSM-998", true},
	} {
		core, _, by := observer(tt.at)
		snap := looked(t, core, journal.Record{})
		by.Own = []verify.Bound{clustertest.Findings(tt.meta, fails)}
		if tt.skip != "" {
			core.Options.Skip = map[string]string{tt.skip: "known"}
		}
		if _, err := makeStep(base{Migration: core, ID: migration.StepPreflight}).Plan(t.Context(), snap); (err != nil) != tt.stops {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Without a client for the checks, a run stops with an error.
func TestInspect_noClient_fails(t *testing.T) {
	core, _, _ := observer(position.P1)
	snap := looked(t, core, clustertest.Printed(t, clustertest.Prints()...))
	core.Config.Host = "no URL: %"
	for name, err := range map[string]error{
		"a preflight": clustertest.ErrOf(makeStep(base{Migration: core, ID: migration.StepPreflight}).Verify(t.Context(), clustertest.TxFor(t, migration.StepPreflight), snap)),
		"its plan":    clustertest.ErrOf(core.Foresee(t.Context(), snap)), "an audit": clustertest.ErrOf(core.Audited(t.Context(), snap)),
		"all": clustertest.ErrOf(core.Gather(t.Context(), snap)), "part": clustertest.ErrOf(core.GatherAPIOnly(t.Context(), snap.Record)),
		"alone": core.Alone(t.Context(), snap),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := core.Precheck(t.Context(), snap, runner.Observation{}); err != nil {
		t.Errorf("a run that was begun: %v", err)
	}
}

// The last replaced pod may have led: its lease must expire before the audit.
func TestDisable_noLeaderYet_waits(t *testing.T) {
	for name, change := range map[string]func(*lease.Series){
		"its holder no longer writes": func(s *lease.Series) { s.First = s.Last },
		"there is no lease":           func(s *lease.Series) { *s = lease.Series{} },
		"it has no holder":            func(s *lease.Series) { s.Last.Holder = "" },
	} {
		core, _, _ := observer(position.P5)
		snap := looked(t, core, journal.Record{})
		change(&snap.Reading.Leases.CCM)
		got, err := makeStep(base{Migration: core, ID: migration.StepDisable}).Verify(t.Context(), clustertest.TxFor(t, migration.StepDisable), snap)
		if err != nil || got.Kind != runner.Waiting || got.WaitingFor != "a CCM to lead" {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}
