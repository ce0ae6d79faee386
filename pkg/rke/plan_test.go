package rke

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// editedFile holds the texts of a cluster.yml before the migration, with the flag and after
// the switch, and the journal and backups of both edits.
type editedFile struct {
	path                     string
	plain, flagged, switched string
	enabled, both            journal.Record
}

func editFile(t *testing.T) editedFile {
	t.Helper()
	e := editedFile{path: filepath.Join(t.TempDir(), "plain.yml")}
	file := rkefixture.Applied(t, "plain").File
	first, err := enableEdit(file)
	if err != nil {
		t.Fatal(err)
	}
	next, err := clusterfile.Parse("plain.yml", first.After)
	if err != nil {
		t.Fatal(err)
	}
	second, err := switchEdit(next, naming.Rule{}, first.Made)
	if err != nil {
		t.Fatal(err)
	}
	e.plain, e.flagged, e.switched = string(file.Text()), string(first.After), string(second.After)
	if strings.Contains(e.switched, "enable-leader-migration") || !strings.Contains(e.flagged, "enable-leader-migration") {
		t.Fatal("the flag goes with the switch, and comes before it")
	}
	intent := func(step journal.StepID, edit clusterfile.Edit, before string) journal.Intent {
		raw, err := json.Marshal(edit.Receipt())
		if err == nil {
			err = os.WriteFile(clusterfile.BackupPath(e.path, edit.Receipt().Before), []byte(before), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return journal.Intent{Step: step, Object: "file " + e.path, Inverse: raw}
	}
	e.enabled.Intents = []journal.Intent{intent(migration.StepEnable, first, e.plain)}
	e.both.Intents = append(e.both.Intents, e.enabled.Intents[0], intent(migration.StepSwitch, second, e.flagged))
	return e
}

// plan returns the plan of a step, on top of the edits of the previous steps.
func (b *Backend) plan(t *testing.T, snap migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	t.Helper()
	edit, err := b.Edit(t.Context(), snap, procedure.StepsTo(b.Options.Options, snap, step)...)
	if err != nil {
		return runner.Plan{}, err
	}
	return edit.Plan()
}

// A plan starts from the edits of the previous steps and shows the resulting text.
func TestPlanEdit_step_changes(t *testing.T) {
	e := editFile(t)
	upgraded := func(text string) string { return strings.ReplaceAll(text, "v1.26.9-rancher1-1", "v1.27.16-rancher1-1") }
	for name, tt := range map[string]struct {
		step    journal.StepID
		text    string
		at      position.Position
		journal journal.Record
		noUp    bool
		result  string // or empty if nothing is edited
		rolls   int
	}{
		"enable":                       {migration.StepEnable, e.plain, position.P1, journal.Record{}, false, e.flagged, 1},
		"enable, a person runs rke":    {migration.StepEnable, e.plain, position.P1, journal.Record{}, true, e.flagged, 1},
		"enable, it is there":          {migration.StepEnable, e.flagged, position.P2, e.enabled, false, "", 1},
		"switch, before the flag":      {migration.StepSwitch, e.plain, position.P1, journal.Record{}, false, e.switched, 2},
		"switch, after it":             {migration.StepSwitch, e.flagged, position.P3, e.enabled, false, e.switched, 2},
		"switch, it is there":          {migration.StepSwitch, e.switched, position.P4, e.both, false, "", 2},
		"upgrade":                      {migration.StepUpgrade, e.switched, position.P5, e.both, false, upgraded(e.switched), 2},
		"switch back":                  {migration.StepUndoSwitch, e.switched, position.P4, e.both, false, e.flagged, 2},
		"switch back, never switched":  {migration.StepUndoSwitch, e.flagged, position.P3, e.enabled, false, "", 2},
		"flag back, after the switch":  {migration.StepUndoEnable, e.switched, position.P4, e.both, false, e.plain, 2},
		"flag back":                    {migration.StepUndoEnable, e.flagged, position.P2, e.enabled, false, e.plain, 2},
		"flag back, it is gone":        {migration.StepUndoEnable, e.plain, position.P1, e.enabled, false, "", 2},
		"flag back, the file switched": {migration.StepUndoEnable, e.switched, position.P3, e.both, false, e.plain, 2},
	} {
		p := &Backend{Common: &Common{Names: &naming.Rule{}, Options: Options{Config: e.path, NoRKEUp: tt.noUp, IncludePending: true}}}
		p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		facts := rkefixture.AppliedAs(t, "plain", tt.text)
		facts.Path = e.path
		snap := hosts()
		snap.Config, snap.Record, snap.Reading.Version = observed{Facts: facts}, tt.journal, "v1.26.9-rancher1-1"
		snap.Result = position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.at}}
		plan, err := p.plan(t, snap, tt.step)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		result := ""
		if len(plan.Changes) > 0 {
			result = plan.Changes[0].Result
		}
		if result != tt.result || plan.Rolls != tt.rolls {
			t.Errorf("%s: %d rolls, %s", name, plan.Rolls, result)
		}
		restarted, estimate := "rke restarts "+Restarts(procedure.EditingOf(tt.step, p.Options.Options).Target, "at once, then the kubelet on every other host", "the kubelet on every other host"), fmt.Sprintf("~%dm", 1+tt.rolls)
		if tt.noUp {
			restarted, estimate = "stops after the edit: a person runs rke up|"+restarted, ""
		}
		if notes := strings.Join(plan.Notes, "|"); notes != restarted || plan.Takes.String() != estimate {
			t.Errorf("%s: takes %q, %q", name, plan.Takes, notes)
		}
		summary := strings.Join(plan.Summary, "|")
		if strings.Contains(summary, "rke up") == tt.noUp || strings.HasPrefix(summary, "~ ") != (tt.result != "") {
			t.Errorf("%s: %q", name, summary)
		}
	}
}

