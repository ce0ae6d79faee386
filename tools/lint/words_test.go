package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// seededSentences returns a sentence for each find of the list, and what it must find. Sentences
// without a find are good English.
func seededSentences() map[string]string {
	return map[string]string{
		"Nobody writes the lease.":                    "Nobody",
		"What whoever waits takes.":                   "whoever",
		"It works whatever it is called.":             "whatever it",
		"A lease of ours is fenced.":                  "of ours",
		"The machine in hand rolls.":                  "in hand",
		"The hand-over is in hand-written code.":      "",
		"The file beside the journal.":                "beside",
		"Besides, the journal is a file.":             "",
		"It ends by itself.":                          "by itself",
		"It does not run any more.":                   "any more",
		"A key that stands twice.":                    "stands",
		"CCM stands for cloud controller manager.":    "",
		"A stand-in serves the API.":                  "",
		"The edit comes to nothing.":                  "comes to",
		"Its lease is the one before.":                "the one before",
		"Words of Go and the like.":                   "the like",
		"The likely cause.":                           "",
		"A file, be it empty.":                        "be it",
		"The next run takes up the work.":             "takes up",
		"Put that right and ask again.":               "Put that right",
		"The user took the edit back.":                "",
		"The edit is taken back.":                     "taken back",
		"Nil where there is none.":                    "there is none",
		"Ask for the brake, then look.":               "brake,",
		"The metric brakes_total counts pauses.":      "",
		"Brake pauses the rollout.":                   "Brake",
		"handed is what an edit leaves.":              "handed is what",
		"HasRole says whether it has a role.":         "HasRole says whether",
		`Name names it; "": not known.`:               `"": n`,
		"Err is why it ended; nil: it runs.":          "nil: it",
		"The node is to be cordoned.":                 "is to",
		"The annotation tells the run.":               "tells",
		"Missing lists what is left.":                 "what is",
		"It has rke run the step.":                    "has rke run",
		"It is over. What is left waits.":             ". What",
		"The holder steps down and the lease expires": "",
	}
}

func TestWordRulesFind_eachRule_found(t *testing.T) {
	words, err := parseWords(wordList)
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for sentence, want := range seededSentences() {
		var found []string
		for _, f := range words.find("a.md", []byte(sentence)) {
			found = append(found, f.text)
		}
		got := strings.Join(found, "\n")
		if want == "" && got != "" || !strings.Contains(got, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s\nfound %s, want %q", sentence, got, want)
		}
		all += got + "\n"
	}
	for _, rule := range words.rules {
		if !strings.Contains(all, `": `+rule.write+"\n") {
			t.Errorf("no sentence has %s", rule.pattern)
		}
	}
}

func TestWordRulesFind_places_lines(t *testing.T) {
	words, err := parseWords("never: in hand -> current\nnever: nobody -> no X")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		file, text string
		want       string
	}{
		"comment":            {"a.go", "package a\n\n// nobody\n", "a.go:3"},
		"trailing comment":   {"a.go", "package a // nobody\n", "a.go:1"},
		"block comment":      {"a.go", "package a\n/* a\nnobody */\n", "a.go:3"},
		"wrapped comment":    {"a.go", "package a\n\n\t// in\n\t// hand\n", "a.go:3"},
		"separate comments":  {"a.go", "package a\n\n// in\n\n// hand\n", ""},
		"string":             {"a.go", "package a\n\nvar s = \"a\\nnobody\"\n", "a.go:3"},
		"raw string":         {"a.go", "package a\n\nvar s = `\nnobody`\n", "a.go:4"},
		"identifier":         {"a.go", "package a\n\nvar nobody = 1\n", ""},
		"strings apart":      {"a.go", "package a\n\nvar s = []string{\"in\", \"hand\"}\n", ""},
		"not ASCII before":   {"a.go", "package a\n\n// é…\n// nobody\n", "a.go:4"},
		"excused":            {"a.go", "package a\n\n// nobody words:ok\n", ""},
		"excused below":      {"a.go", "package a\n\n// nobody\n// words:ok\n", "a.go:3"},
		"Markdown":           {"a.md", "a\nin\nhand\n", "a.md:2"},
		"YAML":               {"a.yaml", "a: nobody\n", "a.yaml:1"},
		"template":           {"a.tpl", "{{/* nobody */}}\n", "a.tpl:1"},
		"part of a word":     {"a.md", "nobodys in handy", ""},
		"upper and lower":    {"a.md", "Nobody", "a.md:1"},
		"string of a method": {"a.go", "package a\n\nvar s = f(\"x nobody\")\n", "a.go:3"},
	} {
		var got []string
		for _, f := range words.find(tt.file, []byte(tt.text)) {
			place, _, _ := strings.Cut(f.String(), ": ")
			got = append(got, place)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestWordRulesCheck(t *testing.T) {
	words, err := parseWords("never: nobody -> no X\nlook: told -> returns\nclean: a\nclean: b/b.md\nclean: gone")
	if err != nil {
		t.Fatal(err)
	}
	bad, told := &fstest.MapFile{Data: []byte("nobody\n")}, &fstest.MapFile{Data: []byte("told\n")}
	found, err := words.check(fstest.MapFS{"a/a.md": bad, "a/told.md": told, "a/testdata/a.md": bad, "a/a/a.md": bad, "b/a.md": bad, "b/b.md": bad, "CHANGELOG.md": bad})
	want := []string{`a/a.md:1: "nobody": no X`, `b/b.md:1: "nobody": no X`, "tools/lint/words.txt: gone is clean and has no file"}
	if err != nil || strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, %v", found, err)
	}
	all, _, err := words.findIn(fstest.MapFS{"a/a.md": bad, "a/told.md": told}, nil)
	if counts := countFinds(all); err != nil || !strings.Contains(counts, "     1      1  a\n") {
		t.Errorf("%s, %v", counts, err)
	}
}

func TestParseWords_badLine_error(t *testing.T) {
	for _, list := range []string{"never: nobody", "often: a -> b", "never: ( -> b", "nobody"} {
		if _, err := parseWords(list); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}
