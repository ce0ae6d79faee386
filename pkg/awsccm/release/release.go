package release

import (
	"time"

	"helm.sh/helm/v3/pkg/release"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
)

// Release is the last revision of a Helm release.
type Release struct {
	Namespace, Name string
	Revision        int
	Status          release.Status
	Chart           string // "aws-cloud-controller-manager-0.0.8"
	OurChart        bool
	Updated         time.Time
	Values          map[string]any // the user's values, without the chart's defaults
	Manifest        string
}

func releaseOf(r *release.Release) *Release {
	out := &Release{Namespace: r.Namespace, Name: r.Name, Revision: r.Version, Values: r.Config, Manifest: r.Manifest}
	if r.Info != nil {
		out.Status, out.Updated = r.Info.Status, r.Info.LastDeployed.Time
	}
	if r.Chart != nil && r.Chart.Metadata != nil {
		out.Chart, out.OurChart = r.Chart.Metadata.Name+"-"+r.Chart.Metadata.Version, ccmchart.IsOurs(r.Chart)
	}
	return out
}
