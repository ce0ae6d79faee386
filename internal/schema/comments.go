package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Comments reads the comments of the fields of a package's structs. The package
// is found in root, the folder of the module with this path.
func Comments(root, module, pkg string, into map[string]string) error {
	folder := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(pkg, module)))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("read the sources of %s: %w", pkg, err)
	}
	files := token.NewFileSet()
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join(folder, entry.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read the comments of %s: %w", pkg, err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if typ, ok := n.(*ast.TypeSpec); ok {
				if body, ok := typ.Type.(*ast.StructType); ok {
					collect(pkg, typ.Name.Name, body, into)
				}
			}
			return true
		})
	}
	return nil
}

func collect(pkg, typ string, body *ast.StructType, into map[string]string) {
	for _, field := range body.Fields.List {
		comment := field.Comment
		if comment == nil {
			comment = field.Doc
		}
		if text := strings.Join(strings.Fields(comment.Text()), " "); text != "" {
			for _, name := range field.Names {
				into[Key(pkg, typ, name.Name)] = text
			}
		}
	}
}
