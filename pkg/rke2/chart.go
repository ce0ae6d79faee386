package rke2

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// chartRef is the HelmChart document of the install method additional-manifest.
var chartRef = config.Chart{Namespace: kubeSystem, Name: ccmName}

// chartValues computes chart and values for this cluster.
func (p *Procedure) chartValues(ctx context.Context, migration bool) (*chart.Chart, awsccm.ChartValues, error) {
	ch, err := awsccm.LoadChart(ctx, p.options.ChartPath, http.DefaultClient)
	if err != nil {
		return nil, awsccm.ChartValues{}, err
	}
	inputs, err := p.chartInputs(ctx, migration)
	if err != nil {
		return nil, awsccm.ChartValues{}, err
	}
	inputs.Chart = ch
	values, err := awsccm.Values(inputs)
	return ch, values, err
}

func (p *Procedure) chartInputs(ctx context.Context, migration bool) (awsccm.Inputs, error) {
	cloudConfig, err := p.cloudConfig(ctx)
	if err != nil {
		return awsccm.Inputs{}, err
	}
	inputs := awsccm.Inputs{
		Distribution: awsccm.RKE2, KubernetesVersion: p.view.Cluster.Spec.KubernetesVersion, Image: p.options.CCMImage,
		LeaderMigration: migration, Routes: p.options.CloudRoutes == "on", CloudConfig: cloudConfig, UserValues: p.options.Values,
	}
	for _, node := range p.controlPlaneNodes() {
		inputs.ControlPlaneTaints = append(inputs.ControlPlaneTaints, node.Spec.Taints...)
	}
	for _, k := range p.view.KCMs() {
		if k.Pod == nil {
			continue
		}
		inputs.ClusterCIDR = orElse(inputs.ClusterCIDR, k.Args.Last("cluster-cidr"))
		untagged, _ := k.Args.Bool("allow-untagged-cloud", false)
		inputs.AllowUntagged = inputs.AllowUntagged || untagged
		if election, err := k.Args.Election(); err == nil {
			inputs.LeaderElection = awsccm.LeaderElection{LeaseDuration: election.LeaseDuration,
				RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod}
		}
	}
	return inputs, nil
}

// controlPlaneNodes are the Nodes the CCM has to run on.
func (p *Procedure) controlPlaneNodes() []corev1.Node {
	var nodes []corev1.Node
	for i := range p.view.Down.Nodes {
		if _, ok := p.view.Down.Nodes[i].Labels["node-role.kubernetes.io/control-plane"]; ok {
			nodes = append(nodes, p.view.Down.Nodes[i])
		}
	}
	return nodes
}

// cloudConfig is the user's, or the in-tree provider's carried over. Rancher
// keeps that one inline or as secret://namespace:name
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5).
func (p *Procedure) cloudConfig(ctx context.Context) (string, error) {
	if p.options.CloudConfig != "" {
		return p.options.CloudConfig, nil
	}
	settings := config.CloudConfigs(p.view.Cluster.Spec, p.view.Configs())
	if err := config.Agree(p.view.object(), config.KeyCloudConfig, settings); err != nil {
		return "", err
	}
	if len(settings) == 0 || settings[0].Value == "" {
		return "", nil
	}
	ref, isSecret := strings.CutPrefix(settings[0].Value, "secret://")
	if !isSecret {
		return settings[0].Value, nil
	}
	namespace, name, ok := strings.Cut(ref, ":")
	object := fmt.Sprintf("Secret %s/%s", namespace, name)
	if !ok {
		return "", &fault.Error{Class: fault.Check, Reason: "BadCloudConfigReference", Object: p.view.object(),
			Seen: "cloud-provider-config is " + settings[0].Value, Wanted: "secret://namespace:name"}
	}
	secret, err := p.clients.ManagementKube.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", couldNotRead(object, err)
	}
	text, found := secret.Data["credential"]
	if !found {
		return "", &fault.Error{Class: fault.Check, Reason: "BadCloudConfigSecret", Object: object, Seen: "no key \"credential\"", Wanted: "the cloud config there"}
	}
	return string(text), nil
}

// rollout is the CCM's DaemonSet as the install verdict judges it.
func (p *Procedure) rollout(ctx context.Context) (awsccm.Rollout, error) {
	events, err := p.clients.Downstream.CoreV1().Events(kubeSystem).List(ctx, metav1.ListOptions{Limit: pageSize})
	if err != nil {
		return awsccm.Rollout{}, couldNotRead("Events in kube-system", err)
	}
	r := awsccm.Rollout{Now: p.clock.Now(), DaemonSet: p.view.Down.CCM, Pods: p.view.Down.CCMPods, Nodes: p.controlPlaneNodes()}
	for i := range events.Items {
		if strings.HasPrefix(events.Items[i].InvolvedObject.Name, ccmName) {
			r.Events = append(r.Events, events.Items[i])
		}
	}
	return r, nil
}
