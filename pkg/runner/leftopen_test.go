package runner

import "testing"

func TestLeftOpen(t *testing.T) {
	intent := []Intent{{Step: "switch", Run: "a"}}
	for _, tt := range []struct {
		name    string
		intents []Intent
		runs    []RunRecord
		want    bool
	}{
		{"nothing was announced", nil, []RunRecord{{ID: "a"}}, false},
		{"it works on it", intent, []RunRecord{{ID: "a"}}, true},
		{"it died", intent, []RunRecord{{ID: "a", Outcome: "died"}, {ID: "b"}}, true},
		{"it was stopped there", intent, []RunRecord{{ID: "a", Outcome: "interrupted", Step: "switch"}, {ID: "b"}}, true},
		{"it was stopped later", intent, []RunRecord{{ID: "a", Outcome: "stopped", Step: "verify"}, {ID: "b"}}, false},
		{"it came to its end", intent, []RunRecord{{ID: "a", Outcome: "done"}, {ID: "b"}}, false},
		{"a later one came to its end", intent, []RunRecord{{ID: "a", Outcome: "died"}, {ID: "b", Outcome: "done"}, {ID: "c"}}, false},
		{"its run is forgotten", intent, []RunRecord{{ID: "b"}}, true},
	} {
		if got := (JournalState{Intents: tt.intents, Runs: tt.runs}).Record().LeftOpen; got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
