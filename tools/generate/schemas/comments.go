package schemas

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
)

const product = "github.com/awsmigrate/awsmigrate"

// comments reads the comments of fields from the product's sources. The library's own
// reader leaves out types that are not exported.
type comments struct {
	root     string            // the folder of the repository
	packages map[string]bool   // read so far
	fields   map[string]string // by package, type and field
	err      error             // the first one
}

// of returns the comment of a struct's field, or an empty text.
func (c *comments) of(t reflect.Type, field string) string {
	folder, ours := strings.CutPrefix(t.PkgPath(), product)
	if !ours || field == "" {
		return ""
	}
	if !c.packages[t.PkgPath()] && c.err == nil {
		c.packages[t.PkgPath()] = true
		c.err = c.read(t.PkgPath(), filepath.Join(c.root, filepath.FromSlash(folder)))
	}
	return c.fields[key(t.PkgPath(), t.Name(), field)]
}

func key(pkg, typ, field string) string { return pkg + "." + typ + "." + field }

// read collects the comments of a package.
func (c *comments) read(pkg, folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("read the sources of %s: %w", pkg, fs.ErrNotExist)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read the comments of %s: %w", pkg, err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if typ, ok := n.(*ast.TypeSpec); ok {
				if body, ok := typ.Type.(*ast.StructType); ok {
					c.collect(pkg, typ.Name.Name, body)
				}
			}
			return true
		})
	}
	return nil
}

func (c *comments) collect(pkg, typ string, body *ast.StructType) {
	for _, field := range body.Fields.List {
		comment := field.Comment
		if comment == nil {
			comment = field.Doc
		}
		for _, name := range field.Names {
			c.fields[key(pkg, typ, name.Name)] = sentences(comment.Text())
		}
	}
}

// sentences returns a comment as one line, without markers of Kubernetes' generators.
func sentences(comment string) string {
	var words []string
	for line := range strings.Lines(comment) {
		if !strings.HasPrefix(line, "+") {
			words = append(words, strings.Fields(line)...)
		}
	}
	return strings.Join(words, " ")
}
