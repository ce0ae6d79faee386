package migration

import (
	"context"
	"net/http"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// chartValues computes chart and values for this cluster.
func (m *Migration) chartValues(ctx context.Context, seen Snapshot, migration bool) (*chart.Chart, ccmchart.ChartValues, error) {
	ch, err := ccmchart.Load(ctx, m.Options.ChartPath, http.DefaultClient)
	if err != nil {
		return nil, ccmchart.ChartValues{}, err
	}
	inputs, err := m.chartInputs(ctx, seen, migration)
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

func (m *Migration) chartInputs(ctx context.Context, seen Snapshot, migration bool) (ccmchart.Inputs, error) {
	cloudConfig := m.Options.CloudConfig
	if cloudConfig == "" {
		var err error
		if cloudConfig, err = m.Backend.CloudConfig(ctx, seen); err != nil {
			return ccmchart.Inputs{}, err
		}
	}
	inputs := ccmchart.Inputs{
		Distribution: m.Distribution, KubernetesVersion: seen.Reading.Version, Image: m.Options.CCMImage,
		LeaderMigration: migration, Routes: m.Options.CloudRoutes == "on", CloudConfig: cloudConfig, UserValues: m.Options.Values,
	}
	for _, node := range seen.Reading.PlaneNodes() {
		inputs.ControlPlaneTaints = append(inputs.ControlPlaneTaints, rollout.Taints(node)...)
	}
	for _, k := range seen.Reading.KCMs {
		if !k.Known {
			continue
		}
		inputs.ClusterCIDR = OrElse(inputs.ClusterCIDR, k.Args.Last("cluster-cidr"))
		untagged, _ := k.Args.Bool("allow-untagged-cloud", false)
		inputs.AllowUntagged = inputs.AllowUntagged || untagged
		if election, err := k.Args.Election(); err == nil {
			inputs.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration,
				RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		}
	}
	return inputs, nil
}

// rollout is the CCM's DaemonSet as the install verdict judges it.
func (m *Migration) rollout(ctx context.Context, seen Snapshot) (rollout.Observation, error) {
	events, err := kube.EventsOf(ctx, m.Kube, wellknown.CCM)
	if err != nil {
		return rollout.Observation{}, partUnread(err)
	}
	down := seen.Reading.Down
	return rollout.Observation{Now: seen.At, Outage: seen.Outage, DaemonSet: down.CCM, Existed: seen.HadCCM, Pods: down.CCMPods,
		Nodes: seen.Reading.PlaneNodes(), Events: events}, nil
}
