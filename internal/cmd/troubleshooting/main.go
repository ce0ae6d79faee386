// Command troubleshooting writes docs/troubleshooting.md anew; run it in the root of the
// repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// target is the page, from the root of the repository.
const target = "docs/troubleshooting.md"

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string) error {
	text, err := page(os.DirFS(filepath.Join(root, "docs")))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, target), text, 0o644)
}
