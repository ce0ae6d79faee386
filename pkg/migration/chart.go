package migration

import (
	"context"
	"net/http"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// chartValues computes chart and values for this cluster.
func (c *Core) chartValues(ctx context.Context, migration bool) (*chart.Chart, awsccm.ChartValues, error) {
	ch, err := awsccm.LoadChart(ctx, c.Options.ChartPath, http.DefaultClient)
	if err != nil {
		return nil, awsccm.ChartValues{}, err
	}
	inputs, err := c.chartInputs(ctx, migration)
	if err != nil {
		return nil, awsccm.ChartValues{}, err
	}
	inputs.Chart = ch
	values, err := awsccm.Values(inputs)
	if err == nil {
		values.Concerns = append(values.Concerns, awsccm.Unreached(inputs, ch)...)
	}
	return ch, values, err
}

func (c *Core) chartInputs(ctx context.Context, migration bool) (awsccm.Inputs, error) {
	cloudConfig := c.Options.CloudConfig
	if cloudConfig == "" {
		var err error
		if cloudConfig, err = c.Side.CloudConfig(ctx); err != nil {
			return awsccm.Inputs{}, err
		}
	}
	inputs := awsccm.Inputs{
		Distribution: c.Distribution, KubernetesVersion: c.Reading.Version, Image: c.Options.CCMImage,
		LeaderMigration: migration, Routes: c.Options.CloudRoutes == "on", CloudConfig: cloudConfig, UserValues: c.Options.Values,
	}
	for _, node := range c.Reading.PlaneNodes() {
		inputs.ControlPlaneTaints = append(inputs.ControlPlaneTaints, awsccm.Taints(node)...)
	}
	for _, k := range c.Reading.KCMs {
		if !k.Known {
			continue
		}
		inputs.ClusterCIDR = OrElse(inputs.ClusterCIDR, k.Args.Last("cluster-cidr"))
		untagged, _ := k.Args.Bool("allow-untagged-cloud", false)
		inputs.AllowUntagged = inputs.AllowUntagged || untagged
		if election, err := k.Args.Election(); err == nil {
			inputs.LeaderElection = awsccm.LeaderElection{LeaseDuration: election.LeaseDuration,
				RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		}
	}
	return inputs, nil
}

// rollout is the CCM's DaemonSet as the install verdict judges it.
func (c *Core) rollout(ctx context.Context) (awsccm.Rollout, error) {
	events, err := c.Kube.CoreV1().Events(wellknown.System).List(ctx, metav1.ListOptions{Limit: pageSize})
	if err != nil {
		return awsccm.Rollout{}, CouldNotRead("Events in kube-system", err)
	}
	c.hadCCM = c.hadCCM || c.Reading.Down.CCM != nil
	r := awsccm.Rollout{Now: c.Clock.Now(), Outage: c.Outage(), DaemonSet: c.Reading.Down.CCM, Existed: c.hadCCM, Pods: c.Reading.Down.CCMPods, Nodes: c.Reading.PlaneNodes()}
	for i := range events.Items {
		if strings.HasPrefix(events.Items[i].InvolvedObject.Name, wellknown.CCM) {
			r.Events = append(r.Events, events.Items[i])
		}
	}
	return r, nil
}
