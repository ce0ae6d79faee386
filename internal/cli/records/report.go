package records

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/report/sources"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// reportFlags select one of a journal's records.
type reportFlags struct {
	Run string `flag:"run"`
}

// NewReport returns the command report.
func NewReport(a *app.App) *cobra.Command {
	named, one := &target.Journaled{}, &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report FILE | --cluster NAME | --config cluster.yml",
		Short: "Render a report from a record, a journal or a bundle: as text, as one page, or for a ticket",
		Long: `Reports on a file of any age, without the cluster: a record that --record or a run
wrote, a bundle of verify --dump, or a journal, as the ConfigMap that kubectl get -o
yaml prints. With --cluster or --config the journal is read from the cluster, with the
records of its runs, and all of them are judged. The type of FILE is detected.

A record shows which process ran the cloud controllers at which time, and whether two
ever did at once. For a run it has the steps, every edit as a diff, and the findings of
its checks. A journal lists the runs: user, time, command, result and writes. A bundle
has the findings of its checks. Unwatched times are reported as unknown.

Exit 3 if two processes ran a cloud controller at once; 10 if unwatched times leave that
open, as for every bundle and for a journal without records.

-o html is one file that needs no network and no script. -o svg is the time line of a
record. -o markdown is the text without the picture.`,
		Example: `  awsmigrate report prod.jsonl
  awsmigrate report prod.jsonl -o html > prod.html
  awsmigrate report --cluster prod -o markdown > prod.md
  awsmigrate report --cluster prod --run last -o html > last.html
  awsmigrate report bundle.json -o html > audit.html`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: usage.FilesOf("jsonl", "json", "yaml", "yml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.CheckOutput(usage.ReportFormats()...); err != nil {
				return err
			}
			read, err := readForReport(cmd.Context(), a, named, args, one.Run)
			if err != nil {
				return err
			}
			return writeReport(a, read)
		},
	}
	named.Register(cmd.Flags(), one)
	usage.AddOutputFlag(cmd, a, usage.ReportFormats())
	return cmd
}

// readForReport reads the source that the command line names.
func readForReport(ctx context.Context, a *app.App, named *target.Journaled, args []string, run string) (report.Report, error) {
	switch {
	case len(args) > 0 && named.Given():
		return report.Report{}, fault.AsUsage(errors.New("FILE and a cluster: wanted one of them"))
	case len(args) > 0:
		return reportOfFile(ctx, args[0], run)
	case !named.Given():
		return report.Report{}, &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "this command", Seen: "nothing is named",
			Wanted: "FILE, --cluster NAME or --config cluster.yml", Fix: "list the clusters: `awsmigrate list`"}
	}
	s, err := named.Open(ctx, a.Opening())
	if err != nil {
		return report.Report{}, err
	}
	records, unread := s.Records().Load(ctx)
	if run != "" {
		if unread != nil {
			return report.Report{}, unread
		}
		return sources.RecordOf(records, run, s.Records().Object())
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return report.Report{}, err
	}
	state.Target = s.Procedure.Target() // also if it does not exist yet
	return sources.WithRecords(sources.Journal(state, s.Clock.Now()), records, unread), nil
}

// writeReport prints a report in the requested format, and returns its outcome.
func writeReport(a *app.App, r report.Report) error {
	if a.Output == "svg" && r.Source != report.Record {
		return fault.AsUsage(fmt.Errorf("flag --output: svg shows the time line of a record, which a journal or a bundle lacks; wanted text, html or markdown"))
	}
	written, err := report.As(a.Output, r)
	if err != nil {
		return err
	}
	if written == nil {
		view.WriteReport(a.Streams, r)
	} else if _, err := a.Streams.Out.Write(written); err != nil {
		return err
	}
	return view.Shown(outcomeOf(r))
}

// outcomeOf returns the error of a report, or nil if nothing is wrong.
func outcomeOf(r report.Report) error {
	if r.Source == report.Record {
		return verdict(r.Header.Name, r.Verdict())
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllWatched", Object: "cluster " + r.Header.Name, Seen: "the leases of the cloud controllers were not watched"}
}
