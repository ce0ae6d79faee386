package controller

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Leaves reports rollouts from the journals alone. An unreachable cluster prevents leaving only
// if its journal may have an unfinished run.
func leavesNothingThatRolls(t *testing.T, i *installation) {
	c, err := New(Options{Config: i.config, Namespaces: []string{i.namespace}, Version: "v1", Engine: i.world.engine()})
	if err != nil {
		t.Fatal(err)
	}
	held := func() string {
		t.Helper()
		rows, err := c.Leaves(t.Context())
		if err != nil || len(rows) > 1 {
			t.Fatalf("%v, %v", rows, err)
		}
		var said strings.Builder
		for _, row := range rows {
			said.WriteString(row.Holds())
		}
		return said.String()
	}
	i.world.rolls = true
	if said := held(); said != "" {
		t.Errorf("of a cluster without a journal: %s", said)
	}
	i.journal(t, i.namespace, "prod")
	if said := held(); !strings.Contains(said, "step switch-provider") {
		t.Errorf("of a cluster that rolls: %s", said)
	}
	i.world.rolls = false
	if said := held(); said != "" {
		t.Errorf("of a cluster at rest: %s", said)
	}
	i.world.away = &fault.Error{Class: fault.CouldNotLook, Object: "Cluster prod", Seen: "does not answer"}
	if said := held(); !strings.Contains(said, "does not answer") { // its journal is no journal
		t.Errorf("of a cluster that does not answer: %s", said)
	}
	if err := i.kube.CoreV1().ConfigMaps(i.namespace).Delete(t.Context(), journal.Name("prod"), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	kept := journal.NewConfigMap(i.kube, i.namespace, journal.Name("prod"), journal.Target{Kind: "rke2", Namespace: i.namespace, Name: "prod", UID: "cluster"})
	state, err := kept.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Commit(t.Context(), &state); err != nil {
		t.Fatal(err)
	}
	if said := held(); said != "" {
		t.Errorf("of a cluster that does not answer, of which no run is open: %s", said)
	}
}
