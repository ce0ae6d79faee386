package migration

import (
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Prepared describes the effects of later steps, for the checks of a Backend.
type Prepared struct {
	ChartErr   error // the chart's values, or objects in the cluster, forbid the installation
	Concerns   []ccmchart.Concern
	Admission  verify.Read[downstream.Admission]
	PlannedSet *downstream.DaemonSet
	RestErr    error // configuration or Nodes are not at rest
	// NotPreviewed explains why the installation was not computed, or is empty.
	NotPreviewed string
	Stands       position.Position // of the cluster
	Writes       bool              // a later step of the run writes
}

// NotPreviewed is the skip reason of installation checks in an audit that prepares none.
const NotPreviewed = "the installation is tried by verify --preflight, and by the preflight of a run"

// ChartFindings returns the findings that forbid the installation of the chart.
func (p Prepared) ChartFindings() []verify.Finding {
	if p.NotPreviewed != "" {
		return verify.Skipped(p.NotPreviewed)
	}
	return verify.FindingOf(p.ChartErr)
}

// ConcernFindings returns a warning for each unusual chart value, and a failure for each
// value that forbids the installation.
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
		found = append(found, verify.Finding{Status: status, Object: "chart value " + c.Key, Seen: c.Seen, Wanted: c.Why, Fix: c.Fix})
	}
	return found
}
