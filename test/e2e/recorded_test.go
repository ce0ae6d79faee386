package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/test/recorded"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// recordIn returns a new file next to the lab's own records, which are kept if a test fails.
func recordIn(lab *scenario.Lab, name string) string { return filepath.Join(lab.Dir, name+".jsonl") }

// asObserved compares a record with the lab's observer, which read nothing of it.
func asObserved(ctx context.Context, t *testing.T, lab *scenario.Lab, file string) (judge.Result, recorded.Tally) {
	t.Helper()
	return asTrue(ctx, t, lab, file, false)
}

// asTrue is asObserved for processes that may have been frozen for a while.
func asTrue(ctx context.Context, t *testing.T, lab *scenario.Lab, file string, frozen bool) (judge.Result, recorded.Tally) {
	t.Helper()
	result, err := scenario.ReadRecord(file)
	if err != nil {
		t.Fatal(err)
	}
	return result, compareRecord(ctx, t, lab, filepath.Base(file), result, frozen)
}

// compareRecord compares the judgement of a record with the observer.
func compareRecord(ctx context.Context, t *testing.T, lab *scenario.Lab, name string, result judge.Result, frozen bool) recorded.Tally {
	t.Helper()
	truth, text, err := lab.Observed(ctx)
	if err != nil {
		t.Fatal(err)
	}
	truth.Frozen = frozen
	problems, tally := recorded.Wrong(result, truth)
	for _, problem := range problems {
		t.Errorf("record %s: %s", name, problem)
	}
	if len(problems) > 0 {
		t.Logf("the observer saw\n%s", text)
	}
	t.Logf("record %s against the observer: %+v", name, tally)
	return tally
}

// keptAsObserved compares the records that runs kept with their journal with the observer, and
// returns the runs that have one.
func keptAsObserved(ctx context.Context, t *testing.T, lab *scenario.Lab) []string {
	t.Helper()
	kept, err := lab.Archive(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range kept.Runs() {
		packed, err := kept.Of(run)
		if err != nil {
			t.Fatal(err)
		}
		judged := judge.New()
		if torn, err := archive.Read(packed, judged.Put); err != nil || len(torn) > 0 {
			t.Fatalf("the record of run %s: %v, %v", run, torn, err)
		}
		result := judged.Result()
		if !slices.ContainsFunc(result.Runs, func(r judge.Run) bool { return r.ID == run }) {
			t.Errorf("the record of run %s is of %+v", run, result.Runs)
		}
		compareRecord(ctx, t, lab, "of run "+run, result, false)
	}
	return kept.Runs()
}

// recording records the lab until end is called, as a user does during a run.
func recording(ctx context.Context, t *testing.T, lab *scenario.Lab, file string) (end func()) {
	t.Helper()
	return recordingOf(ctx, t, lab, file, "--cluster", "demo")
}

// recordingOf records the cluster that flags name.
func recordingOf(ctx context.Context, t *testing.T, lab *scenario.Lab, file string, flags ...string) (end func()) {
	t.Helper()
	run, err := lab.Start(ctx, testWriter{t}, append([]string{"record", "--record", file}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	err = scenario.Until(ctx, "the record to begin", func(context.Context) (bool, string, error) {
		text, err := os.ReadFile(filepath.Clean(file))
		if ended := run.Ended(); ended != nil {
			t.Fatalf("%v\n%s", ended, run.Stderr())
		}
		return bytes.Contains(text, []byte(`"begun":{"stream":"leases"}`)) && bytes.Contains(text, []byte(`"begun":{"stream":"pods"}`)), run.Stderr(), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := run.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(ctx); err != nil { // its exit code depends on what it saw
			t.Fatal(err)
		}
	}
}
