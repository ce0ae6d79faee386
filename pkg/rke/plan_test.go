package rke

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// editedFile is a cluster.yml before the migration, with the flag, and switched, with the
// journal and the backups of both edits.
type editedFile struct {
	path                     string
	plain, flagged, switched string
	enabled, both            journal.Record
}

func editFile(t *testing.T) editedFile {
	t.Helper()
	e := editedFile{path: filepath.Join(t.TempDir(), "plain.yml")}
	file := rkefixture.Applied(t, "plain").File
	first, err := EnableEdit(file)
	if err != nil {
		t.Fatal(err)
	}
	next, err := clusterfile.Parse("plain.yml", first.After)
	if err != nil {
		t.Fatal(err)
	}
	second, err := SwitchEdit(next, naming.Rule{}, first.Made)
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

// The plan of a step in a cluster.yml is made on top of the edits of those before it,
// forwards and back, and shows the text that results.
func TestFilePlanEdit(t *testing.T) {
	e := editFile(t)
	upgraded := func(text string) string { return strings.ReplaceAll(text, "v1.26.9-rancher1-1", "v1.27.16-rancher1-1") }
	for name, tt := range map[string]struct {
		step    journal.StepID
		text    string
		at      position.Position
		journal journal.Record
		noUp    bool
		result  string // "": nothing is edited
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
		p := &Procedure{names: &naming.Rule{}, options: Options{Config: e.path, NoRKEUp: tt.noUp, IncludePending: true}}
		p.options.KubernetesVersion = "v1.27.16-rancher1-1"
		facts := rkefixture.AppliedAs(t, "plain", tt.text)
		facts.Path = e.path
		seen := hosts("")
		seen.Config, seen.Record, seen.Reading.Version = observed{Facts: facts}, tt.journal, "v1.26.9-rancher1-1"
		seen.Result = position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.at}}
		plan, err := p.PlanEdit(t.Context(), seen, tt.step)
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
		summary := strings.Join(plan.Summary, "|")
		if strings.Contains(summary, "rke up") == tt.noUp || strings.HasPrefix(summary, "~ ") != (tt.result != "") {
			t.Errorf("%s: %q", name, summary)
		}
	}
}

// A way back needs the text of before its edit, and nothing is planned beside changes that
// rke has not applied, nor to a version that may not come next.
func TestFilePlanIsRefused(t *testing.T) {
	e := editFile(t)
	for name, tt := range map[string]struct {
		step   journal.StepID
		target string
		text   string
		path   string
		reason string
	}{
		"no backup":              {migration.StepUndoSwitch, "", e.switched, filepath.Join(t.TempDir(), "elsewhere.yml"), "NoBackup"},
		"a version is skipped":   {migration.StepUpgrade, "v1.28.9-rancher1-1", e.switched, e.path, "UpgradeNotAllowed"},
		"another change pending": {migration.StepEnable, "", strings.ReplaceAll(e.plain, "v1.26.9-rancher1-1", "v1.26.8-rancher1-1"), e.path, "PendingChanges"},
		"nothing is":             {migration.StepEnable, "", e.plain, e.path, ""},
	} {
		p := &Procedure{names: &naming.Rule{}, options: Options{Config: e.path}}
		p.options.KubernetesVersion = tt.target
		facts := rkefixture.AppliedAs(t, "plain", tt.text)
		facts.Path = tt.path
		seen := hosts("")
		seen.Config, seen.Record, seen.Reading.Version = observed{Facts: facts}, e.both, "v1.26.9-rancher1-1"
		seen.Result = position.Result{Position: position.P4}
		_, err := p.PlanEdit(t.Context(), seen, tt.step)
		if got := reasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
	}
}

func reasonOf(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Reason
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
