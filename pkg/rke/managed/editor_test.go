package managed

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// plan returns the plan of a step, on top of the edits of the previous steps.
func (b *Backend) plan(t *testing.T, snap migration.Snapshot, step journal.StepID) (runner.Plan, error) {
	t.Helper()
	edit, err := b.Edit(t.Context(), snap, procedure.StepsTo(b.Options.Options, snap, step)...)
	if err != nil {
		return runner.Plan{}, err
	}
	return edit.Plan()
}

// A plan starts from the edits of the previous steps, in both directions.
func TestBackendEdit_steps_plans(t *testing.T) {
	switchedBy := func(t *testing.T) (testMigration, journal.Record) {
		m, client := newMigration(t, rke.Options{Options: migration.Options{KubernetesVersion: "v1.27.16-rancher1-1"}}, nil)
		var intents []journal.Intent
		for _, step := range []journal.StepID{migration.StepEnable, migration.StepSwitch} {
			tx := clustertest.TxFor(t, step, intents...)
			edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), procedure.EditingOf(step, m.Options.Options))
			if err == nil {
				err = edit.Write(t.Context(), tx)
			}
			if err != nil {
				t.Fatal(err)
			}
			intents = tx.Record().Intents
		}
		secret, err := client.Resource(secrets).Namespace("c-1").Get(t.Context(), m.storedName(intents[1].Token), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		stored(t, client, secret)
		return m, journal.Record{Intents: intents}
	}
	const flag = "spec." + rkeConfigKey + ".services.kubeController.extraArgs"
	for name, tt := range map[string]struct {
		step     journal.StepID
		at       position.Position
		switched bool
		keys     int
		rolls    int
		last     string // location
		estimate string
	}{
		"enable":                        {migration.StepEnable, position.P1, false, 1, 3, flag + "." + keyFlag, "~4m"},
		"switch, before the flag":       {migration.StepSwitch, position.P1, false, 5, 5, flag, "~6m"},
		"switch, after it":              {migration.StepSwitch, position.P3, false, 3, 5, "awsCloudProvider", "~6m"},
		"switch, it is there":           {migration.StepSwitch, position.P4, true, 0, 5, "", "~6m"},
		"upgrade":                       {migration.StepUpgrade, position.P5, true, 1, 5, "kubernetesVersion", "~6m"},
		"switch back":                   {migration.StepUndoSwitch, position.P4, true, 4, 5, keyFlag, "~6m"},
		"flag back, after the switch":   {migration.StepUndoEnable, position.P4, true, 2, 5, flag, "~6m"},
		"flag back, it was never there": {migration.StepUndoEnable, position.P1, false, 0, 5, "", "~6m"},
	} {
		m, _ := newMigration(t, rke.Options{}, nil)
		record := journal.Record{}
		if tt.switched {
			m, record = switchedBy(t)
		}
		snap := m.observe(t, record)
		snap.Result = position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.at}}
		plan, err := m.plan(t, snap, tt.step)
		last := ""
		if n := len(plan.Changes); n > 0 {
			last = plan.Changes[n-1].Location
		}
		if err != nil || len(plan.Changes) != tt.keys || plan.Rolls != tt.rolls || !strings.HasSuffix(last, tt.last) || plan.Takes.String() != tt.estimate || len(plan.Notes) != 1 || len(plan.Summary) != tt.keys || tt.keys > 0 && !strings.HasSuffix(plan.Summary[tt.keys-1], tt.last) {
			t.Errorf("%s: %v, %d keys, last %s, %+v", name, err, len(plan.Changes), last, plan)
		}
	}
	m, record := switchedBy(t)
	m.Options.KubernetesVersion = "v1.29.1-rancher1-1"
	if _, err := m.plan(t, m.observe(t, record), migration.StepUpgrade); fault.ClassOf(err) != fault.Usage {
		t.Errorf("it skips minor versions: %v", err)
	}
	if _, err := m.plan(t, m.observe(t, record), migration.StepInstall); err == nil {
		t.Error("a step that edits nothing has a plan")
	}
}
