package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/test/terminal"
)

// During a whole migration or undo, each second shows something new. There is one board, with the
// last reading and nothing older. Only a process that ran the cloud controllers is said to run
// them.
func TestBoardOfWholeMigrations(t *testing.T) {
	for _, s := range scenarios {
		w := s.world()
		for _, undo := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s undo %t", s.name, undo), func(t *testing.T) {
				r := s.run
				r.Undo, r.ID, r.EveryReading = undo, w.nextRun(), true
				seen := boardOf(t, r, w)
				t.Logf("counts: %d seconds watched, %d frames, %d claims of who leads", seen.seconds, seen.frames, seen.claims)
				if seen.frames < 30 || seen.claims == 0 && undo == false {
					t.Errorf("%d frames and %d claims in %d seconds: too few to judge", seen.frames, seen.claims, seen.seconds)
				}
			})
		}
	}
}

// boardLooker looks at a board each second.
type boardLooker struct {
	t      *testing.T
	at     *terminal.Terminal
	world  *World
	last   runner.Event
	ran    map[string]time.Time // processes that ran the cloud controllers, with the time when they last did
	before string

	seconds, frames, claims int
}

func boardOf(t *testing.T, r Run, w *World) boardLooker {
	l := boardLooker{t: t, world: w, ran: map[string]time.Time{}}
	synctest.Test(t, func(t *testing.T) {
		l.at = terminal.New(160, 50) // the bubble waits for its channel
		shown := runview.NewRun(runview.Output{Streams: l.at.Streams(), Format: "text", Progress: runview.ProgressBoard, Clock: clock.RealClock{}},
			view.Commands{Run: "go on", Undo: "go back", Status: "look", Undoing: r.Undo})
		events := make(chan runner.Event, 1)
		r.Sink = runner.SinkFunc(func(e runner.Event) {
			shown.Emit(e)
			events <- e
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.look(ctx, events)
		}()
		end := r.On(t.Context(), w)
		stop()
		<-ended
		if err := shown.Finish(end.Result, end.Err); err != nil {
			t.Error(err)
		}
		l.end(end.Result.Position)
	})
	return l
}

// look receives events, and looks half a second after each frame that is due.
func (l *boardLooker) look(ctx context.Context, events <-chan runner.Event) {
	var ticks <-chan time.Time
	for {
		select {
		case e := <-events:
			l.take(e)
			if ticks == nil && e.Type == runner.StepStarted { // the board is drawn each second from now on
				ticks = time.After(time.Second + time.Second/2)
			}
		case <-ticks:
			ticks = time.After(time.Second)
			l.judgeScreen()
		case <-ctx.Done():
			return
		}
	}
}

// leaderGrace is the time after its end for which a process may still be called the leader: the
// validity of its last renewal, the polling interval, and a tick.
const leaderGrace = 10*time.Second + 2*pollInterval + tick

func (l *boardLooker) take(e runner.Event) {
	l.last = e
	l.world.mu.Lock()
	for _, p := range l.world.processes {
		if l.world.runs(p) {
			l.ran[p.component+" "+p.id] = time.Now()
		}
	}
	l.world.mu.Unlock()
	if e.Waiting == nil || e.Waiting.Leader == nil {
		return
	}
	l.claims++
	leader := e.Waiting.Leader
	if when, ran := l.ran[leader.Component+" "+leader.ID]; !ran || time.Since(when) > leaderGrace {
		l.t.Errorf("%s: %s on %s is said to run the cloud controllers, but last did at %v of %v", e.Step, leader.Component, leader.Host, when, l.ran)
	}
}

// judgeScreen judges one second's screen.
func (l *boardLooker) judgeScreen() {
	l.seconds++
	screen := l.at.Lines()
	from := -1
	for i, line := range screen {
		if strings.HasPrefix(line, "●") || strings.HasPrefix(line, "○") {
			if from >= 0 {
				l.t.Errorf("two boards on the screen:\n%s", strings.Join(screen, "\n"))
			}
			from = i
		}
	}
	if l.last.Type == runner.RunFinished {
		if from >= 0 {
			l.t.Errorf("a board after the end:\n%s", strings.Join(screen, "\n"))
		}
		return
	}
	if from < 0 {
		l.t.Errorf("no board after %s of %s:\n%s", l.last.Type, l.last.Step, strings.Join(screen, "\n"))
		return
	}
	l.frames++
	board := strings.TrimSpace(strings.Join(screen[from:], "\n"))
	if board == l.before {
		l.t.Errorf("the board is unchanged after a second:\n%s", board)
	}
	l.before = board
	for _, wanted := range l.wanted() {
		if !strings.Contains(board, wanted) {
			l.t.Errorf("after %s of %s the board must show %q:\n%s", l.last.Type, l.last.Step, wanted, board)
		}
	}
}

// wanted returns the text that the last event must put on a board.
func (l *boardLooker) wanted() []string {
	e := l.last
	switch e.Type { //nolint:exhaustive // the others change no board
	case runner.StepStarted:
		return []string{string(e.Step), e.Title, "first reading in progress"}
	case runner.StepFinished:
		return []string{"steps done"}
	case runner.StepWaiting:
		wanted := []string{string(e.Step)}
		for _, text := range []string{e.Waiting.For, e.Waiting.Seen} {
			wanted = append(wanted, strings.Join(strings.Fields(text)[:min(4, len(strings.Fields(text)))], " "))
		}
		return wanted
	}
	return nil
}

// end judges the final screen.
func (l *boardLooker) end(position string) {
	text := strings.Join(l.at.Lines(), "\n")
	for _, wanted := range []string{"now    " + position + "  ●", "next   look"} {
		if !strings.Contains(text, wanted) {
			l.t.Errorf("the final screen must show %q:\n%s", wanted, text)
		}
	}
	if strings.Contains(text, "Ctrl-C") {
		l.t.Errorf("parts of a board remain:\n%s", text)
	}
}
