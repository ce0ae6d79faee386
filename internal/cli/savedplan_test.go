package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestSavedPlan(t *testing.T) {
	target := journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u-1"}
	good := `{"apiVersion":"awsmigrate.io/v1","kind":"Plan","target":{"kind":"rke2","name":"demo","namespace":"fleet-default","uid":"u-1"},"steps":[{"id":"a","state":{"kind":"todo"},"summary":["x"]}]}`
	for name, tt := range map[string]struct{ text, says string }{
		"a plan":                   {good, ""},
		"of another cluster":       {strings.Replace(good, "u-1", "u-2", 1), "with UID u-2"},
		"another document":         {strings.Replace(good, `"Plan"`, `"Status"`, 1), `kind "Status"`},
		"of another version":       {strings.Replace(good, "io/v1", "io/v9", 1), "awsmigrate.io/v9"},
		"without steps":            {strings.Replace(good, `{"id":"a","state":{"kind":"todo"},"summary":["x"]}`, "", 1), "0 steps"},
		"text":                     {"now    P0   in-tree\n", "is no plan"},
		"nothing":                  {"", "is no plan"},
		"cut off in the middle":    {good[:len(good)/2], "is no plan"},
		"a document and some more": {good + "{}", "is no plan"},
	} {
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		steps, err := savedPlan(path, target)
		switch {
		case tt.says == "" && (err != nil || len(steps) != 1 || steps[0].ID != "a" || steps[0].State.Kind != runner.Todo):
			t.Errorf("%s: %+v, %v", name, steps, err)
		case tt.says != "" && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := savedPlan(filepath.Join(t.TempDir(), "none"), target); fault.ClassOf(err) != fault.Usage {
		t.Errorf("no file: %v", err)
	}
}
