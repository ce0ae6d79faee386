//go:build slow

package e2e

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestEarlyHandOver makes the cloud controller manager lead before the switch, at real lease
// timings. The run is killed right after the fence. The lease recovers without help, the next
// run continues, and the switch needs no hand-over.
func TestEarlyHandOver(t *testing.T) {
	lab := boot(t)
	ctx, start := within(t, 25*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	early := func(until string) {
		t.Helper()
		code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, run("--hand-over", "early", "--until", until)...)
		if err != nil || code != 0 {
			t.Fatalf("until %s: exit %d, %v\n%s%s", until, code, err, stdout, stderr)
		}
	}
	early("install-ccm")
	fenced := time.Now()
	killedBehindTheFence(ctx, t, lab)
	if err := scenario.Until(ctx, "the cloud controller manager to lead", func(ctx context.Context) (bool, string, error) {
		holder, err := holderOfMigrationLease(ctx, lab)
		main, errMain := lab.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, "cloud-controller-manager", metav1.GetOptions{})
		if err != nil || errMain != nil {
			return false, "", err
		}
		return main.Spec.HolderIdentity != nil && *main.Spec.HolderIdentity == holder, holder, nil
	}); err != nil {
		t.Fatal(err)
	}
	led := time.Now()
	early("hand-over")
	onlyGapOfAtMost(ctx, t, lab, fenced, 14*time.Second)
	early("verify")
	noGap(ctx, t, lab, led)
	early("disable-leader-migration")
	judgeEnd(ctx, t, lab, before, start)
}

// killedBehindTheFence kills a run that has just fenced the holder.
func killedBehindTheFence(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	running, err := lab.Start(ctx, testWriter{t}, run("--hand-over", "early", "--until", "hand-over")...)
	must(t, err)
	if err := scenario.Until(ctx, "the lease to be fenced", func(ctx context.Context) (bool, string, error) {
		holder, err := holderOfMigrationLease(ctx, lab)
		return strings.HasPrefix(holder, "awsmigrate-fence_"), holder, err
	}); err != nil {
		t.Fatal(err)
	}
	must(t, running.Signal(syscall.SIGKILL))
	<-running.Done()
}

func holderOfMigrationLease(ctx context.Context, lab *scenario.Lab) (string, error) {
	found, err := lab.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, "cloud-provider-extraction-migration", metav1.GetOptions{})
	if err != nil || found.Spec.HolderIdentity == nil {
		return "", err
	}
	return *found.Spec.HolderIdentity, nil
}

// onlyGapOfAtMost checks that the observer saw exactly one gap, the hand-over, of bounded
// length.
func onlyGapOfAtMost(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time, longest time.Duration) {
	t.Helper()
	observed, text, err := lab.Observe(ctx, since)
	must(t, err)
	gaps := observed.Of(scenario.Service).Gaps
	if observed.Overlaps() != 0 || len(gaps) != 1 || gaps[0].Seconds <= 0 || gaps[0].Seconds > longest.Seconds() {
		t.Errorf("gaps %+v, wanted one of at most %s, and no overlap\n%s", gaps, longest, text)
	}
	for _, gap := range gaps {
		t.Logf("%.1f s without the service controller at the hand-over", gap.Seconds)
	}
}

func noGap(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	observed, text, err := lab.Observe(ctx, since)
	must(t, err)
	if gaps := observed.Of(scenario.Service).Gaps; observed.Overlaps() != 0 || len(gaps) != 0 {
		t.Errorf("gaps %+v at the switch\n%s", gaps, text)
	}
}

// handOvers is the environment variable with the number of hand-overs to measure; the default
// is 3.
const handOvers = "AWSMIGRATE_HANDOVERS"

// mostCleared is the maximum time without a service controller if a kubelet shows the end of
// the previous holder, on a busy machine.
const mostCleared = 4 * time.Second

// TestHandOversMeasured repeats hand-overs. The observer measures the time without a service
// controller.
func TestHandOversMeasured(t *testing.T) {
	times := 3
	if given := os.Getenv(handOvers); given != "" {
		var err error
		times, err = strconv.Atoi(given)
		must(t, err)
	}
	lab := beforeHandOver(t)
	ctx := within(t, time.Duration(10+3*times)*time.Minute)
	for i := range times {
		if i > 0 {
			freshManagers(ctx, t, lab)
		}
		givenBack(ctx, t, lab)
		runDuel(ctx, t, lab, adversary{gap: mostCleared, says: []string{"(aws-cloud-controller-manager), renewing"}})
		if t.Failed() {
			return
		}
	}
}
