package app

import "testing"

// Every notice in every phase of a run.
func TestPhaseOnNotice(t *testing.T) {
	for name, tt := range map[string]struct {
		at   phase
		n    notice
		asks bool
		next phase
		do   action
	}{
		"the first interrupt":               {phase{}, interrupt, false, phase{stopping: true}, stopCleanly},
		"the second":                        {phase{stopping: true}, interrupt, false, phase{stopping: true, leaving: true}, leaveAtOnce},
		"a third":                           {phase{stopping: true, leaving: true}, interrupt, false, phase{stopping: true, leaving: true}, ignore},
		"the first hang-up":                 {phase{}, hangUp, false, phase{unwatched: true}, goUnwatched},
		"the second hang-up":                {phase{unwatched: true}, hangUp, false, phase{unwatched: true}, ignore},
		"an interrupt after a hang-up":      {phase{unwatched: true}, interrupt, false, phase{unwatched: true, stopping: true}, stopCleanly},
		"a second interrupt after it":       {phase{unwatched: true, stopping: true}, interrupt, false, phase{unwatched: true, stopping: true, leaving: true}, leaveAtOnce},
		"a hang-up after an interrupt":      {phase{stopping: true}, hangUp, false, phase{stopping: true, unwatched: true}, goUnwatched},
		"a hang-up after both":              {phase{stopping: true, unwatched: true}, hangUp, false, phase{stopping: true, unwatched: true}, ignore},
		"Ctrl-C while others go on":         {phase{}, interrupt, true, phase{asking: true}, askFirst},
		"SIGTERM while others go on":        {phase{}, terminate, true, phase{stopping: true}, stopCleanly},
		"Ctrl-C instead of an answer":       {phase{asking: true}, interrupt, true, phase{stopping: true}, stopCleanly},
		"SIGTERM instead of an answer":      {phase{asking: true}, terminate, true, phase{stopping: true}, stopCleanly},
		"a hang-up instead of an answer":    {phase{asking: true}, hangUp, true, phase{unwatched: true}, goUnwatched},
		"Ctrl-C behind an answer":           {phase{stopping: true}, interrupt, true, phase{stopping: true, leaving: true}, leaveAtOnce},
		"Ctrl-C without a terminal":         {phase{unwatched: true}, interrupt, true, phase{unwatched: true, stopping: true}, stopCleanly},
		"a hang-up while it leaves at once": {phase{stopping: true, leaving: true}, hangUp, false, phase{stopping: true, leaving: true}, ignore},
	} {
		if next, do := tt.at.on(tt.n, tt.asks); next != tt.next || do != tt.do {
			t.Errorf("%s: %+v, %d; want %+v, %d", name, next, do, tt.next, tt.do)
		}
	}
}

// TestWhoWaitedFindsTheAnswerCarriedOut seeds the order of two closed channels: a step that
// waited for the open question must find that the answer was to leave.
func TestWhoWaitedFindsTheAnswerCarriedOut(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Signals){
		"left": func(s *Signals) { s.answered(leave) }, "SIGTERM": func(s *Signals) { s.notice(terminate) },
	} {
		_, s, stop := WatchSignals(t.Context())
		open := make(chan struct{})
		s.phase.asking, s.open = true, open
		s.release = func(released chan struct{}) {
			if released != open || !closed(s.interrupts) {
				t.Errorf("%s: a waiting step is released before the run is interrupted", name)
			}
			close(released)
		}
		end(s)
		if !closed(open) {
			t.Errorf("%s: the waiting step is not released", name)
		}
		stop()
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
