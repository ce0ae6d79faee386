package page

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/docs"
)

const sample = "# A page\n\nText with `code`, **weight**\nand [a link](other.md#x), [the same](other.md#x).\n\n- one\n  goes on\n- two\n\n1. first\n\n```\nas  it | is\n```\n\n| what | exit | to do |\n|---|---|---|\n| `One`, `Two` | 3 | wait. See `Three`. Then go |\n| `a|b` \\| c |  | nothing |\n"

func TestText(t *testing.T) {
	want := []string{
		"A page", "======", "",
		"Text with `code`, weight and a", "link [1], the same [1].", "",
		"- one goes on", "- two", "1. first", "",
		"    as  it | is", "",
		"* `One`, `Two`", "    exit: 3", "    to do: wait. See `Three`.", "      Then go", "",
		"* `a|b` | c", "    to do: nothing", "",
		"[1] at other.md#x",
	}
	got := Text(sample, 30, func(target string) string { return "at " + target })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestText_twoColumns_itemOnOneLine(t *testing.T) {
	got := Text("| value | how |\n|---|---|\n| image | by minor |\n| A guide. | ours |\n", 30, nil)
	if diff := cmp.Diff([]string{"* image: by minor", "", "* A guide. ours"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRowsOn(t *testing.T) {
	rows := RowsOn(sample, "Two")
	if len(rows) != 1 || rows[0].Section != "A page" || !slices.Equal(rows[0].Heads, []string{"what", "exit", "to do"}) || rows[0].Cells[1] != "3" {
		t.Errorf("%+v", rows)
	}
	if got := SentencesOn(sample, "Three"); !slices.Equal(got, []string{"See `Three`."}) {
		t.Errorf("%q", got)
	}
	if got := SentencesOn(sample, "One"); got != nil {
		t.Errorf("a first cell is no sentence: %q", got)
	}
	if got := Words(sample); !slices.Equal(got, []string{"One", "a|b"}) {
		t.Errorf("%q", got)
	}
}

// Every page fits the screen, except for longer words and code, and loses no word.
func TestText_docs_fitWidth(t *testing.T) {
	entries, err := docs.Pages.ReadDir("steps")
	if err != nil || len(entries) < 10 {
		t.Fatalf("%d pages, %v", len(entries), err)
	}
	for _, entry := range entries {
		text, err := docs.Pages.ReadFile("steps/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{60, 80, 120} {
			for _, line := range Text(string(text), width, strings.ToUpper) {
				if words := strings.Fields(line); utf8.RuneCountInString(line) > width && len(words) > 2 && !strings.HasPrefix(line, "    ") {
					t.Errorf("%s at %d: %q", entry.Name(), width, line)
				}
			}
		}
	}
}
