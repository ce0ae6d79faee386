//go:build slow

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestUnfitToLead has a cloud controller manager that ends whenever it leads, and only
// then: it stops the run at the hand-over, while every kube-controller-manager is in-tree,
// and the way back is to uninstall it; how long that takes is told.
func TestUnfitToLead(t *testing.T) {
	lab := beforeHandOver(t)
	ctx := within(t, 20*time.Minute)
	givenBack(ctx, t, lab)
	fight(ctx, t, lab, adversary{behind: endsWheneverItLeads, end: somebodyLeads, gap: twice, code: 3, says: []string{"awsmigrate rke2 undo"}})
	goesBack(ctx, t, lab)
}

// endsWheneverItLeads kills every cloud controller manager as soon as one has the migration
// lease, until the run has ended.
func endsWheneverItLeads(ctx context.Context, t *testing.T, d *duel) {
	led := false
	must(t, scenario.Until(ctx, "the run to end", func(ctx context.Context) (bool, string, error) {
		if d.run.Ended() != nil {
			return true, "", nil
		}
		main, err := d.lab.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, scenario.CCMLease, metav1.GetOptions{})
		if err != nil || main.Spec.HolderIdentity == nil {
			return false, "", err
		}
		holder, err := holderOfMigrationLease(ctx, d.lab)
		if err != nil || holder != *main.Spec.HolderIdentity {
			return false, fmt.Sprintf("%s has it, led %t", holder, led), err
		}
		led = true
		running, err := d.lab.Running(scenario.CloudControllerManager)
		for _, p := range running {
			_ = d.lab.Lab(ctx, "kill", p.Name) // it may have ended by itself
		}
		return false, "killed " + holder, err
	}))
	if !led {
		t.Error("no cloud controller manager led")
	}
}

// somebodyLeads waits until the lease that nobody renewed has found a holder.
func somebodyLeads(ctx context.Context, t *testing.T, d *duel) {
	must(t, scenario.Until(ctx, "somebody to run the service controller", func(ctx context.Context) (bool, string, error) {
		seen, text, err := d.lab.Observe(ctx, d.since)
		return len(seen.Of(scenario.Service).RunBy()) == 1, text, err
	}))
}

// goesBack uninstalls the cloud controller manager, and has a kube-controller-manager run
// the cloud controllers.
func goesBack(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	began := time.Now()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("undo", "--yes", "--until", "undo-install-ccm")...)
	if err != nil || code != 0 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	t.Logf("back after %.0f s", time.Since(began).Seconds())
	runBy(ctx, t, lab, began, scenario.KubeControllerManager, scenario.Service)
}
