// Command generate writes the pages that are generated from the product's code: docs/checks.md,
// docs/cli.md, docs/reasons.md, docs/schema and THIRD_PARTY_NOTICES. Run it in the root of the
// repository:
//
//	go -C tools/generate run . ../..
//
// It is a separate module, so that the product does not require the imports of generators.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/tools/generate/checks"
	"github.com/awsmigrate/awsmigrate/tools/generate/cli"
	"github.com/awsmigrate/awsmigrate/tools/generate/notices"
	"github.com/awsmigrate/awsmigrate/tools/generate/reasons"
	"github.com/awsmigrate/awsmigrate/tools/generate/schemas"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("arguments %q, wanted the root of the repository and, to leave it as it is, another folder", args)
	}
	files, err := generate(ctx, args[0])
	if err != nil {
		return err
	}
	into, err := os.OpenRoot(args[len(args)-1])
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

// generate returns the text of every file by its path below root, the folder of the
// repository.
func generate(ctx context.Context, root string) (map[string][]byte, error) {
	files := map[string][]byte{verifyview.ChecksPage: checks.Page(), cli.Name: cli.Page()}
	var err error
	if files["docs/"+view.ReasonsPage], err = reasons.Page(root); err != nil {
		return nil, err
	}
	if files["THIRD_PARTY_NOTICES"], err = notices.Page(ctx, root); err != nil {
		return nil, err
	}
	schemas, err := schemas.Files(root)
	maps.Copy(files, schemas)
	return files, err
}
