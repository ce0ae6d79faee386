package rke2

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// snapshotOf returns a snapshot with a configuration.
func snapshotOf(spec config.Spec) migration.Snapshot {
	return migration.Snapshot{Config: observed{Facts: rancher.Facts{Cluster: rancher.Cluster{Spec: spec}}}}
}

func TestFindReverted(t *testing.T) {
	machines := rancherfixture.Posted().Configs()
	spec := func(args ...any) config.Spec {
		return config.Spec{Object: "Cluster fleet-default/demo", Global: map[string]any{
			config.KeyProvider: "aws", "kube-controller-manager-arg": args}}
	}
	flagged := spec("enable-leader-migration=true", "v=2")
	// Rancher's webhook reorders the list on any update.
	reordered := spec("v=2", "enable-leader-migration=true")
	more := spec("v=2", "v=4", "enable-leader-migration=true")
	without := spec("v=2")

	flag := func(s config.Spec) ([]string, error) {
		edit, err := edits.EnableLeaderMigration(s, machines)
		return locations(edit), err
	}
	for name, tt := range map[string]struct {
		readings []config.Spec
		reverted bool
	}{
		"in place":                       {[]config.Spec{flagged, flagged}, false},
		"reordered":                      {[]config.Spec{flagged, reordered}, false},
		"another argument came":          {[]config.Spec{flagged, more}, false},
		"reverted before the first look": {[]config.Spec{without}, true},
		"reverted later":                 {[]config.Spec{flagged, reordered, without}, true},
		"reverted, and looked at twice":  {[]config.Spec{flagged, without, without}, true},
	} {
		var lastComplete migration.Config
		var lacks []string
		for _, spec := range tt.readings {
			snap, complete := snapshotOf(spec), false
			if lacks, complete = findReverted(snap, lastComplete, flag); complete {
				lastComplete = snap.Config
			}
		}
		if (lacks != nil) != tt.reverted {
			t.Errorf("%s: %v", name, lacks)
		}
	}

	// New Machines or evidence can require more edits; no writer reverted anything then.
	always := func(config.Spec) ([]string, error) { return []string{"a"}, nil }
	if lacks, _ := findReverted(snapshotOf(flagged), snapshotOf(flagged).Config, always); lacks != nil {
		t.Errorf("another need is called reverted: %v", lacks)
	}
	fails := func(config.Spec) ([]string, error) { return nil, errors.New("cannot be computed") }
	if lacks, complete := findReverted(snapshotOf(flagged), nil, fails); lacks != nil || complete {
		t.Errorf("an edit that cannot be computed: %v, %t", lacks, complete)
	}
	if fmt.Sprint(machines) == "[]" {
		t.Error("no machine: nothing was tried")
	}
}

// The error names the last writer of the Cluster object.
func TestRollout_editReverted_failed(t *testing.T) {
	for name, tt := range map[string]struct {
		step    journal.StepID
		version string
		global  map[string]any
		says    string // or empty if the edit is in place
	}{
		"the version is there":  {migration.StepUpgrade, "v1.27.16+rke2r1", nil, ""},
		"another version is":    {migration.StepUpgrade, "v1.26.13+rke2r1", nil, "by terraform during its rollout: spec.kubernetesVersion is v1.26.13+rke2r1"},
		"a later version is":    {migration.StepUpgrade, "v1.27.17+rke2r1", nil, "spec.kubernetesVersion is v1.27.17+rke2r1"},
		"the flag is there":     {migration.StepEnable, "", map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, ""},
		"the flag is gone":      {migration.StepEnable, "", map[string]any{config.KeyProvider: "aws"}, "by terraform during its rollout: "},
		"it cannot be computed": {migration.StepInstall, "", nil, ""},
	} {
		p := newBackend(nil)
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := rancherfixture.Posted()
		facts.Cluster.Spec.KubernetesVersion, facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools, facts.Cluster.LastWriter = tt.version, tt.global, nil, "terraform"
		rollout, err := p.Rollout(t.Context(), clustertest.TxOf(t, "run-2", tt.step), migration.Snapshot{Config: observed{Facts: facts}}, procedure.EditingOf(tt.step, p.options.Options), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := rollout.Verdict
		if (got == nil) != (tt.says == "") {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got == nil {
			continue
		}
		if f, ok := fault.As(got.Err); !ok || got.Kind != runner.Failed || f.Reason != "EditTakenBack" || !strings.Contains(f.Seen, tt.says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
