package charts_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// verbs holds the permitted verbs by resource and place, in order.
type verbs map[string][]string

func (v verbs) add(key string, more ...string) {
	v[key] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(v[key], more))))
}

// documentedRights returns the verbs in the controller's table of docs/permissions.md.
func documentedRights(t *testing.T) (audit, migrate verbs) {
	t.Helper()
	text, err := os.ReadFile("../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## The controller\n")
	section, _, _ = strings.Cut(section, "\n## ")
	audit, migrate = verbs{}, verbs{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.Contains(cells[2], "`") {
			continue
		}
		list := func(cell string) []string {
			return strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ' ' })
		}
		key := strings.Trim(cells[1], " `") + " " + strings.Trim(cells[2], " `")
		if read := list(cells[3]); len(read) > 0 {
			audit.add(key, read...)
		}
		migrate.add(key, append(list(cells[3]), list(cells[4])...)...)
	}
	return audit, migrate
}

// grantedVerbs returns the verbs in the chart's roles, in the words of that table.
func grantedVerbs(t *testing.T, mode string) verbs {
	t.Helper()
	all := verbs{}
	have := rightsOf(t, setup{mode: mode, namespaces: []string{"first", "second"}, rke1: []string{"c-7kq2x"}}.values())
	for namespace, place := range map[string]string{"": "all", "cattle-system": "cattle-system", "second": "namespace", "c-7kq2x": "c-xxxxx", "first": "namespace"} {
		for _, rule := range have[namespace] {
			resource, where := rule.Resources[0], place
			if rule.APIGroups[0] != "" {
				resource += "." + rule.APIGroups[0]
			}
			if resource == "leases.coordination.k8s.io" && namespace == "first" {
				where = "first namespace"
			}
			all.add(where+" "+resource, rule.Verbs...)
		}
	}
	return all
}

// The page on permissions has every right of the controller, and no other.
func TestRules_everyRight_isDocumented(t *testing.T) {
	audit, migrate := documentedRights(t)
	for mode, want := range map[string]verbs{"audit": audit, "migrate": migrate} {
		if diff := cmp.Diff(grantedVerbs(t, mode), want); diff != "" {
			t.Errorf("mode %s: granted (-), in docs/permissions.md (+):\n%s", mode, diff)
		}
	}
}