// An undo needs the backup of its edit. Unapplied changes and invalid versions are refused.
func TestPlanEdit_fault_refused(t *testing.T) {
	e := editFile(t)
	for name, tt := range map[string]struct {
		step   journal.StepID
		target string
		text   string
		path   string
		reason string
	}{
		"no backup, after it too": {migration.StepUndoEnable, "", e.switched, filepath.Join(t.TempDir(), "elsewhere.yml"), "NoBackup"},
		"no backup":               {migration.StepUndoSwitch, "", e.switched, filepath.Join(t.TempDir(), "elsewhere.yml"), "NoBackup"},
		"a version is skipped":    {migration.StepUpgrade, "v1.28.9-rancher1-1", e.switched, e.path, "UpgradeNotAllowed"},
		"another change pending":  {migration.StepEnable, "", strings.ReplaceAll(e.plain, "v1.26.9-rancher1-1", "v1.26.8-rancher1-1"), e.path, "PendingChanges"},
		"nothing is":              {migration.StepEnable, "", e.plain, e.path, ""},
		"other line ends":         {migration.StepUndoSwitch, "", strings.ReplaceAll(e.switched, "\n", "\r\n"), e.path, clusterfile.ReasonUndo},
	} {
		p := &Backend{Common: &Common{Names: &naming.Rule{}, Options: Options{Config: e.path}}}
		p.Options.KubernetesVersion = tt.target
		facts := rkefixture.AppliedAs(t, "plain", tt.text)
		facts.Path = tt.path
		snap := hosts()
		snap.Config, snap.Record, snap.Reading.Version = observed{Facts: facts}, e.both, "v1.26.9-rancher1-1"
		snap.Result = position.Result{Position: position.P4}
		_, err := p.plan(t, snap, tt.step)
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
		if bad, _ := fault.As(err); tt.reason == clusterfile.ReasonUndo && !strings.Contains(bad.Fix, tt.path+".awsmigrate-") {
			t.Errorf("%s: names no backup: %v", name, err)
		}
	}
}

// The newest receipt of the file in the journal decides.
func TestMadeByEnable(t *testing.T) {
	e := editFile(t)
	enabled := e.enabled.Intents[0]
	object := enabled.Object
	other, silent, broken := enabled, enabled, enabled
	other.Object, silent.Inverse, broken.Inverse = "file another.yml", nil, []byte(`"text"`)
	for name, tt := range map[string]struct {
		intents []journal.Intent
		made    bool
	}{
		"none":                       {nil, false},
		"it":                         {[]journal.Intent{enabled}, true},
		"and the switch after it":    {e.both.Intents, true},
		"of another file":            {[]journal.Intent{other}, false},
		"the last has no receipt":    {[]journal.Intent{enabled, silent}, true},
		"the last cannot be read":    {[]journal.Intent{enabled, broken}, true},
		"the switch has one of it":   {e.both.Intents[1:], false},
		"only one without a receipt": {[]journal.Intent{silent}, false},
	} {
		if got := madeByEnable(journal.Record{Intents: tt.intents}, object); got.Empty() == tt.made {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// With --no-rke-up the error holds the command for the user. Otherwise the run starts rke if
// the file is not applied.
func TestApply_fileNotApplied_gateOrRun(t *testing.T) {
	tool := &fakeTool{process: &fakeProcess{}}
	p, _ := newMigration(t, Options{NoRKEUp: true, RKEArgs: []string{"--ssh-agent-auth"}}, tool)
	tx := clustertest.TxFor(t, migration.StepEnable)
	if err := p.Apply(t.Context(), tx, p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options)); err != nil || len(tool.ran) > 0 {
		t.Errorf("it is applied: %v, ran %q", err, tool.ran)
	}
	edit, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options))
	if err == nil {
		err = edit.Write(t.Context(), tx)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = p.Apply(t.Context(), tx, p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options))
	if f, ok := fault.As(err); !ok || f.Reason != "RunRKEUp" || f.Class != fault.Gate || !strings.Contains(f.Fix, "rke up --config "+p.Options.Config+" --ssh-agent-auth") || len(tool.ran) > 0 {
		t.Errorf("%v, ran %q", err, tool.ran)
	}
	p.Options.NoRKEUp = false
	if err := p.Apply(t.Context(), tx, p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options)); err != nil || len(tool.ran) != 1 || tool.ran[0] != "up --config "+p.Options.Config+" --ssh-agent-auth" {
		t.Errorf("%v, ran %q", err, tool.ran)
	}
	p.binary = verify.Failed[rkecli.Binary](errors.New("no rke"))
	if err := p.Apply(t.Context(), tx, p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options)); err == nil || len(tool.ran) != 1 {
		t.Errorf("no rke: %v, ran %q", err, tool.ran)
	}
}

