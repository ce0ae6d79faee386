// Command reasons writes docs/reasons.md anew; run it in the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
)

func main() {
	text, err := page(".")
	if err == nil {
		err = os.WriteFile("docs/"+view.ReasonsPage, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
