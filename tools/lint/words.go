package main

import (
	"bytes"
	_ "embed" // the list of words
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed words.txt
var wordList string

// excuse is the note that excuses what begins on its line.
const excuse = "words:ok"

// wordRule is a pattern that prose does not use.
type wordRule struct {
	pattern *regexp.Regexp
	never   bool // not in a clean folder
	write   string
}

// wordRules is the parsed list.
type wordRules struct {
	rules []wordRule
	fine  []*regexp.Regexp
	clean []string // folders and files
}

// wordFind is a place in a file that has a pattern of the list.
type wordFind struct {
	path  string
	line  int
	never bool
	text  string // the words, and what to write instead
}

// String formats the find as a linter does.
func (f wordFind) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text) }

// folder returns the folder of the file that has the find.
func (f wordFind) folder() string { return path.Dir(f.path) }

// parseWords parses the list.
func parseWords(list string) (wordRules, error) {
	parsed := wordRules{clean: []string{}} // none is not all
	for i, line := range strings.Split(list, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, ": ")
		text, write, described := strings.Cut(rest, " -> ")
		pattern, err := compileWords(text)
		switch {
		case err != nil:
			return wordRules{}, fmt.Errorf("words.txt:%d: %w", i+1, err)
		case kind == "clean":
			parsed.clean = append(parsed.clean, rest)
		case kind == "fine":
			parsed.fine = append(parsed.fine, pattern)
		case described && (kind == "never" || kind == "look"):
			parsed.rules = append(parsed.rules, wordRule{pattern, kind == "never", write})
		default:
			return wordRules{}, fmt.Errorf("words.txt:%d: wanted never, look, fine or clean", i+1)
		}
	}
	return parsed, nil
}

// compileWords compiles a pattern so that it matches whole words, and any white space for a
// blank.
func compileWords(text string) (*regexp.Regexp, error) {
	if regexp.MustCompile(`^[\w(].*[\w)?]$`).MatchString(text) && !strings.HasPrefix(text, "(?") {
		text = `\b(?:` + text + `)\b`
	}
	return regexp.Compile(`(?i)` + strings.ReplaceAll(text, " ", `\s+`))
}

// check returns what breaks the list in clean folders.
func (w wordRules) check(repository fs.FS) ([]string, error) {
	found, files, err := w.findIn(repository, w.clean)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, f := range found {
		if f.never {
			lines = append(lines, f.String())
		}
	}
	for _, clean := range w.clean {
		if !slices.ContainsFunc(files, func(file string) bool { return isIn(file, []string{clean}) }) {
			lines = append(lines, fmt.Sprintf("tools/lint/words.txt: %s is clean and has no file", clean))
		}
	}
	return lines, nil
}

// isIn reports whether a file is one of the paths, or directly in one of them.
func isIn(file string, paths []string) bool {
	return slices.Contains(paths, file) || slices.Contains(paths, path.Dir(file))
}

// findIn returns the finds in some folders or files of a repository, or in all files if paths is
// nil. It also returns the files that it read.
func (w wordRules) findIn(repository fs.FS, paths []string) (found []wordFind, files []string, err error) {
	err = fs.WalkDir(repository, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipsProse(file):
			return fs.SkipDir
		case entry.IsDir() || !hasProse(file) || paths != nil && !isIn(file, paths):
			return nil
		}
		text, err := fs.ReadFile(repository, file)
		if err != nil {
			return err
		}
		files = append(files, file)
		found = append(found, w.find(file, text)...)
		return nil
	})
	return found, files, err
}

// countFinds counts the finds by folder: those that no clean folder may have, and those to look
// at.
func countFinds(found []wordFind) string {
	never, look := map[string]int{}, map[string]int{}
	for _, f := range found {
		if f.never {
			never[f.folder()]++
		} else {
			look[f.folder()]++
		}
	}
	folders := maps.Clone(never)
	maps.Copy(folders, look)
	var out strings.Builder
	fmt.Fprintf(&out, "%6s %6s  FOLDER\n", "NEVER", "LOOK")
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(&out, "%6d %6d  %s\n", never[folder], look[folder], folder)
	}
	return out.String()
}

// skipsProse reports whether a folder has no prose of the project: files of tests and code of
// generators.
func skipsProse(folder string) bool {
	base := path.Base(folder)
	return base == "testdata" || base == "bin" || folder == "pkg/generated" || len(base) > 1 && base[0] == '.' && base != ".github"
}

// hasProse reports whether a file is read: not the list's own test, and not the history.
func hasProse(file string) bool {
	switch path.Ext(file) {
	case ".go", ".md", ".yaml", ".yml", ".tpl", ".html":
		return file != "CHANGELOG.md" && file != "tools/lint/words_test.go"
	}
	return path.Base(file) == "NOTES.txt"
}

// find returns the finds in one file, in the order of their lines.
func (w wordRules) find(file string, text []byte) []wordFind {
	lines := bytes.Split(text, []byte("\n"))
	prose := bytes.Clone(text)
	if path.Ext(file) == ".go" {
		prose = goProse(text)
	}
	for _, fine := range w.fine {
		for _, at := range fine.FindAllIndex(prose, -1) {
			for i := at[0]; i < at[1]; i++ {
				if prose[i] != '\n' {
					prose[i] = '_'
				}
			}
		}
	}
	var found []wordFind
	for _, rule := range w.rules {
		for _, at := range rule.pattern.FindAllIndex(prose, -1) {
			part := prose[at[0]:at[1]]
			start := at[0] + len(part) - len(bytes.TrimLeft(part, " \t\n("))
			line := bytes.Count(text[:start], []byte("\n"))
			if bytes.Contains(lines[line], []byte(excuse)) {
				continue
			}
			words := strings.Join(strings.Fields(string(part)), " ")
			found = append(found, wordFind{file, line + 1, rule.never, fmt.Sprintf("%q: %s", words, rule.write)})
		}
	}
	slices.SortStableFunc(found, func(a, b wordFind) int { return a.line - b.line })
	return found
}

// goProse returns the comments and strings of Go code at their places, with blanks for comment
// markers and escapes, and NUL for code. Comments on consecutive lines are one text.
func goProse(code []byte) []byte {
	prose := make([]byte, len(code))
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(code))
	var scan scanner.Scanner
	scan.Init(file, code, nil, scanner.ScanComments)
	for {
		pos, kind, literal := scan.Scan()
		start := file.Offset(pos)
		switch {
		case kind == token.EOF:
			return prose
		case kind == token.SEMICOLON && literal == "\n":
			continue
		case kind == token.COMMENT:
			if before := bytes.TrimRight(code[:start], " \t"); bytes.HasSuffix(before, []byte("\n")) {
				copy(prose[len(before)-1:start], code[len(before)-1:start])
			}
			copy(prose[start:], strings.NewReplacer("//", "  ", "/*", "  ", "*/", "  ").Replace(literal))
		case kind == token.STRING && literal[0] == '"':
			copy(prose[start:], strings.NewReplacer(`\\`, `  `, `\n`, "  ", `\t`, "  ", `\"`, `" `).Replace(literal))
		case kind == token.STRING:
			copy(prose[start:], literal)
		}
	}
}
