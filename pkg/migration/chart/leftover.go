package chart

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// HelmObject names Helm's release of the chart in intents and messages.
const HelmObject = "Helm release kube-system/" + wellknown.CCM

// RecordLeft reports whether Helm's record of a release exists without its DaemonSet. It
// considers only a release that the journal announced, since RKE2's helm controller creates
// records of the same name.
func (c Chart) RecordLeft(ctx context.Context, record journal.Record, down downstream.Cluster) (bool, error) {
	announced := func(i journal.Intent) bool { return i.Object == HelmObject }
	if down.CCM != nil || !slices.ContainsFunc(record.Intents, announced) {
		return false, nil
	}
	records, err := c.Kube.CoreV1().Secrets(wellknown.System).List(ctx, metav1.ListOptions{LabelSelector: "owner=helm,name=" + wellknown.CCM, Limit: 1})
	if err != nil {
		return false, migration.CouldNotRead("Helm's records in kube-system", err)
	}
	return len(records.Items) > 0, nil
}

// Left describes the remains of an installation in a cluster whose position has none, or
// returns "".
func Left(r migration.Reading) string {
	switch {
	case r.Down.Record:
		return HelmObject + " is recorded still"
	case r.Down.CCM == nil && len(r.Down.CCMPods) > 0:
		return "pods of the cloud controller manager are left"
	case r.Down.CCM == nil && LeaseLeft(r):
		return "the cloud controller manager's own lease is left"
	}
	return ""
}

// LeaseLeft reports whether the main lease of awsmigrate's CCM exists. The field manager of
// the last write identifies the CCM.
func LeaseLeft(r migration.Reading) bool {
	return r.Leases.CCM.Last.Exists && r.Leases.CCM.Last.Manager == wellknown.CCM
}
