// Command schema writes docs/schema anew; run it in the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/internal/cli"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string) error {
	files, err := cli.Schemas(root)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "docs", "schema")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
