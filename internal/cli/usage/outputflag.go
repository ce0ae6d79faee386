package usage

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
)

// AddOutputFlag adds -o with its completion.
func AddOutputFlag(cmd *cobra.Command, a *app.App, formats []string) {
	cmd.Flags().StringVarP(&a.Output, "output", "o", "text", strings.Join(formats, "|")+": what is printed")
	completeFlag(cmd, "output", oneOf(formats...))
}

// DocumentFormats returns the formats of a command that prints one document.
func DocumentFormats() []string { return []string{"text", "json", "yaml"} }

// RunFormats returns the formats of a command that runs.
func RunFormats() []string { return []string{"text", "json", "jsonl", "yaml"} }

// ReportFormats returns the formats of a report.
func ReportFormats() []string { return []string{"text", "markdown", "html", "svg"} }
