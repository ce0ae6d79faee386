// Command lint reports what golangci-lint has no rule for: ruleguard could express it, and
// needs its package in the go.mod of every module that it reads.
//
//	go -C tools/lint run . ../..
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: lint REPOSITORY")
		os.Exit(2)
	}
	found, err := lint(os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
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
