package cli

import "testing"

// Every notice in every phase of a run.
func TestPhaseOnNotice(t *testing.T) {
	for name, tt := range map[string]struct {
		at   phase
		n    notice
		next phase
		do   action
	}{
		"the first interrupt":               {phase{}, interrupt, phase{stopping: true}, stopCleanly},
		"the second":                        {phase{stopping: true}, interrupt, phase{stopping: true, leaving: true}, leaveAtOnce},
		"a third":                           {phase{stopping: true, leaving: true}, interrupt, phase{stopping: true, leaving: true}, ignore},
		"the first hang-up":                 {phase{}, hangUp, phase{unwatched: true}, goUnwatched},
		"the second hang-up":                {phase{unwatched: true}, hangUp, phase{unwatched: true}, ignore},
		"an interrupt after a hang-up":      {phase{unwatched: true}, interrupt, phase{unwatched: true, stopping: true}, stopCleanly},
		"a second interrupt after it":       {phase{unwatched: true, stopping: true}, interrupt, phase{unwatched: true, stopping: true, leaving: true}, leaveAtOnce},
		"a hang-up after an interrupt":      {phase{stopping: true}, hangUp, phase{stopping: true, unwatched: true}, goUnwatched},
		"a hang-up after both":              {phase{stopping: true, unwatched: true}, hangUp, phase{stopping: true, unwatched: true}, ignore},
		"a hang-up while it leaves at once": {phase{stopping: true, leaving: true}, hangUp, phase{stopping: true, leaving: true}, ignore},
	} {
		if next, do := tt.at.on(tt.n); next != tt.next || do != tt.do {
			t.Errorf("%s: %+v, %d; want %+v, %d", name, next, do, tt.next, tt.do)
		}
	}
}
