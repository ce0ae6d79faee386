//go:build slow

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestJobOfManagedRKE migrates an RKE cluster that Rancher manages by a printed Job, in another
// namespace than the cluster's own, with only the rights of its roles. It reaches the cluster
// by the kubeconfig that Rancher keeps.
func TestJobOfManagedRKE(t *testing.T) {
	bin, err := filepath.Abs("../../bin")
	must(t, err)
	lab := boot(t, append(scenario.JobFlags(bin), "--distro", "rke1", "--aws-block", "--lease", quick)...)
	ctx, start := within(t, 20*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	job, err := lab.ApplyJobFor(ctx, scenario.ManagedID, "--distribution", "rke")
	must(t, err)
	complete(ctx, t, job, 0)
	judgeEnd(ctx, t, lab, before, start)
	later := scenario.Right{Verb: "patch", Resource: "configmaps", Namespace: scenario.ManagedID, Name: "awsmigrate.record." + scenario.ManagedID} // the record of a second run
	rightsAreThoseUsed(ctx, t, lab, "system:serviceaccount:fleet-default:awsmigrate-"+scenario.ManagedID, later)
}
