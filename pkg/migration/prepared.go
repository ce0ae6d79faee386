package migration

import (
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Prepared is what the steps to come would do, for the checks of a Backend.
type Prepared struct {
	ChartErr   error // the chart's values, or what is found in the cluster, forbid the installation
	Concerns   []ccmchart.Concern
	Admission  verify.Read[downstream.Admission]
	PlannedSet *downstream.DaemonSet
	RestErr    error // the unrest of the configuration's side and of the Nodes
	// NotPreviewed is why the installation was not computed; "": it was.
	NotPreviewed string
	Stands       position.Position
	Writes       bool // the run has a step left that writes
}

// NotPreviewed is the reason of checks of an installation that nobody prepares.
const NotPreviewed = "the installation is tried by verify --preflight, and by the preflight of a run"

// ChartFindings say what keeps the chart from being installed.
func (p Prepared) ChartFindings() []verify.Finding {
	if p.NotPreviewed != "" {
		return verify.Skipped(p.NotPreviewed)
	}
	return verify.FindingOf(p.ChartErr)
}

// ConcernFindings are the chart values that somebody should know of, or that
// forbid the installation.
func (p Prepared) ConcernFindings() []verify.Finding {
	if p.NotPreviewed != "" {
		return verify.Skipped(p.NotPreviewed)
	}
	var found []verify.Finding
	for _, c := range p.Concerns {
		status := verify.Warn
		if c.Blocking {
			status = verify.Fail
		}
		found = append(found, verify.Finding{Status: status, Object: "chart value " + c.Key, Seen: c.Seen, Wanted: c.Why})
	}
	return found
}
