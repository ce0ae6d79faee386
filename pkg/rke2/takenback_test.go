package rke2

import (
	"errors"
	"fmt"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// holding is an observation of a configuration.
func holding(spec config.Spec) migration.Snapshot {
	return migration.Snapshot{Config: observed{Facts: Facts{Cluster: Cluster{Spec: spec}}}}
}

func TestTakenBack(t *testing.T) {
	machines := posted().Configs()
	spec := func(args ...any) config.Spec {
		return config.Spec{Object: "Cluster fleet-default/demo", Global: map[string]any{
			config.KeyProvider: "aws", "kube-controller-manager-arg": args}}
	}
	flagged := spec("enable-leader-migration=true", "v=2")
	// The API changes the order of a list: Rancher's webhook does, on any update.
	reordered := spec("v=2", "enable-leader-migration=true")
	more := spec("v=2", "v=4", "enable-leader-migration=true")
	reverted := spec("v=2")

	compute := func(_ migration.Snapshot, s config.Spec) (config.Edit, error) {
		return config.EnableLeaderMigration(s, machines)
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
	edit.compute = func(seen migration.Snapshot, _ config.Spec) (config.Edit, error) { return compute(seen, reverted) }
	if lacks := edit.takenBack(holding(flagged)); lacks != nil {
		t.Errorf("another need is called taken back: %v", lacks)
	}
	edit.compute = func(migration.Snapshot, config.Spec) (config.Edit, error) {
		return config.Edit{}, errors.New("cannot be computed")
	}
	if lacks := edit.takenBack(holding(flagged)); lacks != nil {
		t.Errorf("an edit that cannot be computed is called taken back: %v", lacks)
	}
	if fmt.Sprint(machines) == "[]" {
		t.Error("no machine: nothing was tried")
	}
}
