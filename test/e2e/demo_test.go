package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestDemo is the demo at real lease timings: overrides, Helm, and a load balancer and workers
// that come and go while machines roll. The same lab also tests the refusals before a migration
// and the commands after it.
func TestDemo(t *testing.T) {
	lab := boot(t)
	t.Run("refused", func(t *testing.T) { refusedAtTheStart(t, lab) })
	ctx := within(t, 25*time.Minute)
	t.Run("audited before", func(t *testing.T) { auditedAt(ctx, t, lab, "P0", beforeMigration()) })
	asOnRealMachines(ctx, t, lab, "p0")
	course := follow(ctx, t, lab)
	begun, record := time.Now(), recordIn(lab, "run")
	evidence, err := scenario.DemoOn(ctx, lab, testWriter{t}, nil, "--record", record)
	if err != nil {
		t.Fatal(err)
	}
	wroteAsSimulated(t, lab, begun, "rke2")
	for _, controller := range evidence.Observation.Controllers {
		if controller.Name == "route" {
			continue // --cloud-routes is off: no process must take it over
		}
		for _, gap := range controller.Gaps {
			if gap.After == nil || gap.Seconds > 60 {
				t.Errorf("%s ran nowhere for %.1f s", controller.Name, gap.Seconds)
			}
		}
	}
	if _, tally := asObserved(ctx, t, lab, record); tally.Intervals == 0 || tally.Gaps == 0 {
		t.Errorf("%+v were compared", tally)
	}
	if runs := keptAsObserved(ctx, t, lab); len(runs) != 1 {
		t.Errorf("the journal has records of %v, wanted of one run", runs)
	}
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "report", "--cluster", "demo", "--run", "last", "-o", "markdown")
	if err != nil || code != 0 || !strings.Contains(stdout, "switch-provider") {
		t.Errorf("the record with the journal: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	asOnRealMachines(ctx, t, lab, "p5")
	wentAsOnRealMachines(t, lab, course)
	t.Run("audited after", func(t *testing.T) {
		auditedAt(ctx, t, lab, "P5", afterMigration())
		auditedWithRights(ctx, t, lab)
	})
	t.Run("again", func(t *testing.T) { migratedIsLeftAlone(t, lab) })
}
