package cli

import (
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
)

// Documents returns an empty document of every kind that the command line prints with -o json,
// jsonl or yaml. docs/schema has a JSON Schema of each.
func Documents() map[string]any {
	return map[string]any{
		"Plan": planDocument{}, "RunResult": runview.RunResultDocument{}, "Status": view.StatusDocument{}, "Explanation": view.Explanation{},
		"Version": versionInfo{}, "Error": view.ErrorDocument{}, "AuditReport": verifyview.AuditDocument{}, "Event": runview.EventDocument{},
		"ClusterList": view.ListDocument{}, "Access": verifyview.AccessDocument{}, "History": view.HistoryDocument{},
		"UpgradePath": view.UpgradePathDocument{}, "RolloutPlan": view.RolloutPlanDocument{}, "RolloutStatus": view.RolloutStatusDocument{},
	}
}
