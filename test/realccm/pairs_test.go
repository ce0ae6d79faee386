//go:build realccm

package realccm_test

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/realccm"
)

// Each CCM initialises a Node and makes a load balancer with the chart's arguments and roles, and
// removes both. No request is refused by RBAC.
func TestPairs(t *testing.T) {
	account := realccm.NewAccount(t)
	for _, p := range realccm.Pairs() {
		t.Run(p.CCM, func(t *testing.T) {
			cluster := realccm.NewCluster(t, p)
			for _, flagged := range []bool{false, true} {
				r := realccm.Run{Pair: p, LeaderMigration: flagged, Hosts: realccm.PublicNames(), Trusted: true, Role: aws.RoleControlPlane, Whole: true}
				got := r.Do(t, cluster, account)
				fmt.Printf("| %s | %s | %s | %v | %.1f | %.1f | %d of %d | %d of %d |\n", p.CCM, p.SDK, p.Server, flagged,
					got.Initialised.Seconds(), got.Balanced.Seconds(), len(got.Forbidden), got.Requests, len(got.Refused), got.Calls)
				if got.Initialised == 0 || got.Balanced == 0 || got.Error != "" {
					t.Errorf("leader migration %v: %+v", flagged, got)
				}
				if len(got.Forbidden) > 0 || got.Requests == 0 || len(got.Refused) > 0 {
					t.Errorf("leader migration %v: refused by RBAC %v of %d, by AWS %v", flagged, got.Forbidden, got.Requests, got.Refused)
				}
				want := []string{"cloud-controller-manager"}
				if flagged {
					want = []string{"cloud-controller-manager", "cloud-provider-extraction-migration"}
				}
				if !slices.Equal(got.Leases, want) {
					t.Errorf("leader migration %v: holds %v, wanted %v", flagged, got.Leases, want)
				}
			}
		})
	}
}

// Without a right of the chart a request is refused, and counted.
func TestPairs_missingRight_isRefused(t *testing.T) {
	account := realccm.NewAccount(t)
	p := realccm.Pairs()[0]
	r := realccm.Run{Pair: p, Hosts: realccm.PublicNames(), Trusted: true, Role: aws.RoleControlPlane, Change: func(objects []unstructured.Unstructured) {
		for _, o := range objects {
			if o.GetKind() == "ClusterRole" && o.GetName() == "system:cloud-controller-manager" {
				o.Object["rules"] = slices.DeleteFunc(o.Object["rules"].([]any), func(rule any) bool {
					return slices.Contains(rule.(map[string]any)["resources"].([]any), any("nodes"))
				})
			}
		}
	}}
	if got := r.Do(t, realccm.NewCluster(t, p), account); len(got.Forbidden) == 0 || got.Balanced > 0 {
		t.Errorf("nothing was refused: %+v", got)
	}
}
