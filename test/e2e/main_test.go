package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// quick holds leader election durations for tests that do not measure gaps: a hand-over takes
// seconds, and a busy machine does not cost a leader its lease.
const quick = "12s/9s/1s"

// booting allows one boot of a lab at a time, because a boot is the heaviest work of a lab.
var booting sync.Mutex

// boot starts a lab for a test and ends it with the test. The lab's records are kept if the
// test fails. A migration mostly waits for pods and kubelets, so four labs run at once on two
// cores. Its commands hand over with the switch, which most tests disturb. The tests of the
// early hand-over, of Jobs and of the controller name it or use the default.
func boot(t *testing.T, flags ...string) *scenario.Lab {
	t.Helper()
	t.Parallel()
	return bootInTurn(t, flags...)
}

// bootInTurn is boot for a test that runs alone.
func bootInTurn(t *testing.T, flags ...string) *scenario.Lab {
	t.Helper()
	bin, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "awsmigrate-"+strings.ReplaceAll(t.Name(), "/", "-")+"-") //nolint:usetesting // kept when the test fails, for its records
	if err != nil {
		t.Fatal(err)
	}
	lab, err := alone(t, bin, dir, flags...)
	t.Cleanup(func() {
		down, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := (&scenario.Lab{Bin: bin, Dir: dir, Out: testWriter{t}}).Down(down); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the lab's records are in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

func alone(t *testing.T, bin, dir string, flags ...string) (*scenario.Lab, error) {
	t.Helper()
	booting.Lock()
	defer booting.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	lab, err := scenario.Boot(ctx, bin, dir, testWriter{t}, flags...)
	if lab != nil {
		lab.Natural = true
	}
	return lab, err
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// testWriter writes a process's output to the test's log.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
