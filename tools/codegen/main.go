// Command codegen writes the files that are generated from the kinds in pkg/apis: DeepCopy
// functions, the CustomResourceDefinitions in charts/awsmigrate-crd, and wrangler's controllers in
// pkg/generated. Run it in the root of the repository:
//
//	go -C tools/codegen run . ../..
//
// It is a separate module, so that the product does not require the imports of generators.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("arguments %q, wanted the root of the repository and, to leave it as it is, another folder", args)
	}
	into, err := os.OpenRoot(args[len(args)-1])
	if err != nil {
		return err
	}
	if err := os.Chdir(args[0]); err != nil {
		return err
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := into.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := into.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return into.Close()
}

// generate returns the text of every file by its path below the working directory. This must
// be the root of the repository, because generators load packages from there.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := copiesAndDefinitions(files); err != nil {
		return nil, err
	}
	return files, controllers(files)
}
