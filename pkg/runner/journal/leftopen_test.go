package journal

import "testing"

func TestLeftOpen(t *testing.T) {
	intent := []Intent{{Step: "switch", Run: "a"}}
	for _, tt := range []struct {
		name    string
		intents []Intent
		runs    []Run
		want    bool
	}{
		{"nothing was announced", nil, []Run{{ID: "a"}}, false},
		{"it works on it", intent, []Run{{ID: "a"}}, true},
		{"it died", intent, []Run{{ID: "a", Outcome: "died"}, {ID: "b"}}, true},
		{"it was stopped there", intent, []Run{{ID: "a", Outcome: "interrupted", Step: "switch"}, {ID: "b"}}, true},
		{"it was stopped later", intent, []Run{{ID: "a", Outcome: "stopped", Step: "verify"}, {ID: "b"}}, false},
		{"it ended", intent, []Run{{ID: "a", Outcome: "done"}, {ID: "b"}}, false},
		{"a later one ended", intent, []Run{{ID: "a", Outcome: "died"}, {ID: "b", Outcome: "done"}, {ID: "c"}}, false},
		{"a later one saw it to its end and failed", intent, []Run{{ID: "a", Outcome: "died"}, {ID: "b", Outcome: "stopped", Step: "verify", Verified: []StepID{"switch"}}, {ID: "c"}}, false},
		{"a later one saw another step to its end", intent, []Run{{ID: "a", Outcome: "died"}, {ID: "b", Outcome: "stopped", Step: "switch", Verified: []StepID{"install"}}, {ID: "c"}}, true},
		{"its run is forgotten", intent, []Run{{ID: "b"}}, true},
	} {
		if got := (State{Intents: tt.intents, Runs: tt.runs}).Record().LeftOpen; got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
