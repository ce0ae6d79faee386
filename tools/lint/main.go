// Command lint checks rules that golangci-lint does not have: ruleguard could express those
// for Go, but needs its package in the go.mod of every module that it reads.
//
//	go -C tools/lint run . ../..                      what make lint checks
//	go -C tools/lint run . words ../.. [FOLDER...]    finds of words.txt: by folder, or in these
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
)

func main() {
	words, err := parseWords(wordList)
	switch {
	case err != nil:
		fail(err)
	case len(os.Args) == 2 && os.Args[1] != "words":
		check(os.DirFS(os.Args[1]), words)
	case len(os.Args) == 3 && os.Args[1] == "words":
		found, _, err := words.findIn(os.DirFS(os.Args[2]), nil)
		if err != nil {
			fail(err)
		}
		fmt.Print(countFinds(found))
	case len(os.Args) > 3 && os.Args[1] == "words":
		found, _, err := words.findIn(os.DirFS(os.Args[2]), os.Args[3:])
		if err != nil {
			fail(err)
		}
		for _, f := range found {
			fmt.Println(f)
		}
	default:
		fail(errors.New("usage: lint REPOSITORY | lint words REPOSITORY [FOLDER...]"))
	}
}

// check prints a line for each place that breaks a rule, and exits with 1 if there are any.
func check(repository fs.FS, words wordRules) {
	found, err := lint(repository)
	if err != nil {
		fail(err)
	}
	unclean, err := words.check(repository)
	if err != nil {
		fail(err)
	}
	for _, line := range append(found, unclean...) {
		fmt.Println(line)
	}
	if len(found)+len(unclean) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

// lint returns a line for each place in the product's sources that breaks a rule.
func lint(repository fs.FS) ([]string, error) {
	var found []string
	files := 0
	for _, top := range []string{"cmd", "internal", "pkg"} {
		err := fs.WalkDir(repository, top, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path == "internal/testing":
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files++
			text, err := fs.ReadFile(repository, path)
			if err != nil {
				return err
			}
			lines, err := lintFile(path, text)
			found = append(found, lines...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if files == 0 {
		return nil, fmt.Errorf("no Go file below cmd, internal and pkg")
	}
	return found, nil
}

// lintFile returns a line for each place in one file that breaks a rule.
func lintFile(path string, text []byte) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type place struct {
		at   token.Pos
		what string
	}
	var places []place
	declared := declaredIDs(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch {
		case composesCommand(n):
			places = append(places, place{n.Pos(), "a value becomes part of a command: use fault.Command, which quotes it"})
		case knowsCheck(n, declared):
			places = append(places, place{n.Pos(), "code knows a check by its ID: make it a field of verify.Meta"})
		}
		return true
	})
	var lines []string
	for _, p := range places {
		lines = append(lines, fmt.Sprintf("%s: %s", set.Position(p.at), p.what))
	}
	return lines, nil
}
