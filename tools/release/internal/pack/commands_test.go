package pack

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/cli"
)

func paths(entries []Entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Path)
	}
	return list
}

func TestCompletionsAndManual(t *testing.T) {
	v, err := ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	completions, err := Completions(cli.Tree("awsmigrate"), "completions")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"completions/awsmigrate.bash", "completions/_awsmigrate", "completions/awsmigrate.fish"}, paths(completions)); diff != "" {
		t.Error(diff)
	}
	manual, err := Manual(cli.Tree("awsmigrate"), "man", v, moment())
	if err != nil {
		t.Fatal(err)
	}
	east, err := Manual(cli.Tree("awsmigrate"), "man", v, moment().In(time.FixedZone("east", 14*3600)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manual, east); diff != "" {
		t.Errorf("another time zone, another page:\n%s", diff)
	}
	all := strings.Join(paths(manual), " ")
	for _, page := range []string{"man/awsmigrate.1", "man/awsmigrate-rke2-plan.1", "man/awsmigrate-verify.1"} {
		if !strings.Contains(all, page) {
			t.Errorf("no %s in %s", page, all)
		}
	}
	if page := string(manual[0].Data); !strings.Contains(page, `"awsmigrate v0.1.0"`) || !strings.Contains(page, `"Nov 2026"`) || strings.Contains(page, "Auto generated") {
		t.Error(page)
	}
}
