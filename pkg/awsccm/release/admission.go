package release

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Admission is the API server's answer for one pod of the DaemonSet.
type Admission struct {
	Accepted bool
	// Refusal is the API server's own text, or empty if the pod is accepted.
	Refusal string
	// Assumed describes what the request had to omit, or is empty.
	Assumed string
}

// TryAdmission asks the API server in a dry run, which creates nothing, whether it would accept
// a pod of the DaemonSet. A DaemonSet itself is always accepted. Pod Security, policy engines
// and quotas judge only the pods, and only events show their refusal later. The pod is not
// bound to a node.
//
// It returns an error if there is no answer: no right to create pods, or a webhook without dry
// run.
func TryAdmission(ctx context.Context, client kubernetes.Interface, ds *appsv1.DaemonSet) (Admission, error) {
	pod := &corev1.Pod{
		ObjectMeta: *ds.Spec.Template.ObjectMeta.DeepCopy(),
		Spec:       *ds.Spec.Template.Spec.DeepCopy(),
	}
	pod.Name, pod.GenerateName, pod.Namespace = "", ds.Name+"-", ds.Namespace
	var out Admission
	account := pod.Spec.ServiceAccountName
	_, err := client.CoreV1().ServiceAccounts(ds.Namespace).Get(ctx, account, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		// The installation creates the service account; admission refuses a pod without one.
		pod.Spec.ServiceAccountName = "default"
		out.Assumed = "service account default instead of " + account + ", which is not there yet"
	case err != nil:
		return Admission{}, fmt.Errorf("read ServiceAccount %s/%s: %w", ds.Namespace, account, awsccm.CouldNotLook(err))
	}
	_, err = client.CoreV1().Pods(ds.Namespace).Create(ctx, pod, metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldManager: wellknown.FieldManager,
	})
	switch {
	case err == nil:
		out.Accepted = true
		return out, nil
	case refusedByAdmission(err):
		out.Refusal = err.Error()
		return out, nil
	case strings.Contains(err.Error(), "dry run"):
		return Admission{}, &fault.Error{
			Class: fault.CouldNotLook, Reason: "WebhookWithoutDryRun", Object: "pods of DaemonSet " + ds.Namespace + "/" + ds.Name,
			Seen: "an admission webhook cannot be asked without effects", Err: err,
		}
	}
	return Admission{}, fmt.Errorf("ask whether pods of DaemonSet %s/%s are accepted: %w", ds.Namespace, ds.Name, awsccm.CouldNotLook(err))
}

// refusedByAdmission reports whether the pod was refused, and not the user's request, which is
// "forbidden" too but names a user and a verb.
func refusedByAdmission(err error) bool {
	if apierrors.IsForbidden(err) {
		return !strings.Contains(err.Error(), "cannot create resource")
	}
	text := err.Error()
	if strings.Contains(text, "does not support dry run") || strings.Contains(text, "failed calling webhook") {
		return false
	}
	return apierrors.IsInvalid(err) || strings.Contains(text, "admission webhook") || strings.Contains(text, "denied the request")
}
