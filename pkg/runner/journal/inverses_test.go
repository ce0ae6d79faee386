package journal

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestToTakeBack(t *testing.T) {
	intent := func(step StepID, object, what string) Intent {
		return Intent{Step: step, Object: object, What: what, Inverse: json.RawMessage(`{}`)}
	}
	old := []Intent{intent("switch", "c", "first"), intent("undo-switch", "c", "back")}
	for name, tt := range map[string]struct {
		intents []Intent
		want    []string
	}{
		"newest first":                {[]Intent{intent("switch", "c", "a"), intent("switch", "c", "b")}, []string{"b", "a"}},
		"of this step and object":     {[]Intent{intent("enable", "c", "a"), intent("switch", "d", "b"), intent("switch", "c", "c")}, []string{"c"}},
		"without an inverse":          {[]Intent{{Step: "switch", Object: "c", What: "a"}}, nil},
		"in the middle of an undo":    {old, []string{"first"}},
		"cordons were given back":     {append(slices.Clone(old), Intent{Step: "uncordon", Object: "n"}, intent("undo-install", "r", "x")), []string{"first"}},
		"not of one taken back":       {append(slices.Clone(old), intent("switch", "c", "second")), []string{"second"}},
		"a second undo, taken up":     {append(slices.Clone(old), intent("switch", "c", "second"), intent("undo-switch", "c", "again")), []string{"second"}},
		"nothing since the last undo": {append(slices.Clone(old), intent("enable", "c", "e"), intent("undo-enable", "c", "f")), nil},
	} {
		var got []string
		for _, one := range (Record{Intents: tt.intents}).ToTakeBack("switch", "c") {
			got = append(got, one.What)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
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
