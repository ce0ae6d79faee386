package chart

import (
	"context"
	"net/http"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// Chart installs the cloud controller manager's chart into one cluster and judges whether the
// installed manager runs and leads.
type Chart struct {
	migration.Access
	Backend migration.Backend
	// OnDelete renders a DaemonSet that does not replace its pods: awsmigrate deletes the pods.
	OnDelete bool
}

// MayReplace reports whether awsmigrate can replace the pods of this cluster's installation. A
// document is applied by another program, and a user's chart may not have the value.
func (c Chart) MayReplace(ctx context.Context, snap migration.Snapshot, flagged bool) (bool, error) {
	if snap.InstallMethod == migration.InstallManifest {
		return false, nil
	}
	c.OnDelete = true
	ch, values, err := c.Values(ctx, snap, flagged)
	if err != nil {
		return false, err
	}
	oldest, _ := snap.Reading.ServerVersions()
	objects, err := ccmchart.Render(ch, values.Values, oldest)
	return err == nil && ccmchart.IsOnDelete(objects), err
}

// Values returns the chart and its values for this cluster. flagged reports whether the CCM
// runs with leader migration.
func (c Chart) Values(ctx context.Context, snap migration.Snapshot, flagged bool) (*chart.Chart, ccmchart.ChartValues, error) {
	ch, err := ccmchart.Load(ctx, c.Options.ChartPath, http.DefaultClient)
	if err != nil {
		return nil, ccmchart.ChartValues{}, err
	}
	inputs, err := c.inputs(ctx, snap, flagged)
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

func (c Chart) inputs(ctx context.Context, snap migration.Snapshot, flagged bool) (ccmchart.Inputs, error) {
	cloudConfig := c.Options.CloudConfig
	if cloudConfig == "" {
		var err error
		if cloudConfig, err = c.Backend.CloudConfig(ctx, snap); err != nil {
			return ccmchart.Inputs{}, err
		}
	}
	oldest, newest := snap.Reading.ServerVersions()
	inputs := ccmchart.Inputs{
		Distribution: c.Distribution, KubernetesVersion: oldest, NewestVersion: newest, Image: c.Options.CCMImage,
		LeaderMigration: flagged, Routes: c.Options.CloudRoutes == "on", CloudConfig: cloudConfig, UserValues: c.Options.Values,
		OnDelete: c.OnDelete,
	}
	inputs.Document = snap.InstallMethod == migration.InstallManifest
	for _, node := range snap.Reading.ControlPlaneNodes() {
		inputs.TrustHost = inputs.TrustHost || strings.Contains(node.Labels[corev1.LabelTopologyRegion], "-iso")
		inputs.ControlPlaneTaints = append(inputs.ControlPlaneTaints, rollout.Taints(node)...)
	}
	for _, k := range snap.Reading.KCMs {
		if !k.Known {
			continue
		}
		inputs.ClusterCIDR = migration.OrElse(inputs.ClusterCIDR, k.Args.Last("cluster-cidr"))
		var differ []string
		inputs.Surroundings, differ = inputs.Surroundings.Merge(surroundingsOf(k))
		inputs.Differ = append(inputs.Differ, differ...)
		untagged, _ := k.Args.Bool("allow-untagged-cloud", false)
		inputs.AllowUntagged = inputs.AllowUntagged || untagged
		if election, err := k.Args.Election(); err == nil {
			inputs.LeaderElection = ccmchart.LeaderElection{LeaseDuration: election.LeaseDuration,
				RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		}
	}
	if flagged && c.Options.EarlyHandOver {
		inputs.LeaderElection.RetryPeriod = earlyRetryPeriod
	}
	return inputs, nil
}

// surroundingsOf returns the environment and mounts of a kube-controller-manager, from its static
// pod if it has one.
func surroundingsOf(k migration.KCM) ccmchart.Surroundings {
	if k.Pod == nil || len(k.Pod.Containers) == 0 {
		return k.Surroundings
	}
	return ccmchart.StaticPodSurroundings(k.Pod.Containers[0])
}

// earlyRetryPeriod is the interval at which the cloud controller manager reads the leases in
// an early hand-over. A waiting candidate sees each change up to 2.2 intervals late. The
// lease duration stays that of kube-controller-manager, since candidates up to client-go
// v0.26 count their own duration. A shorter retry period only makes the manager renew more
// often and give up sooner.
const earlyRetryPeriod = 500 * time.Millisecond
