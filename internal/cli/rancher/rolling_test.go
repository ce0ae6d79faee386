package rancher

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
)

// The controller stays while a cluster rolls out, or might.
func TestMayLeave(t *testing.T) {
	rows := []fleet.Left{
		{Cluster: "fleet-default/calm"},
		{Cluster: "fleet-default/old", PausedRollout: "rollout paused in step enable-leader-migration"},
		{Cluster: "fleet-default/prod", Step: "switch-provider"},
		{Cluster: "fleet-default/far", Unread: "no route to host"},
		{Cluster: "fleet-default/away", Unread: "no route to host", Open: true},
	}
	if err := mayLeave(rows); view.ExitCode(err) != 3 || !strings.Contains(err.Error(), "fleet-default/prod, fleet-default/away") {
		t.Errorf("%v", err)
	}
	if err := mayLeave(rows[:2]); err != nil {
		t.Errorf("at rest: %v", err)
	}
}
