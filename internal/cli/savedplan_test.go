package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestSavedPlan(t *testing.T) {
	target := journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u-1"}
	plan := planDocument{TypeMeta: view.KindOf("Plan"), Target: target, WholePlan: runner.WholePlan{Version: "v1", Basis: runner.Basis{Cluster: "u-1", Goal: "migrate"},
		Steps: []runner.PlannedStep{{Info: runner.Info{ID: "a"}, State: runner.State{Kind: runner.Todo},
			Plan: runner.Plan{Summary: []string{"x"}, Changes: []runner.Change{{Object: "Cluster c", Before: 3, After: map[string]any{"b": 1, "a": []string{"y"}}}}}}}}}
	plan, err := plan.sealed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	for name, tt := range map[string]struct{ text, says string }{
		"a plan":                   {good, ""},
		"of another cluster":       {strings.Replace(good, "u-1", "u-2", 1), "with UID u-2"},
		"another document":         {strings.Replace(good, `"Plan"`, `"Status"`, 1), `kind "Status"`},
		"of another version":       {strings.Replace(good, "io/v1", "io/v9", 1), "awsmigrate.io/v9"},
		"without steps":            {strings.Replace(good, `"steps"`, `"Steps "`, 1), "0 steps"},
		"with another value":       {strings.Replace(good, `"before":3`, `"before":4`, 1), "and what it holds is sha256:"},
		"with an option more":      {strings.Replace(good, `"goal"`, `"options":{"--skip":"AWSM-1"},"goal"`, 1), "and what it holds is sha256:"},
		"with other words":         {strings.Replace(good, `"x"`, `"z"`, 1), "shows other texts"},
		"without its text":         {strings.Replace(good, `"text"`, `"was"`, 1), "shows other texts"},
		"without its hash":         {strings.Replace(good, `"hash"`, `"was"`, 1), "names no hash"},
		"text":                     {"now    P0   in-tree\n", "is no plan"},
		"nothing":                  {"", "is no plan"},
		"cut off in the middle":    {good[:len(good)/2], "is no plan"},
		"a document and some more": {good + "{}", "is no plan"},
	} {
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := savedPlan(path, target)
		switch {
		case tt.says == "" && (err != nil || len(got.Steps) != 1 || got.Steps[0].ID != "a" || got.Steps[0].State.Kind != runner.Todo || got.Basis.Cluster != "u-1"):
			t.Errorf("%s: %+v, %v", name, got, err)
		case tt.says != "" && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: %v", name, err)
		}
	}
	// numbers, durations and empty fields keep their form through a file
	text, err = os.ReadFile("testdata/plan.json.golden")
	if err == nil {
		_, err = parsePlan("golden", text)
	}
	if err != nil {
		t.Errorf("a whole plan: %v", err)
	}
	if _, err := savedPlan(filepath.Join(t.TempDir(), "none"), target); fault.ClassOf(err) != fault.Usage {
		t.Errorf("no file: %v", err)
	}
}
