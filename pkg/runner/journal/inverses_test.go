package journal

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestIntentsToUndo(t *testing.T) {
	intent := func(step StepID, object, what string) Intent {
		return Intent{Step: step, Object: object, What: what, Inverse: json.RawMessage(`{}`)}
	}
	old := []Intent{intent("switch", "c", "first"), intent("undo-switch", "c", "back")}
	later := func(more ...Intent) []Intent { return append(slices.Clone(old), more...) }
	for name, tt := range map[string]struct {
		intents []Intent
		back    map[StepID]int // number of intents when a step was seen undone
		want    []string
	}{
		"several_newest first":                   {intents: []Intent{intent("switch", "c", "a"), intent("switch", "c", "b")}, want: []string{"b", "a"}},
		"other step or object_left out":          {intents: []Intent{intent("enable", "c", "a"), intent("switch", "d", "b"), intent("switch", "c", "c")}, want: []string{"c"}},
		"no inverse_left out":                    {intents: []Intent{{Step: "switch", Object: "c", What: "a"}}},
		"undo announced only_kept":               {intents: old, want: []string{"first"}},
		"undo turned round half-way_both kept":   {intents: later(intent("switch", "c", "second")), want: []string{"second", "first"}},
		"undo of a later step turned round_kept": {intents: []Intent{intent("switch", "c", "a"), intent("undo-disable", "x", "b"), intent("disable", "x", "c")}, want: []string{"a"}},
		"undone_left out":                        {intents: old, back: map[StepID]int{"switch": 2}},
		"undone, made again_the new one":         {intents: later(intent("switch", "c", "second")), back: map[StepID]int{"switch": 2}, want: []string{"second"}},
		"undone again, not seen to its end_kept": {intents: later(intent("switch", "c", "second"), intent("undo-switch", "c", "again")), back: map[StepID]int{"switch": 2}, want: []string{"second"}},
		"another step undone_kept":               {intents: old, back: map[StepID]int{"enable": 2}, want: []string{"first"}},
		"note beyond the journal_none":           {intents: old, back: map[StepID]int{"switch": 99}},
		"note below the journal_all":             {intents: old, back: map[StepID]int{"switch": -1}, want: []string{"first"}},
	} {
		var got []string
		for _, one := range recordOf(t, tt.intents, tt.back).IntentsToUndo("switch", "c") {
			got = append(got, one.What)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func recordOf(t *testing.T, intents []Intent, back map[StepID]int) Record {
	t.Helper()
	r := Record{Intents: intents}
	if back == nil {
		return r
	}
	raw, err := json.Marshal(back)
	if err != nil {
		t.Fatal(err)
	}
	r.Notes = map[string]json.RawMessage{undoneNote: raw}
	return r
}

func TestUndoneNote(t *testing.T) {
	edit := Intent{Step: "switch", Object: "c", Inverse: json.RawMessage(`{}`)}
	r := recordOf(t, []Intent{edit, {Step: "install", Object: "x"}}, map[StepID]int{"disable": 1})
	if !r.Begun("switch") || !r.Edited("c") || r.Edited("x") || r.Begun("upgrade") {
		t.Errorf("begun %t, edited %t, an object without an inverse %t", r.Begun("switch"), r.Edited("c"), r.Edited("x"))
	}
	key, value := r.UndoneNote("switch")
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if key != undoneNote || string(raw) != `{"disable":1,"switch":2}` {
		t.Errorf("%s: %s", key, raw)
	}
	r.Notes = map[string]json.RawMessage{key: raw}
	if r.Begun("switch") || r.Edited("c") || len(r.IntentsToUndo("switch", "c")) > 0 {
		t.Error("it still counts as pending")
	}
	r.Intents = append(r.Intents, Intent{Step: "undo-switch", Object: "c", Inverse: json.RawMessage(`{}`)})
	if r.Edited("c") {
		t.Error("the edit of an undo counts as revertible")
	}
	if r.Intents = append(r.Intents, edit); !r.Begun("switch") || !r.Edited("c") {
		t.Error("the edit made again does not count")
	}
	r.Notes = map[string]json.RawMessage{undoneNote: json.RawMessage(`"x"`)}
	if len(r.IntentsToUndo("switch", "c")) != 2 {
		t.Error("a note that cannot be read hides inverses")
	}
}

func TestSinceUndo(t *testing.T) {
	all := []Intent{{Step: "snapshot"}, {Step: "undo-enable"}, {Step: "uncordon"}, {Step: "snapshot", Token: "2"}}
	if got := (Record{Intents: all}).SinceUndo(); len(got) != 2 || got[1].Token != "2" {
		t.Errorf("got %v", got)
	}
	if got := (Record{Intents: all[:1]}).SinceUndo(); len(got) != 1 {
		t.Errorf("without an undo: %v", got)
	}
}
