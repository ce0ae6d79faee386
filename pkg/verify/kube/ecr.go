package kube

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// onECR reports whether a pod pulls an image from ECR.
func onECR(spec corev1.PodSpec) bool {
	return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c corev1.Container) bool { return downstream.OnECR(c.Image) })
}

func accountOf(spec corev1.PodSpec) string { return cmp.Or(spec.ServiceAccountName, "default") }

// maxAccountPods is the maximum number of ServiceAccounts of which a pod is read.
const maxAccountPods = 20

// addPullSecrets finds imagePullSecrets that a ServiceAccount gives to its pods. Admission copies
// them into a pod whose template has none (kubernetes/kubernetes:
// plugin/pkg/admission/serviceaccount/admission.go@v1.26.13, Admit), so one pod shows them
// without a right to ServiceAccounts. Without a pod, a workload counts as one without secrets.
func (r Reader) addPullSecrets(ctx context.Context, workloads []downstream.Workload) {
	type account struct{ namespace, name string }
	known := map[account]bool{}
	for i, w := range workloads {
		if !w.ECR || w.PullSecrets || len(w.PodLabels) == 0 {
			continue
		}
		key := account{w.Namespace, w.ServiceAccount}
		if _, asked := known[key]; !asked && len(known) < maxAccountPods {
			known[key] = r.podHasPullSecrets(ctx, w)
		}
		workloads[i].PullSecrets = known[key]
	}
}

// podHasPullSecrets reports whether a pod with the labels and the ServiceAccount of the workload's
// template has imagePullSecrets.
func (r Reader) podHasPullSecrets(ctx context.Context, w downstream.Workload) bool {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	pods, err := r.Kube.CoreV1().Pods(w.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(w.PodLabels).String(), Limit: 1})
	return err == nil && len(pods.Items) > 0 && accountOf(pods.Items[0].Spec) == w.ServiceAccount && len(pods.Items[0].Spec.ImagePullSecrets) > 0
}
