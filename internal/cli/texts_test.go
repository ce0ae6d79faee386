package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// textsRead are the functions of the command line that look into a text, and why none
// of them reads what one of our own sentences says.
var textsRead = map[string]string{
	"roleSessionName": "what a user typed",
	"options":         "what a user typed: ID=REASON of --skip",
	"explain":         "what a user typed",
	"groupCommands":   "a table in the code",
	"writeFlags":      "a table in the code",
	"listOf":          "what a user types",
	"checksToMake":    "a comma in a word of a list of words",
	"explainReason":   "what a user typed",
	"sections":        "the files of AWS's own tools",
	"UTF8":            "the locale of the environment",
	"WideLocale":      "as UTF8",
	"words":           "breaks lines at blanks",
	"parts":           "breaks a word that no line has room for",
	"plain":           "takes the colours out of a line that was made here",
	"again":           "the flags of a command line, as a user typed them",
	"lastPart":        "the form of a machine's name",
	"hostPart":        "as lastPart",
	"drawing":         "what draws on a terminal, taken out of a file",
	"paint":           "colours the mark that a table put first, one of a list of its own",
	"DiffLine":        "a diff: its signs",
	"seen":            "shortens what is too long at the end of a fact",
	"Hanging":         "breaks a line that is too long behind its columns",
	"foldedChange":    "a diff: its signs",
	"diffLines":       "a diff: its lines",
	"writeLines":      "a manifest, a policy: its lines",
	"Wrapped":         "breaks lines at blanks",
	"shellCommand":    "keeps a command whole that ends a fix: a fix is a text in reports and bundles, and has no other form",
	"forCluster":      "as shellCommand",
	"rkeID":           "the form of a name that Rancher gives",
	"findingLine":     "does not repeat a fix that the cause of an error ends with",
}

// What code decides by is a field: who rephrases a sentence changes nothing but the
// sentence. Every look into a text is listed with its reason.
func TestCommandLineReadsNoSentence(t *testing.T) {
	readers := map[string][]string{
		"strings": {"Contains", "ContainsAny", "ContainsFunc", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Fields", "FieldsFunc", "HasPrefix", "HasSuffix",
			"Index", "IndexAny", "IndexByte", "IndexFunc", "LastIndex", "Lines", "Split", "SplitAfter", "SplitAfterN", "SplitN", "SplitSeq", "FieldsSeq"},
		"regexp": {"Compile", "MustCompile", "MatchString", "Match"},
		"fmt":    {"Sscan", "Sscanf", "Sscanln"},
	}
	found, files := map[string]token.Position{}, 0
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				selected, is := call.Fun.(*ast.SelectorExpr)
				if !is {
					return true
				}
				if pkg, is := selected.X.(*ast.Ident); is && slices.Contains(readers[pkg.Name], selected.Sel.Name) {
					found[declared(decl)] = set.Position(n.Pos())
				}
				return true
			})
		}
		return nil
	})
	if err != nil || files < 40 {
		t.Fatalf("%d files, %v", files, err)
	}
	for name, at := range found {
		if textsRead[name] == "" {
			t.Errorf("%s: %s looks into a text: what it looks for belongs in a field", at, name)
		}
	}
	for name := range textsRead {
		if _, still := found[name]; !still {
			t.Errorf("%s looks into no text any more", name)
		}
	}
}

// declared is the name that a declaration at the top of a file gives.
func declared(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.Name
	case *ast.GenDecl:
		if value, is := decl.Specs[0].(*ast.ValueSpec); is {
			return value.Names[0].Name
		}
	}
	return ""
}
