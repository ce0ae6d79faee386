package chart

import (
	"context"
	"net/http"
	"time"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Chart is the chart of the cloud controller manager in one cluster: what it would
// install there, and what is judged of it once it is.
type Chart struct {
	migration.Access
	Backend migration.Backend
}

// Values computes chart and values for this cluster.
func (c Chart) Values(ctx context.Context, seen migration.Snapshot, flagged bool) (*chart.Chart, ccmchart.ChartValues, error) {
	ch, err := ccmchart.Load(ctx, c.Options.ChartPath, http.DefaultClient)
	if err != nil {
		return nil, ccmchart.ChartValues{}, err
	}
	inputs, err := c.inputs(ctx, seen, flagged)
	if err != nil {
		return nil, ccmchart.ChartValues{}, err
	}
	inputs.Chart = ch
	values, err := ccmchart.Values(inputs)
	if err == nil {
		values.Concerns = append(values.Concerns, ccmchart.Unreached(inputs, ch)...)
	}
	return ch, values, err
}

func (c Chart) inputs(ctx context.Context, seen migration.Snapshot, flagged bool) (ccmchart.Inputs, error) {
	cloudConfig := c.Options.CloudConfig
	if cloudConfig == "" {
		var err error
		if cloudConfig, err = c.Backend.CloudConfig(ctx, seen); err != nil {
			return ccmchart.Inputs{}, err
		}
	}
	inputs := ccmchart.Inputs{
		Distribution: c.Distribution, KubernetesVersion: seen.Reading.Version, Image: c.Options.CCMImage,
		LeaderMigration: flagged, Routes: c.Options.CloudRoutes == "on", CloudConfig: cloudConfig, UserValues: c.Options.Values,
	}
	for _, node := range seen.Reading.ControlPlaneNodes() {
		inputs.ControlPlaneTaints = append(inputs.ControlPlaneTaints, rollout.Taints(node)...)
	}
	for _, k := range seen.Reading.KCMs {
		if !k.Known {
			continue
		}
		inputs.ClusterCIDR = migration.OrElse(inputs.ClusterCIDR, k.Args.Last("cluster-cidr"))
		untagged, _ := k.Args.Bool("allow-untagged-cloud", false)
		inputs.AllowUntagged = inputs.AllowUntagged || untagged
		if election, err := k.Args.Election(); err == nil {
			inputs.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration,
				RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		}
	}
	if flagged && c.Options.EarlyHandOver {
		inputs.LeaderElection.RetryPeriod = looksEach
	}
	return inputs, nil
}

// looksEach is how often the cloud controller manager looks at the leases behind an early
// hand-over: whoever waits sees each change, and its end, up to 2.2 of these late. Its
// leases are as long as those of kube-controller-manager, whose candidates count their own
// duration up to client-go v0.26; a shorter retry period alone only makes it renew more
// often, and give up sooner.
const looksEach = 500 * time.Millisecond
