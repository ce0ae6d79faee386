package reasons

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reasonsBelow returns the reasons of all faults in the code below a folder.
func reasonsBelow(root string) (map[string]*reason, error) {
	var files []*ast.File
	set := token.NewFileSet()
	for _, folder := range []string{"internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && (entry.Name() == "testing" || entry.Name() == "generated") {
				if err == nil {
					err = fs.SkipDir
				}
				return err
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return collect(files), nil
}

// code holds the definitions to which faults refer.
type code struct {
	constants map[string]string   // texts by package and name of the constant
	makers    map[string]function // functions that create faults, by package and name
	carried   map[string]ast.Expr // class of the faults made from structs with a field "reason", by package
}

// function is a function with a parameter "reason".
type function struct {
	parameters []string
	class      ast.Expr // of the fault in its body, or nil
}

// collect returns the faults whose reason is a literal or a constant of reasons.
func collect(files []*ast.File) map[string]*reason {
	c, found := code{map[string]string{}, map[string]function{}, map[string]ast.Expr{}}, map[string]*reason{}
	for _, pass := range []func(pkg string, n ast.Node){
		c.define,
		c.carry,
		func(pkg string, n ast.Node) {
			if fields := c.fieldsOf(n, pkg); fields != nil {
				c.add(found, pkg, fields)
			}
		},
	} {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				pass(file.Name.Name, n)
				return true
			})
		}
	}
	for constant, name := range c.constants {
		if found[name] == nil && ofReason.MatchString(constant) && word.MatchString(name) {
			found[name] = &reason{}
		}
	}
	return found
}

// define records the constants of a file, or a function.
func (c code) define(pkg string, n ast.Node) {
	if file, is := n.(*ast.File); is {
		for _, decl := range file.Decls {
			c.defineConstants(pkg, decl)
		}
	}
	if name, made := maker(n); slices.Contains(made.parameters, "reason") {
		c.makers[pkg+"."+name] = made
	}
}

func (c code) defineConstants(pkg string, decl ast.Decl) {
	of, is := decl.(*ast.GenDecl)
	if !is || of.Tok != token.CONST {
		return
	}
	for _, spec := range of.Specs {
		for i, value := range spec.(*ast.ValueSpec).Values {
			if text, fixed := c.text(pkg, value); fixed {
				c.constants[pkg+"."+spec.(*ast.ValueSpec).Names[i].Name] = text
			}
		}
	}
}

// carry records the class of a fault whose reason is a field of another struct.
func (c code) carry(pkg string, n ast.Node) {
	fields := c.fieldsOf(n, pkg)
	if from, is := fields["Reason"].(*ast.SelectorExpr); is && from.Sel.Name == "reason" {
		if earlier, is := c.carried[pkg]; is && nameOf(earlier) != nameOf(fields["Class"]) {
			fields["Class"] = nil // of two functions
		}
		c.carried[pkg] = fields["Class"]
	}
}

// ofReason matches a reason's constant.
var ofReason = regexp.MustCompile(`\.[Rr]eason[A-Z]`)

// word matches a reason. Functions also take other texts as reasons.
var word = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// maker returns the name of a function that may create faults.
func maker(n ast.Node) (name string, made function) {
	var of *ast.FuncType
	var body *ast.BlockStmt
	switch n := n.(type) {
	case *ast.FuncDecl:
		name, of, body = n.Name.Name, n.Type, n.Body
	case *ast.AssignStmt:
		if value, is := n.Rhs[0].(*ast.FuncLit); is {
			name, of, body = nameOf(n.Lhs[0]), value.Type, value.Body
		}
	}
	if of == nil || body == nil {
		return "", function{}
	}
	for _, field := range of.Params.List {
		for _, parameter := range field.Names {
			made.parameters = append(made.parameters, parameter.Name)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if fault, is := n.(*ast.CompositeLit); is && nameOf(fault.Type) == "Error" {
			made.class = keys(fault)["Class"]
		}
		return true
	})
	return name, made
}

// keys returns the fields of a composite literal, as those of a fault are named.
func keys(of *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, element := range of.Elts {
		if pair, is := element.(*ast.KeyValueExpr); is {
			fields[title(nameOf(pair.Key))] = pair.Value
		}
	}
	return fields
}

// elsewhere returns a class, or another word if the place of the reason does not show it.
func elsewhere(class ast.Expr) ast.Expr {
	if class == nil {
		return &ast.Ident{Name: "said elsewhere"}
	}
	return class
}

// fieldsOf returns the fields of a fault, of a changed fault, of a struct from which one is made, or
// of a call of a function in the same package that creates one.
func (c code) fieldsOf(n ast.Node, pkg string) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	switch n := n.(type) {
	case *ast.CompositeLit:
		fields = keys(n)
		if nameOf(n.Type) == "Error" {
			return fields
		}
		if !slices.ContainsFunc(n.Elts, carriesReason) {
			return nil
		}
		fields["Class"] = elsewhere(c.carried[pkg])
		return fields
	case *ast.AssignStmt: // changes a fault
		for i, field := range n.Lhs {
			if selected, is := field.(*ast.SelectorExpr); is && len(n.Rhs) == len(n.Lhs) {
				fields[selected.Sel.Name] = n.Rhs[i]
			}
		}
		if fields["Reason"] == nil {
			return nil
		}
		fields["Class"] = elsewhere(fields["Class"])
		return fields
	case *ast.CallExpr:
		made, is := c.makers[pkg+"."+nameOf(n.Fun)]
		if !is {
			return nil
		}
		for i, parameter := range made.parameters {
			if i < len(n.Args) {
				fields[title(parameter)] = n.Args[i]
			}
		}
		if fields["Class"] == nil {
			fields["Class"] = elsewhere(made.class)
		}
		return fields
	}
	return nil
}

// carriesReason reports whether an element of a composite literal is a field "reason".
func carriesReason(element ast.Expr) bool {
	pair, is := element.(*ast.KeyValueExpr)
	return is && nameOf(pair.Key) == "reason"
}

// add records one fault of a package.
func (c code) add(found map[string]*reason, pkg string, fields map[string]ast.Expr) {
	name, _ := c.text(pkg, fields["Reason"])
	if named := nameOf(fields["Reason"]); named != "" && !ofReason.MatchString("."+named) {
		return
	}
	if !word.MatchString(name) {
		return
	}
	if found[name] == nil {
		found[name] = &reason{}
	}
	r := found[name]
	if class := nameOf(fields["Class"]); class != "" || fields["Class"] == nil {
		if class == "" {
			class = "Unexpected"
		}
		if _, is := classes()[class]; is {
			r.class = once(r.class, class)
		}
	}
	for field, list := range map[string]*[]string{"Seen": &r.seen, "Wanted": &r.wanted, "Fix": &r.fix} {
		if text, fixed := c.text(pkg, fields[field]); fixed && text != "" {
			*list = once(*list, text)
		}
	}
}

func title(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func once(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// qualified returns a name with its package, for an expression in pkg.
func qualified(pkg string, e ast.Expr) string {
	if selected, is := e.(*ast.SelectorExpr); is {
		pkg = nameOf(selected.X)
	}
	return pkg + "." + nameOf(e)
}

// text returns a constant text of the code, also if it is joined from parts.
func (c code) text(pkg string, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, first := c.text(pkg, e.X)
		y, second := c.text(pkg, e.Y)
		return x + y, first && second && e.Op == token.ADD
	case *ast.Ident, *ast.SelectorExpr:
		text, fixed := c.constants[qualified(pkg, e)]
		return text, fixed
	}
	return "", false
}
