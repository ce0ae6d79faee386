package rke2

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestMissingLocator(t *testing.T) {
	plain := config.Spec{Object: "Cluster fleet-default/demo", KubernetesVersion: "v1.26.13+rke2r1", Global: map[string]any{config.KeyProvider: "aws"}}
	with := func(change func(*config.Spec)) config.Spec {
		spec := plain
		change(&spec)
		return spec
	}
	flagged := with(func(s *config.Spec) {
		s.Global = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}
	})
	for name, tt := range map[string]struct {
		step journal.StepID
		spec config.Spec
		has  bool
		at   string // missing location
	}{
		"the flag":         {migration.StepEnable, flagged, true, ""},
		"no flag":          {migration.StepEnable, plain, false, "machineSelectorConfig"},
		"no flag left":     {migration.StepUndoEnable, plain, true, ""},
		"the flag is left": {migration.StepUndoEnable, flagged, false, "kube-controller-manager-arg"},
		"the version":      {migration.StepUpgrade, with(func(s *config.Spec) { s.KubernetesVersion = "v1.27.16+rke2r1" }), true, ""},
		"another version":  {migration.StepUpgrade, plain, false, "spec.kubernetesVersion"},
	} {
		p := &Backend{options: Options{EndState: rke2checks.EndOverrides}}
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := rancherfixture.Posted()
		facts.Cluster.Spec = plain
		lacks, err := p.missingLocator(migration.Snapshot{Config: observed{Facts: facts}}, procedure.EditingOf(tt.step, p.options.Options))(tt.spec)
		if has := len(lacks) == 0; err != nil || has != tt.has || !has && !strings.Contains(strings.Join(lacks, " "), tt.at) {
			t.Errorf("%s: %v, lacks %q", name, err, lacks)
		}
	}
}

// Without the journal's note, Rollout cannot recognize which control planes restarted.
func TestRollout_noteUnreadable_error(t *testing.T) {
	p := newBackend(nil)
	facts := rancherfixture.Posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, nil
	tx := clustertest.TxOf(t, "run-2", migration.StepEnable)
	if err := tx.Note(t.Context(), manifestsNote, "no map"); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Rollout(t.Context(), tx, migration.Snapshot{Config: observed{Facts: facts}}, procedure.EditingOf(migration.StepEnable, migration.Options{}), nil); err == nil {
		t.Errorf("%+v", got)
	}
}
