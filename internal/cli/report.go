package cli

import (
	"fmt"
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
		Short: "Say what a record comes to: as text, as a page with a time line, or for a ticket",
		Long: `Judges a file that --record wrote, of any age and without the cluster. A last line
that was torn when its recorder was killed is named, and the rest is judged. Exit 3
where two processes were seen to run a cloud controller at once, 10 where not all was
watched.

-o html is one file that needs no network and no script, -o svg its time line alone, and
-o markdown the same without the picture.`,
		Example: `  awsmigrate report prod.jsonl
  awsmigrate report prod.jsonl -o html > prod.html
  awsmigrate report prod.jsonl -o markdown > prod.md`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: filesOf("jsonl"),
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
	written, err := report.As(a.output, result, torn)
	if err != nil {
		return err
	}
	if written != nil {
		if _, err := a.streams.Out.Write(written); err != nil {
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
