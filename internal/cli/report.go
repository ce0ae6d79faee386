package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

func newReport(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Say what a record of record comes to: as text, or as Markdown for a ticket",
		Long: `Judges a file that record --record wrote, of any age and without the cluster. A last
line that was torn when its recorder was killed is named, and the rest is judged. Exit 3
where two processes were seen to run a cloud controller at once, 10 where not all was
watched.`,
		Example: `  awsmigrate report prod.jsonl
  awsmigrate report prod.jsonl -o markdown > prod.md`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: anyFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.checkOutput(reportFormats()...); err != nil {
				return err
			}
			return reportOn(a, args[0])
		},
	}
	addOutputFlag(cmd, a, reportFormats())
	return cmd
}

func reportOn(a *app, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fault.AsUsage(fmt.Errorf("record: %w", err))
	}
	defer file.Close() //nolint:errcheck // it is only read
	judged := judge.New()
	torn, err := record.Read(file, judged.Put)
	if err != nil {
		return err
	}
	result := judged.Result()
	if a.output == "markdown" {
		if _, err := io.WriteString(a.streams.Out, report.Markdown(result, torn)); err != nil {
			return err
		}
		return view.Shown(verdict(result))
	}
	for _, line := range report.TornLines(torn) {
		a.say(line)
	}
	view.WriteJudgement(a.streams, result)
	return view.Shown(verdict(result))
}
