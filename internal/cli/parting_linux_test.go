package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// rollsAlone is a step whose change Rancher carries out, until a file says that it is done.
type rollsAlone struct {
	*scripted
	dir string
}

func (s *rollsAlone) Verify(context.Context, *runner.Tx, migration.Snapshot) (runner.Verdict, error) {
	if _, err := os.Stat(filepath.Join(s.dir, "go")); err != nil {
		touch(filepath.Join(s.dir, "started"))
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "every machine to run the change", Seen: "1/6", Done: 1, Total: 6, By: migration.ByRancher()}, nil //nolint:nilerr // that it is not there is what is asked
	}
	s.state = runner.State{Kind: runner.Done, Reason: "observed"}
	return runner.Verdict{Kind: runner.Met, Evidence: []string{"all machines run it"}, Stable: 1}, nil
}

const goesOn = "1 of 6 machines changed. Rancher continues with the rest"

// form is the screen in the middle of a rollout.
type form struct{ env, roll string }

// start is a run in the middle of a roll.
func (f form) start(t *testing.T) *onTerminal {
	t.Helper()
	p := startOnTerminal(t, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, f.env) }, "rke2", "--cluster", "demo", "--rolls")
	p.waitFor("started")
	p.waitToSee(f.roll)
	return p
}

// asked is a run in the middle of a roll whose person pressed Ctrl-C.
func (f form) asked(t *testing.T) *onTerminal {
	t.Helper()
	p := f.start(t)
	p.typed("\x03")
	p.waitToSee(goesOn)
	p.waitToSee("Ctrl-C again")
	return p
}

// typed sends the input of a user's keyboard.
func (p *onTerminal) typed(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// The answers of a user who interrupts a run while Rancher continues the rollout: on a real
// terminal, by key.
func TestInterruptedWhileRancherGoesOn(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]form{
		"a frame": {env: "TERM=xterm", roll: "1 of 6"},
		"lines":   {env: "CI=true", roll: "1/6"},
	} {
		t.Run(name, f.answers)
	}
}

func (f form) answers(t *testing.T) {
	t.Parallel()
	t.Run("go on watching", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		p.typed("xw") // x is no answer
		p.waitToSee("continuing to watch")
		touch(filepath.Join(p.dir, "go"))
		if code := p.end(); code != 0 || !p.has("second") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("no answer while the roll ends", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		touch(filepath.Join(p.dir, "go"))
		p.waitToSee("all machines run it")
		<-time.After(500 * time.Millisecond) // in which the next step would begin
		if p.has("second") {
			t.Error("a step began while the question was open")
		}
		p.typed("w")
		if code := p.end(); code != 0 || !p.has("second") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("left when the roll has ended", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		touch(filepath.Join(p.dir, "go"))
		p.waitToSee("all machines run it")
		p.typed("l")
		if code := p.end(); code != 130 || p.has("second") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("asked a second time", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		p.typed("w")
		p.waitToSee("continuing to watch")
		p.typed("\x03")
		p.until("to be asked again", func() bool { return strings.Count(p.shown.String(), goesOn) == 2 })
		p.typed("l")
		if code := p.end(); code != 130 || p.has("second") || !strings.Contains(strings.Join(strings.Fields(p.shown.String()), " "), "the others are neither watched nor paused") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("pause", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		p.typed("b")
		if code := p.end(); code != 130 || p.has("second") || !strings.Contains(p.shown.String(), "rollout paused on request") || strings.Contains(p.shown.String(), "nobody watches the others") || strings.Contains(p.shown.String(), "has finished") { // words:ok: texts of pkg/runner
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("Ctrl-C again", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		p.typed("\x03")
		if code := p.end(); code != 130 || p.has("second") || !strings.Contains(strings.Join(strings.Fields(p.shown.String()), " "), "the others are neither watched") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.shown)
		}
	})
	t.Run("a hang-up instead of an answer", func(t *testing.T) {
		t.Parallel()
		p := f.asked(t)
		p.hangUp()
		touch(filepath.Join(p.dir, "go"))
		if code := p.end(); code != 129 || p.has("second") {
			t.Errorf("exit %d, the next step began: %t\n%s", code, p.has("second"), p.log())
		}
	})
	t.Run("SIGTERM asks no question", func(t *testing.T) {
		t.Parallel()
		p := f.start(t)
		p.signal(syscall.SIGTERM)
		if code := p.end(); code != 130 || strings.Contains(p.shown.String(), goesOn) {
			t.Errorf("exit %d\n%s", code, p.shown)
		}
	})
}
