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

// collect returns the faults whose reason is a literal or a constant of reasons.
func collect(files []*ast.File) map[string]*reason {
	constants, found, makers := map[string]string{}, map[string]*reason{}, map[string][]string{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			for i := 0; is && i < len(spec.Names) && i < len(spec.Values); i++ {
				if text, fixed := literal(spec.Values[i]); fixed && constant.MatchString(spec.Names[i].Name) {
					constants[file.Name.Name+"."+spec.Names[i].Name] = text
				}
			}
			if name, parameters := maker(n); slices.Contains(parameters, "reason") {
				makers[file.Name.Name+"."+name] = parameters
			}
			return true
		})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if fields := fieldsOf(n, makers, file.Name.Name); fields != nil {
				add(found, constants, file.Name.Name, fields)
			}
			return true
		})
	}
	for _, name := range constants {
		if found[name] == nil && word.MatchString(name) {
			found[name] = &reason{}
		}
	}
	return found
}

// constant matches the name of a reason's constant.
var constant = regexp.MustCompile(`^[Rr]eason[A-Z]`)

// word matches a reason. Functions also take other texts as reasons.
var word = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// maker returns the name and the parameters of a function that may create faults.
func maker(n ast.Node) (name string, parameters []string) {
	var of *ast.FuncType
	switch n := n.(type) {
	case *ast.FuncDecl:
		name, of = n.Name.Name, n.Type
	case *ast.AssignStmt:
		if made, is := n.Rhs[0].(*ast.FuncLit); is {
			name, of = nameOf(n.Lhs[0]), made.Type
		}
	}
	if of == nil {
		return "", nil
	}
	for _, field := range of.Params.List {
		for _, parameter := range field.Names {
			parameters = append(parameters, parameter.Name)
		}
	}
	return name, parameters
}

// fieldsOf returns the fields of a fault, of a changed fault, or of a call of a function in
// the same package that creates one.
func fieldsOf(n ast.Node, makers map[string][]string, pkg string) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	switch n := n.(type) {
	case *ast.CompositeLit:
		if name := nameOf(n.Type); name != "Error" && name != "refusal" { // becomes a fault
			return nil
		}
		for _, element := range n.Elts {
			if pair, is := element.(*ast.KeyValueExpr); is {
				fields[title(nameOf(pair.Key))] = pair.Value
			}
		}
		if nameOf(n.Type) == "refusal" {
			fields["Class"] = &ast.Ident{Name: "Usage"}
		}
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
		if fields["Class"] == nil {
			fields["Class"] = &ast.Ident{Name: "said elsewhere"}
		}
		return fields
	case *ast.CallExpr:
		parameters := makers[pkg+"."+nameOf(n.Fun)]
		for i, parameter := range parameters {
			if i < len(n.Args) {
				fields[title(parameter)] = n.Args[i]
			}
		}
		if parameters != nil && fields["Class"] == nil {
			fields["Class"] = &ast.Ident{Name: "said elsewhere"}
		}
		return fields
	}
	return nil
}

// add records one fault of a package.
func add(found map[string]*reason, constants map[string]string, pkg string, fields map[string]ast.Expr) {
	name, fixed := literal(fields["Reason"])
	if !fixed {
		name = constants[qualified(pkg, fields["Reason"])]
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
		if text, fixed := literal(fields[field]); fixed && text != "" {
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

// literal returns a constant text of the code, also if it is joined from parts.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, first := literal(e.X)
		y, second := literal(e.Y)
		return x + y, first && second && e.Op == token.ADD
	}
	return "", false
}
