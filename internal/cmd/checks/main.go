// Command checks writes docs/checks.md anew; run it in the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
)

func main() {
	if err := os.WriteFile(view.ChecksPage, page(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
