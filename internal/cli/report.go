package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/report/sources"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// reportFlags say which of a journal's records a report is about.
type reportFlags struct {
	Run string `flag:"run"`
}

func newReport(a *app) *cobra.Command {
	named, one := &target.Journaled{}, &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report FILE | --cluster NAME | --config cluster.yml",
		Short: "Say what a record, a journal or a bundle comes to: as text, as one page, or for a ticket",
		Long: `Tells of a cluster what a file holds, of any age and without the cluster: a record that
--record or a run wrote, a bundle of verify --dump, or a journal, as the ConfigMap that
kubectl get -o yaml prints. With --cluster or --config the journal is read where it is
kept, with the records that runs keep beside it, and all of these are judged. Which of them a FILE is, is found out.

A record has who ran the cloud controllers when, and whether two ever did at once; of a
run its steps, every edit as a diff, and what its checks found. A journal has the runs:
who, when, what was typed, what became of each, what was written. A bundle has what the
checks find. What was not watched is unknown, and named.

Exit 3 where two processes were seen to run a cloud controller at once, 10 where what was
not watched leaves that open: so it is for a journal without records, and every bundle.

-o html is one file that needs no network and no script, -o svg its time line alone,
which a record alone has, and -o markdown the same without the picture.`,
		Example: `  awsmigrate report prod.jsonl
  awsmigrate report prod.jsonl -o html > prod.html
  awsmigrate report --cluster prod -o markdown > prod.md
  awsmigrate report --cluster prod --run last -o html > last.html
  awsmigrate report bundle.json -o html > audit.html`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: filesOf("jsonl", "json", "yaml", "yml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkOutput(reportFormats()...); err != nil {
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
	addOutputFlag(cmd, a, reportFormats())
	return cmd
}

// readForReport reads what the command line names.
func readForReport(ctx context.Context, a *app, named *target.Journaled, args []string, run string) (report.Report, error) {
	switch {
	case len(args) > 0 && named.Given():
		return report.Report{}, fault.AsUsage(errors.New("FILE and a cluster: wanted one of them"))
	case len(args) > 0:
		return reportOfFile(ctx, args[0], run)
	case !named.Given():
		return report.Report{}, fault.AsUsage(errors.New("nothing is named: wanted FILE, --cluster NAME or --config cluster.yml"))
	}
	s, err := named.Open(ctx, a.opening())
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
	state.Target = s.Procedure.Target() // also of one that is not there yet
	return sources.WithRecords(sources.Journal(state, s.Clock.Now()), records, unread), nil
}

// writeReport prints a report in the format that was asked for, and ends with what it
// comes to.
func writeReport(a *app, r report.Report) error {
	if a.output == "svg" && r.Source != report.Record {
		return fault.AsUsage(fmt.Errorf("flag --output: svg is the time line of a record, and nobody watched for a journal or a bundle; wanted text, html or markdown"))
	}
	written, err := report.As(a.output, r)
	if err != nil {
		return err
	}
	if written == nil {
		view.WriteReport(a.streams, r)
	} else if _, err := a.streams.Out.Write(written); err != nil {
		return err
	}
	return view.Shown(outcomeOf(r))
}

// outcomeOf is what a report ends with; nil: nothing is wrong.
func outcomeOf(r report.Report) error {
	if r.Source == report.Record {
		return verdict(r.Header.Name, r.Verdict())
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllWatched", Object: "cluster " + r.Header.Name, Seen: "nobody watched who ran the cloud controllers"}
}
