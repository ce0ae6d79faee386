package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// tool matches a text from the beginning of a command on.
var tool = regexp.MustCompile(`(?:^|[:;] |` + "`" + `)(?:kubectl|helm (?:-n|uninstall)|aws (?:ec2|iam)|awsmigrate (?:rke2?|status|undo)|rke (?:up|util|etcd)) .*$`)

// composesCommand reports whether n adds a value to the text of a command, or formats one
// into it. Constants may be joined.
func composesCommand(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		text, literal := lastText(n.X)
		return n.Op == token.ADD && literal && !isConstant(n.Y) && tool.MatchString(text)
	case *ast.CallExpr:
		if !strings.HasSuffix(called(n), "f") {
			return false
		}
		for _, arg := range n.Args {
			if text, literal := textOf(arg); literal && strings.Contains(tool.FindString(text), "%") {
				return true
			}
		}
	}
	return false
}

// lastText returns the text that a sum of literals ends with.
func lastText(e ast.Expr) (string, bool) {
	sum, isSum := e.(*ast.BinaryExpr)
	if !isSum {
		return textOf(e)
	}
	left, _ := lastText(sum.X)
	right, literal := lastText(sum.Y)
	return left + right, literal
}

// textOf returns the value of a string literal.
func textOf(e ast.Expr) (string, bool) {
	literal, is := e.(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// isConstant reports whether an expression is the name of a constant: those that texts are
// made of have a capital, or are in wellknown or downstream.
func isConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return ast.IsExported(e.Name)
	case *ast.SelectorExpr:
		x, is := e.X.(*ast.Ident)
		return is && (x.Name == "wellknown" || x.Name == "downstream")
	case *ast.BinaryExpr:
		return isConstant(e.X)
	case *ast.BasicLit:
		return true
	}
	return false
}

// called returns the name of the function that is called.
func called(n *ast.CallExpr) string {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}
