// Command checks writes docs/checks.md anew; run it in the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
)

func main() {
	if err := os.WriteFile(verifyview.ChecksPage, page(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