func TestRecordEnd_repeated_notedOnce(t *testing.T) {
	p, _ := newMigration(t, Options{}, &fakeTool{})
	p.child = &child{process: &fakeProcess{}, step: migration.StepEnable, token: "up/run/1"}
	tx := clustertest.TxFor(t, migration.StepEnable)
	var first, second upRecord
	for i, into := range []*upRecord{&first, &second} {
		if err := p.recordEnd(t.Context(), tx, upNote, migration.StepEnable); err != nil {
			t.Fatal(err)
		}
		if known, err := tx.NoteInto(upNote, into); err != nil || !known || into.Token != "up/run/1" || !into.OK || into.Time == "" {
			t.Errorf("%d: %v, %+v", i, err, into)
		}
	}
	p.child.token = "up/run/0"
	if err := p.recordEnd(t.Context(), tx, upNote, migration.StepEnable); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.NoteInto(upNote, &second); err != nil || second.Token != "up/run/0" {
		t.Errorf("another run of rke: %v, %+v", err, second)
	}
	if err := p.recordEnd(t.Context(), tx, "other", migration.StepSwitch); err != nil {
		t.Fatal(err)
	}
	if known, _ := tx.NoteInto("other", &second); known {
		t.Error("the end of another step's rke was noted")
	}
}

// A missing or unreadable note counts as cut off.
func TestWasCutOff(t *testing.T) {
	up := journal.Intent{Step: migration.StepEnable, Token: upToken + "run/1"}
	for name, tt := range map[string]struct {
		intents []journal.Intent
		note    any
		want    bool
	}{
		"none was begun":        {nil, nil, false},
		"no word of its end":    {[]journal.Intent{up}, nil, true},
		"it ended well":         {[]journal.Intent{up}, upRecord{Token: up.Token, OK: true}, false},
		"it did not":            {[]journal.Intent{up}, upRecord{Token: up.Token}, true},
		"another one did":       {[]journal.Intent{up}, upRecord{Token: upToken + "run/0", OK: true}, true},
		"an unreadable note":    {[]journal.Intent{up}, "text", true},
		"it, and other intents": {[]journal.Intent{up, {Step: migration.StepEnable, Token: "x"}}, upRecord{Token: up.Token, OK: true}, false},
	} {
		tx := clustertest.TxFor(t, migration.StepEnable, tt.intents...)
		if tt.note != nil {
			if err := tx.Note(t.Context(), upNote, tt.note); err != nil {
				t.Fatal(err)
			}
		}
		if got := wasCutOff(tx.Record()); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Without the backup of the switch, its undo is impossible. The undo of the flag has its own
// backup.
func TestPlan_noBackupOfTheSwitch_refused(t *testing.T) {
	for name, tt := range map[string]struct {
		at, to position.Position
		step   journal.StepID
		reason string
	}{
		"switched":                {position.P4, position.P4, migration.StepUndoSwitch, "NoBackup"},
		"a part of it is":         {position.P3, position.P4, migration.StepUndoSwitch, "NoBackup"},
		"leader migration is off": {position.P5, position.P5, migration.StepUndoSwitch, "NoBackup"},
		"it is not":               {position.P3, position.P3, migration.StepUndoEnable, ""},
	} {
		e := editFile(t)
		var receipt yamltext.Receipt
		err := json.Unmarshal(e.both.Intents[1].Inverse, &receipt)
		if err == nil {
			err = os.Remove(clusterfile.BackupPath(e.path, receipt.Before))
		}
		if err != nil {
			t.Fatal(err)
		}
		p := &Backend{Common: &Common{Names: &naming.Rule{}, Options: Options{Config: e.path, IncludePending: true}}}
		facts := rkefixture.AppliedAs(t, "plain", e.flagged)
		facts.Path = e.path
		snap := hosts()
		snap.Config, snap.Record, snap.Result = observed{Facts: facts}, e.both, position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.to}}
		plan, err := p.plan(t, snap, tt.step)
		if clustertest.ReasonOf(err) != tt.reason || tt.reason == "" && plan.Changes[0].Result != e.plain {
			t.Errorf("%s: %v %+v", name, err, plan)
		}
	}
}
