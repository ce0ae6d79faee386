package chart

import (
	"context"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// installJob is the Job that RKE2's helm controller creates for awsmigrate's HelmChart
// (k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9).
const installJob = "helm-install-" + wellknown.CCM

// installJobFault returns an error if the helm controller's Job failed.
func (c Chart) installJobFault(ctx context.Context, snap migration.Snapshot) error {
	if snap.InstallMethod != migration.InstallManifest {
		return nil
	}
	object := "Job kube-system/" + installJob
	job, err := c.Kube.BatchV1().Jobs(wellknown.System).Get(ctx, installJob, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return migration.CouldNotRead(object, err)
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return &fault.Error{Class: fault.Check, Reason: "InstallJobFailed", Object: object, Seen: condition.Reason + ": " + condition.Message,
				Wanted: "a Job that completes", Fix: fault.Command("kubectl", "-n", wellknown.System, "logs", "job/"+installJob)}
		}
	}
	return nil
}

// missingRights returns an error if the CCM's service account lacks rights. A CCM without
// rights on leases is Ready but never leads, and nothing else shows the cause.
func (c Chart) missingRights(ctx context.Context, snap migration.Snapshot) error {
	if snap.Reading.Down.CCM == nil {
		return nil
	}
	account := snap.Reading.Down.CCM.ServiceAccount
	object := "ServiceAccount kube-system/" + account
	missing, err := kube.MissingRights(ctx, c.Kube, wellknown.System, account, snap.Reading.CCMEvidence().Migration)
	switch {
	case err != nil:
		return migration.CouldNotRead("rights of "+object, err)
	case len(missing) == 0:
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "MissingRights", Object: object, Seen: "may not " + strings.Join(missing, ", "),
		Wanted: "the rights of the chart's ClusterRole and Role",
		Fix:    "take clusterRoleRules out of --values, or add the rules there"}
}
