package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// translations maps pages in Chinese to their English originals. A page of which
// only a part is translated says so by false.
var translations = []struct {
	page, of string
	whole    bool
}{
	{"docs/first-cluster.zh.md", "docs/first-cluster.md", true},
	{"docs/begun-by-hand.zh.md", "docs/begun-by-hand.md", true},
	{"docs/procedures.zh.md", "docs/procedures.md", true},
	{"docs/procedures-rke.zh.md", "docs/procedures-rke.md", true},
	{"docs/upgrade-path.zh.md", "docs/upgrade-path.md", true},
	{"docs/rollouts.zh.md", "docs/rollouts.md", true},
	{"README.zh.md", "README.md", false},
}

var (
	checkID   = regexp.MustCompile(`AWSM-[0-9]{3}`)
	inlined   = regexp.MustCompile("`[^`\n]+`")
	linkedTo  = regexp.MustCompile(`\]\(([^)]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ `)
	tableRow  = regexp.MustCompile(`(?m)^\|`)
	otherPage = regexp.MustCompile(`^(README|first-cluster|begun-by-hand|procedures|procedures-rke|upgrade-path|rollouts)(\.zh)?\.md$`)
)

// A translation has the commands, checks, links, sections and rows of its page: a change of
// one of them is a change of both.
func TestTranslations(t *testing.T) {
	for _, tt := range translations {
		page, of := readDoc(t, tt.page), readDoc(t, tt.of)
		for what, facts := range map[string]func(string) []string{
			"commands": commandsOf, "checks": found(checkID), "code": found(inlined), "links": linksOf,
			"sections": found(heading), "rows": found(tableRow),
		} {
			got, want := facts(page), facts(of)
			if tt.whole && !slices.Equal(got, want) {
				t.Errorf("%s: %s %q, wanted %q as in %s", tt.page, what, only(got, want), only(want, got), tt.of)
			}
			if !tt.whole && what != "sections" && what != "rows" {
				if strange := only(got, want); len(strange) > 0 && what != "code" {
					t.Errorf("%s: %s that %s has not: %q", tt.page, what, tt.of, strange)
				}
			}
		}
	}
}

// TestChinesePunctuation checks that Chinese pages use full-width punctuation.
func TestChinesePunctuation(t *testing.T) {
	halfWidth := regexp.MustCompile(`.{0,8}\p{Han}[,;:?!()]`)
	for _, tt := range translations {
		text := linkedTo.ReplaceAllString(inlined.ReplaceAllString(fenced.ReplaceAllString(readDoc(t, tt.page), ""), ""), "]")
		for _, place := range halfWidth.FindAllString(text, -1) {
			t.Errorf("%s has half-width punctuation at %q", tt.page, place)
		}
	}
}

// commandsOf are the lines of code blocks, without comments and alignment.
func commandsOf(page string) (lines []string) {
	for i, block := range strings.Split(page, "```") {
		if i%2 == 0 {
			continue
		}
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(line, "#")
			if command = strings.Join(strings.Fields(command), " "); command != "" {
				lines = append(lines, command)
			}
		}
	}
	return lines
}

// linksOf returns the targets of a page's links, in order, without that to its other language.
func linksOf(page string) []string {
	var to []string
	for _, link := range linkedTo.FindAllStringSubmatch(page, -1) {
		if !otherPage.MatchString(link[1]) && !strings.HasSuffix(link[1], ".zh.md") && !strings.HasSuffix(link[1], "first-cluster.md") {
			to = append(to, link[1])
		}
	}
	slices.Sort(to) // sentences are ordered otherwise
	return to
}

func found(what *regexp.Regexp) func(string) []string {
	return func(page string) []string {
		all := what.FindAllString(page, -1)
		slices.Sort(all)
		return all
	}
}

// only are those of a that b has not.
func only(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
