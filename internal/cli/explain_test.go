package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

func explained(t *testing.T, width int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	streams := console.Streams{Out: &out, Err: &errs, OutTerminal: true, Env: func(string) string { return "" }, Width: func() int { return width }}
	if code := Main(t.Context(), append([]string{"explain"}, args...), streams); code != 0 {
		t.Fatalf("%q: exit %d, %s", args, code, errs.String())
	}
	return out.String()
}

// A step is shown with its whole page, without links that only work in the sources.
func TestStepsAreExplainedByTheirPages(t *testing.T) {
	for _, info := range append(procedure.StepInfos(), procedure.UndoStepInfos()...) {
		text := explained(t, 80, string(info.ID))
		for _, heading := range headings(readDoc(t, "docs/"+info.Doc), "## ") {
			if !strings.Contains(text, "\n"+strings.Join(strings.Fields(heading), " ")+"\n---") {
				t.Errorf("%s: the section %q is missing", info.ID, heading)
			}
		}
		if strings.Contains(text, "](") || strings.Contains(text, "[1] ../") || !strings.Contains(text, "https://github.com/awsmigrate/awsmigrate/blob/") {
			t.Errorf("%s: links are no addresses:\n%s", info.ID, text)
		}
	}
}

func headings(text, mark string) []string {
	var list []string
	for _, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, mark); ok {
			list = append(list, title)
		}
	}
	return list
}

func TestExplainReason(t *testing.T) {
	text := explained(t, 80, "notreadytoswitch")
	for _, want := range []string{"NotReadyToSwitch\n", "docs/steps/switch-provider.md, What can go wrong", "- exit: 9", "No CCM is waiting on every control plane."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := explained(t, 80, "NotReadyToSwitch", "-o", "json"); !strings.Contains(text, fmt.Sprintf("%q: %q", "page", "docs/steps/switch-provider.md")) {
		t.Error(text)
	}
}

// A check whose texts depend on the kind of cluster shows those of each.
func TestExplain_sharedCheck_showsEachVariant(t *testing.T) {
	for id, want := range map[string][]string{
		"AWSM-101": {"RKE2, API alone\nwhy     before 1.22", "\nRKE\nwhy     before 1.22", "\n\nskip    this check"},
		"AWSM-108": {"RKE2\n", "upgradeStrategy.controlPlaneConcurrency", "\n\nRKE\n", "upgrade_strategy.max_unavailable_controlplane"},
		"AWSM-110": {"why     one or two etcd members"},
	} {
		text := explained(t, 120, id)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in\n%s", id, part, text)
			}
		}
	}
}
