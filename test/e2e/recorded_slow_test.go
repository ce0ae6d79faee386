//go:build slow

package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestRecordedAsObserved records the runs with most hand-overs: a migration with an early
// hand-over, its undo from the end, and a leader that is frozen until another leads. The
// observer confirms everything that the records are judged to show.
func TestRecordedAsObserved(t *testing.T) {
	lab := boot(t)
	ctx := within(t, 40*time.Minute)
	t.Run("a migration with an early hand-over", func(t *testing.T) {
		early := runRecorded(ctx, t, lab, "early", run("--hand-over", "early", "--no-etcd-snapshot")...)
		if o := handedOver(early); o.Kind != judge.Excluded || o.First.Container == "" {
			t.Errorf("the hand-over by a fenced holder whose container ended in place: %+v", o)
		}
	})
	t.Run("its undo", func(t *testing.T) { runRecorded(ctx, t, lab, "undo", lab.Command("undo", "--yes")...) })
	t.Run("a leader that freezes", func(t *testing.T) {
		file := recordIn(lab, "still")
		ended := recording(ctx, t, lab, file)
		freezeLeader(ctx, t, lab)
		ended()
		if _, tally := asTrue(ctx, t, lab, file, true); tally.TrueOverlaps == 0 {
			t.Errorf("%+v: no overlap was made", tally)
		}
	})
}

// runRecorded runs a command with a record and compares the record with the observer.
func runRecorded(ctx context.Context, t *testing.T, lab *scenario.Lab, name string, args ...string) judge.Result {
	t.Helper()
	file := recordIn(lab, name)
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, append(args, "--record", file)...)
	if err != nil || code != 0 {
		t.Fatalf("%s: exit %d, %v\n%s%s", name, code, err, stdout, stderr)
	}
	result, tally := asObserved(ctx, t, lab, file)
	if tally.Intervals == 0 || tally.Gaps == 0 {
		t.Errorf("%s: %+v were compared", name, tally)
	}
	return result
}

// handedOver returns the judgement of the service controller's hand-over from a
// kube-controller-manager to the cloud controller manager, or the zero value if the record has
// none.
func handedOver(r judge.Result) judge.Overlap {
	for _, l := range r.Lanes {
		i := slices.IndexFunc(l.Overlaps, func(o judge.Overlap) bool {
			return o.First.Program == scenario.KubeControllerManager && o.Second.Program == scenario.CloudControllerManager
		})
		if l.Controller == judge.Service && i >= 0 {
			return l.Overlaps[i]
		}
	}
	return judge.Overlap{}
}

// freezeLeader freezes the process that runs the service controller until another one runs it,
// too, then thaws it and waits for its exit.
func freezeLeader(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	since := time.Now()
	by := func(ctx context.Context) ([]scenario.ObservedProcess, error) {
		seen, _, err := lab.Observe(ctx, since)
		return seen.Of(scenario.Service).RunBy(), err
	}
	first, err := by(ctx)
	if err != nil || len(first) != 1 {
		t.Fatalf("the service controller is run by %v, %v", first, err)
	}
	must(t, lab.Lab(ctx, "kill", first[0].Name, "--signal", "STOP"))
	must(t, scenario.Until(ctx, "another to run it", func(ctx context.Context) (bool, string, error) {
		now, err := by(ctx)
		return len(now) == 2, fmt.Sprint(now), err
	}))
	must(t, lab.Lab(ctx, "kill", first[0].Name, "--signal", "CONT"))
	must(t, scenario.Until(ctx, "the first to end", func(ctx context.Context) (bool, string, error) {
		now, err := by(ctx)
		return len(now) == 1 && now[0] != first[0], fmt.Sprint(now), err
	}))
}
