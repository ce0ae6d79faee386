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

// TestUnfitToLead uses cloud controller managers whose defect only shows when they lead: one
// exits, the other gives a Service another load balancer. Both stop the run at the hand-over
// while every kube-controller-manager is in-tree. The remedy is to uninstall the cloud
// controller manager; the test logs the time that this takes.
func TestUnfitToLead(t *testing.T) {
	lab := beforeHandOver(t)
	ctx := within(t, 30*time.Minute)
	for i, a := range []adversary{
		{name: "it ends whenever it leads", behind: endsWheneverItLeads, end: waitForLeader, gap: twice, code: 3, says: []string{"awsmigrate rke2 undo"}},
		{name: "it makes another load balancer", behind: otherLoadBalancer, gap: healed, code: 3, says: []string{"Service default/web: load balancer", "awsmigrate rke2 undo"}},
	} {
		if !t.Run(a.name, func(t *testing.T) {
			if i > 0 {
				migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--hand-over", "early", "--until", "install-ccm")
				freshManagers(ctx, t, lab)
			}
			givenBack(ctx, t, lab)
			runDuel(ctx, t, lab, a)
			goesBack(ctx, t, lab)
		}) {
			return
		}
	}
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
			_ = d.lab.Lab(ctx, "kill", p.Name) // it may have exited before
		}
		return false, "killed " + holder, err
	}))
	if !led {
		t.Error("no cloud controller manager led")
	}
}

// waitForLeader waits until the unrenewed lease has found a holder.
func waitForLeader(ctx context.Context, t *testing.T, d *duel) {
	must(t, scenario.Until(ctx, "a process to run the service controller", func(ctx context.Context) (bool, string, error) {
		seen, text, err := d.lab.Observe(ctx, d.since)
		return len(seen.Of(scenario.Service).RunBy()) == 1, text, err
	}))
}

// otherLoadBalancer requests another kind of load balancer while no process runs the service
// controller. The next leader makes one with another host name.
func otherLoadBalancer(ctx context.Context, t *testing.T, d *duel) {
	_, err := d.lab.Kubectl(ctx, "", "-n", "default", "annotate", "service", "web", "service.beta.kubernetes.io/aws-load-balancer-type=nlb")
	must(t, err)
}

// goesBack uninstalls the cloud controller manager and waits until a kube-controller-manager
// runs the cloud controllers.
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
