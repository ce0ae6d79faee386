package rke2

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// holding is an observation of a configuration.
func holding(spec config.Spec) migration.Snapshot {
	return migration.Snapshot{Config: observed{Facts: rancher.Facts{Cluster: rancher.Cluster{Spec: spec}}}}
}

func TestTakenBack(t *testing.T) {
	machines := rancherfixture.Posted().Configs()
	spec := func(args ...any) config.Spec {
		return config.Spec{Object: "Cluster fleet-default/demo", Global: map[string]any{
			config.KeyProvider: "aws", "kube-controller-manager-arg": args}}
	}
	flagged := spec("enable-leader-migration=true", "v=2")
	// The API changes the order of a list: Rancher's webhook does, on any update.
	reordered := spec("v=2", "enable-leader-migration=true")
	more := spec("v=2", "v=4", "enable-leader-migration=true")
	reverted := spec("v=2")

	compute := func(_ migration.Snapshot, s config.Spec) (edits.Edit, error) {
		return edits.EnableLeaderMigration(s, machines)
	}
	for name, tt := range map[string]struct {
		readings []config.Spec
		taken    bool
	}{
		"in place":                         {[]config.Spec{flagged, flagged}, false},
		"reordered":                        {[]config.Spec{flagged, reordered}, false},
		"another argument came":            {[]config.Spec{flagged, more}, false},
		"taken back before the first look": {[]config.Spec{reverted}, true},
		"taken back later":                 {[]config.Spec{flagged, reordered, reverted}, true},
	} {
		edit := placed{compute: compute}
		var lacks []string
		for _, now := range tt.readings {
			lacks = edit.takenBack(holding(now))
		}
		if (lacks != nil) != tt.taken {
			t.Errorf("%s: %v", name, lacks)
		}
	}

	// A Machine that comes, or evidence that changes, is not the user's doing.
	edit := placed{compute: compute}
	edit.takenBack(holding(flagged))
	edit.compute = func(seen migration.Snapshot, _ config.Spec) (edits.Edit, error) { return compute(seen, reverted) }
	if lacks := edit.takenBack(holding(flagged)); lacks != nil {
		t.Errorf("another need is called taken back: %v", lacks)
	}
	edit.compute = func(migration.Snapshot, config.Spec) (edits.Edit, error) {
		return edits.Edit{}, errors.New("cannot be computed")
	}
	if lacks := edit.takenBack(holding(flagged)); lacks != nil {
		t.Errorf("an edit that cannot be computed is called taken back: %v", lacks)
	}
	if fmt.Sprint(machines) == "[]" {
		t.Error("no machine: nothing was tried")
	}
}

// A step fails where its edit is gone from the user's own object, and says who was last.
func TestTakenBackByStep(t *testing.T) {
	for name, tt := range map[string]struct {
		step    journal.StepID
		version string
		global  map[string]any
		says    string // "": it is in place
	}{
		"the version is there":  {migration.StepUpgrade, "v1.27.16+rke2r1", nil, ""},
		"another version is":    {migration.StepUpgrade, "v1.26.13+rke2r1", nil, "by terraform while it was rolled out: spec.kubernetesVersion is v1.26.13+rke2r1"},
		"a later version is":    {migration.StepUpgrade, "v1.27.17+rke2r1", nil, "spec.kubernetesVersion is v1.27.17+rke2r1"},
		"the flag is there":     {migration.StepEnable, "", map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, ""},
		"the flag is gone":      {migration.StepEnable, "", map[string]any{config.KeyProvider: "aws"}, "by terraform while it was rolled out: "},
		"it cannot be computed": {migration.StepInstall, "", nil, ""},
	} {
		p := ofDemo(nil)
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := rancherfixture.Posted()
		facts.Cluster.Spec.KubernetesVersion, facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools, facts.Cluster.LastWriter = tt.version, tt.global, nil, "terraform"
		got := p.takenBack(migration.Snapshot{Config: observed{Facts: facts}}, tt.step)
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
