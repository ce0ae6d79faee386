package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// tableHead begins the tables that say what a message means.
const tableHead = "| what awsmigrate says | exit | what to do |"

// advice is what one row, or the same row on several pages, says of a word.
type advice struct {
	exit, text string
	pages      []string
}

// page is every word that a table explains, with all that is said of it: who has the word
// need not know in which step, or of which distribution, it was said.
func page(docs fs.FS) ([]byte, error) {
	words := map[string][]advice{}
	err := fs.WalkDir(docs, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(docs, name)
		if err != nil {
			return err
		}
		for _, table := range strings.Split(string(text), tableHead+"\n")[1:] {
			collect(words, name, table)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("no table begins with %q", tableHead)
	}
	return render(words), nil
}

// collect takes the rows of a table, up to the first line that is none.
func collect(words map[string][]advice, page, table string) {
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "|") {
			return
		}
		if len(cells) != 3 {
			continue // the rule below the head
		}
		found, exits := wordsOf(cells[0]), strings.Split(strings.TrimSpace(cells[1]), ", ")
		for i, word := range found {
			exit := strings.TrimSpace(cells[1])
			if len(exits) == len(found) {
				exit = exits[i]
			}
			words[word] = add(words[word], advice{exit, relinked(strings.TrimSpace(cells[2]), page), []string{page}})
		}
	}
}

// wordsOf are the reasons and checks that a cell is about: the first one, and those that it
// lists with it. What follows "with", or a colon, is what was seen.
func wordsOf(cell string) []string {
	var words []string
	for _, code := range regexp.MustCompile("(?:^ ?|, | or |brake: |warning )`(AWSM-[0-9]{3}|[A-Z][A-Za-z]+`)").FindAllStringSubmatch(cell, -1) {
		words = append(words, strings.Trim(code[1], "`"))
	}
	return words
}

// add puts pages that say the same together.
func add(to []advice, one advice) []advice {
	for i := range to {
		if to[i].exit == one.exit && to[i].text == one.text {
			if !slices.Contains(to[i].pages, one.pages[0]) {
				to[i].pages = append(to[i].pages, one.pages[0])
			}
			return to
		}
	}
	return append(to, one)
}

// relinked is a text of a page with its links as they are from the folder docs.
func relinked(text, from string) string {
	return regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).ReplaceAllStringFunc(text, func(link string) string {
		to, anchor, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(link, "]("), ")"), "#")
		if strings.Contains(to, "://") {
			return link
		}
		if to == "" {
			to = from
		} else {
			to = path.Join(path.Dir(from), to)
		}
		if anchor != "" {
			to += "#" + anchor
		}
		return "](" + to + ")"
	})
}

func render(words map[string][]advice) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, `# Troubleshooting

What awsmigrate says, by the word it says: the reason of an error, or the ID of a check. This page is generated (%s) from the tables *what awsmigrate says* of the pages it links to.

The message itself has the object, what was seen, what was wanted and a fix, and is more exact than this page; a word that is not here is explained by its message alone. What the exit code means: [Exit codes](exit-codes.md). What a check judges: %s, or [every check](checks.md).
`, "`make generate`", "`awsmigrate explain ID`")
	byName := slices.Sorted(maps.Keys(words))
	isCheck := func(word string) bool { return strings.Contains(word, "-") } // a reason is one word
	for _, part := range []struct {
		title string
		has   func(string) bool
	}{{"Reasons", func(word string) bool { return !isCheck(word) }}, {"Checks", isCheck}} {
		fmt.Fprintf(&text, "\n## %s\n", part.title)
		for _, word := range byName {
			if part.has(word) {
				fmt.Fprintf(&text, "\n### %s\n\n", word)
				for _, a := range words[word] {
					text.WriteString(a.line())
				}
			}
			if part.has(word) && isCheck(word) {
				fmt.Fprintf(&text, "- What it judges: [%s](checks.md#%s)\n", word, strings.ToLower(word))
			}
		}
	}
	return text.Bytes()
}

func (a advice) line() string {
	var links []string
	for _, page := range a.pages {
		to := page
		if path.Dir(page) == "steps" {
			to += "#what-can-go-wrong" // the section that every page of a step has
		}
		links = append(links, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(path.Base(page), ".md"), to))
	}
	exit := "exit " + a.exit
	if a.exit == "–" {
		exit = "stops nothing"
	}
	return fmt.Sprintf("- %s, %s: %s\n", strings.Join(links, ", "), exit, a.text)
}
