package main

import (
	"go/ast"
	"regexp"
)

var (
	checkID = regexp.MustCompile(`AWSM-[0-9]*`)
	word    = regexp.MustCompile(`[A-Za-z]{2,}`)
)

// knowsCheck reports whether n is a text with the ID of a check outside the literal that
// declares it. Sentences may name a check: people look it up.
func knowsCheck(n ast.Node, declared map[ast.Node]bool) bool {
	e, is := n.(ast.Expr)
	if !is || declared[n] {
		return false
	}
	text, literal := textOf(e)
	return literal && checkID.MatchString(text) && len(word.FindAllString(checkID.ReplaceAllString(text, ""), 2)) < 2
}

// declaredIDs returns the literals that are the ID of a verify.Meta.
func declaredIDs(file *ast.File) map[ast.Node]bool {
	ids := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		meta, is := n.(*ast.CompositeLit)
		if !is {
			return true
		}
		kind, is := meta.Type.(*ast.SelectorExpr)
		if !is || kind.Sel.Name != "Meta" {
			return true
		}
		if pkg, is := kind.X.(*ast.Ident); !is || pkg.Name != "verify" {
			return true
		}
		for _, element := range meta.Elts {
			field, is := element.(*ast.KeyValueExpr)
			if !is {
				continue
			}
			if key, is := field.Key.(*ast.Ident); is && key.Name == "ID" {
				ids[field.Value] = true
			}
		}
		return true
	})
	return ids
}
