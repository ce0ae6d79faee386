package migration

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// installJob is the Job that RKE2's helm controller makes for our HelmChart
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
const installJob = "helm-install-" + CCMName

// installJobFault names why the helm controller's Job does not finish.
func (c *Core) installJobFault(ctx context.Context) error {
	if c.Options.InstallMethod != InstallManifest {
		return nil
	}
	object := "Job kube-system/" + installJob
	job, err := c.Kube.BatchV1().Jobs(kubeSystem).Get(ctx, installJob, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return CouldNotRead(object, err)
	}
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return &fault.Error{Class: fault.Check, Reason: "InstallJobFailed", Object: object, Seen: c.Reason + ": " + c.Message,
				Wanted: "a Job that completes", Fix: "kubectl -n kube-system logs job/" + installJob}
		}
	}
	return nil
}

// missingRights names a right that the CCM's service account lacks. Without the
// leases a CCM is Ready and never leads; nothing else tells.
func (c *Core) missingRights(ctx context.Context) error {
	if c.Reading.Down.CCM == nil {
		return nil
	}
	account := "system:serviceaccount:kube-system:" + c.Reading.Down.CCM.Spec.Template.Spec.ServiceAccountName
	for _, need := range []authorizationv1.ResourceAttributes{
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "create", Namespace: kubeSystem},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "get", Namespace: kubeSystem, Name: MigrationLease},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "update", Namespace: kubeSystem, Name: MigrationLease},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "update", Namespace: kubeSystem, Name: ccmLease},
		{Resource: "nodes", Verb: "list"}, {Resource: "nodes", Verb: "watch"}, {Resource: "nodes", Verb: "delete"},
		{Resource: "nodes", Subresource: "status", Verb: "patch"},
		{Resource: "services", Verb: "list"}, {Resource: "services", Verb: "watch"},
		{Resource: "services", Subresource: "status", Verb: "patch"},
		{Resource: "events", Verb: "create"},
	} {
		attributes := need
		review, err := c.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: account, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
				ResourceAttributes: &attributes}}, metav1.CreateOptions{})
		if err != nil {
			return CouldNotRead("SubjectAccessReview for "+account, err)
		}
		if !review.Status.Allowed {
			what := need.Verb + " " + need.Resource
			if need.Subresource != "" {
				what += "/" + need.Subresource
			}
			return &fault.Error{Class: fault.Check, Reason: "MissingRights", Object: account, Seen: "may not " + what,
				Wanted: fmt.Sprintf("the right, as in the chart's ClusterRole (Lease %s among them)", MigrationLease),
				Fix:    "take clusterRoleRules out of --values, or add the rule there"}
		}
	}
	return nil
}
