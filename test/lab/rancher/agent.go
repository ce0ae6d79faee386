package rancher

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	agentNamespace = "cattle-system"
	agentName      = "cattle-cluster-agent"
	agentImage     = "lab/pause:1"
)

// reconcileAgent deploys the cluster agent downstream and records whether it is connected: at
// least one of its pods is Running and Ready. While the downstream API does not answer, the
// last result stays, because the tunnel does not use that API.
func (r *Rancher) reconcileAgent(ctx context.Context) error {
	clusters, err := r.list(ctx, gvrControlPlane, "", "")
	if err != nil || len(clusters) == 0 {
		return err
	}
	connected := r.agent.up()
	seen, seenErr := r.agentRuns(ctx, controlPlaneTaints())
	if seenErr == nil {
		connected = r.agent.set(ctx, seen)
	}
	errs := []error{seenErr}
	for i := range clusters {
		errs = append(errs, r.writeConnected(ctx, &clusters[i], connected))
	}
	return errors.Join(errs...)
}

func (r *Rancher) writeConnected(ctx context.Context, cp *object, connected bool) error {
	now := r.cfg.Clock.Now()
	err := r.mutateStatus(ctx, gvrManagementCluster, "", str(cp, "spec", "managementClusterName"), func(o *object) error {
		link := condition{Type: "Connected", Status: "True"}
		ready := condition{Type: "Ready", Status: "True"}
		if !connected {
			link.Status = "False"
			ready = condition{Type: "Ready", Status: "False", Reason: "Disconnected", Message: "Cluster agent is not connected"}
		}
		return errors.Join(setCondition(o, link, now, false), setCondition(o, ready, now, false))
	})
	if err != nil {
		return err
	}
	return r.settleStatus(ctx, gvrControlPlane, cp, func(o *object) error {
		return unstructured.SetNestedField(o.Object, connected, "status", "agentConnected")
	})
}

// controlPlaneTaints returns Rancher's own taints, which the agent tolerates. In Rancher the
// first machine's roles select one of the two; here it is both.
func controlPlaneTaints() []corev1.Taint {
	return nodeTaints(target{Labels: map[string]string{labelControlPlane: "true", labelEtcd: "true"}})
}

// agentRuns ensures the Deployment and reports whether a pod of it is ready.
func (r *Rancher) agentRuns(ctx context.Context, taints []corev1.Taint) (bool, error) {
	nodes, err := r.downstreamNodes(ctx)
	if err != nil {
		return false, err
	}
	if err := r.ensureAgent(ctx, taints, agentReplicas(nodes)); err != nil {
		return false, err
	}
	pods, err := r.down.CoreV1().Pods(agentNamespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + agentName})
	if err != nil {
		return false, fmt.Errorf("listing pods of %s: %w", agentName, err)
	}
	for i := range pods.Items {
		if podRuns(&pods.Items[i]) {
			return true, nil
		}
	}
	return false, nil
}

func podRuns(p *corev1.Pod) bool {
	if p.DeletionTimestamp != nil || p.Status.Phase != corev1.PodRunning {
		return false
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// agentReplicas is two if there are nodes for two (annotation
// management.cattle.io/scale-available of the agent's template).
func agentReplicas(nodes []corev1.Node) int32 {
	if len(nodes) > 1 {
		return 2
	}
	return 1
}

func (r *Rancher) ensureAgent(ctx context.Context, taints []corev1.Taint, replicas int32) error {
	have, err := r.down.AppsV1().Deployments(agentNamespace).Get(ctx, agentName, metav1.GetOptions{})
	if err == nil {
		if have.Spec.Replicas != nil && *have.Spec.Replicas >= replicas {
			return nil
		}
		have.Spec.Replicas = &replicas
		_, err = r.down.AppsV1().Deployments(agentNamespace).Update(ctx, have, metav1.UpdateOptions{})
		return err
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	meta := metav1.ObjectMeta{Namespace: agentNamespace, Name: "cattle"}
	_, err = r.down.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: agentNamespace}}, metav1.CreateOptions{})
	if err == nil || apierrors.IsAlreadyExists(err) {
		_, err = r.down.CoreV1().ServiceAccounts(agentNamespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	}
	if err == nil || apierrors.IsAlreadyExists(err) {
		_, err = r.down.AppsV1().Deployments(agentNamespace).Create(ctx, agentDeployment(taints, replicas), metav1.CreateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("deploying %s/%s: %w", agentNamespace, agentName, err)
	}
	return nil
}

// agentDeployment returns the agent's Deployment. It tolerates Rancher's taints, but neither an
// uninitialized nor a cordoned node. Source: rancher/rancher:pkg/systemtemplate/template.go,
// pkg/settings/affinity.go@v2.8.5.
func agentDeployment(taints []corev1.Taint, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": agentName}
	zero, one := intstr.FromInt32(0), intstr.FromInt32(1)
	var tolerations []corev1.Toleration
	for _, t := range taints {
		tolerations = append(tolerations, corev1.Toleration{Key: t.Key, Value: t.Value, Effect: t.Effect})
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: agentName,
			Annotations: map[string]string{"management.cattle.io/scale-available": "2"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &zero, MaxSurge: &one}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: "cattle",
					Affinity:           agentAffinity(),
					Tolerations:        tolerations,
					Containers:         []corev1.Container{{Name: "cluster-register", Image: agentImage, ImagePullPolicy: corev1.PullIfNotPresent}},
				},
			},
		},
	}
}

func agentAffinity() *corev1.Affinity {
	prefer := func(weight int32, key string) corev1.PreferredSchedulingTerm {
		return corev1.PreferredSchedulingTerm{Weight: weight, Preference: corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{"true"}}}}}
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "beta.kubernetes.io/os", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"windows"}}}}}},
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			prefer(100, "node-role.kubernetes.io/controlplane"), prefer(100, "node-role.kubernetes.io/control-plane"),
			prefer(100, "node-role.kubernetes.io/master"), prefer(1, "cattle.io/cluster-agent"),
		},
	}}
}
