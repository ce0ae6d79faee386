package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// verifyFlags holds the flags of the audit.
type verifyFlags struct {
	audited target.Audited

	Preflight bool          `flag:"preflight"`
	Watch     time.Duration `flag:"watch"`
	Dump      string        `flag:"dump"`
	From      string        `flag:"from"`
	Access    string        `flag:"access"`
}

func newVerify(a *app.App) *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use:   "verify --cluster NAME | --config cluster.yml | --kubeconfig FILE",
		Short: "Audit a cluster: every check, read-only, at any time",
		Long: `Runs every check that applies at the cluster's position, and reports each failure
with its object and its fix. It writes nothing: the transport lets
through reads, access reviews and dry runs.

--cluster names a cluster in Rancher, RKE2 or RKE; --config a cluster.yml of RKE.
--kubeconfig alone audits any cluster as its API shows it. --from judges a bundle
that --dump has saved, without a cluster.

--access makes no check: it says in one answer what keeps these credentials from an
audit, or with --access=run from a run and its undo: what cannot be reached, in
Rancher's cluster, in the cluster itself and in AWS, and every right that is missing,
with the roles and the policy that grant these and no others. -o rbac, rbac-rancher
and iam print one of them alone.`,
		Example: `  awsmigrate verify --cluster prod
  awsmigrate verify --cluster prod --preflight --fail-on warning
  awsmigrate verify --kubeconfig prod.yaml -o junit > report.xml
  awsmigrate verify --cluster prod --dump prod.json
  awsmigrate verify --from prod.json -o wide
  awsmigrate verify --cluster prod --access=run
  awsmigrate verify --cluster prod --access -o rbac | kubectl apply -f -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	f.audited.Register(cmd.Flags(), f)
	usage.AddOutputFlag(cmd, a, slices.Concat(verifyview.AuditFormats(), verifyview.AccessPieces()))
	return cmd
}

func (f *verifyFlags) run(ctx context.Context, a *app.App) error {
	if f.Access != "" {
		return f.printAccess(ctx, a)
	}
	format := a.Output
	if err := a.CheckOutput(verifyview.AuditFormats()...); err != nil {
		return err
	}
	if format == "wide" || format == "short" {
		a.Output = "text" // errors before the report are for people
	}
	if err := f.check(); err != nil {
		return err
	}
	options, err := f.audited.Options(!f.Preflight)
	if err != nil {
		return err
	}
	source, err := f.open(ctx, a, options)
	if err != nil {
		return err
	}
	auditor := &auditor{app: a, source: source, options: options.Options, preflight: f.Preflight, dump: f.Dump, clock: clock.RealClock{}}
	if f.Watch > 0 {
		return auditor.watch(ctx, format, f.Watch)
	}
	doc, err := auditor.look(ctx)
	if err != nil {
		return err
	}
	if err := verifyview.WriteAudit(a.Streams, format, doc); err != nil {
		return err
	}
	return view.Shown(doc.Outcome())
}

// check returns an error if flags contradict one another.
func (f *verifyFlags) check() error {
	switch {
	case f.From != "" && (f.Watch > 0 || f.Dump != ""):
		return fault.AsUsage(fmt.Errorf("flag --from: with --watch or --dump, wanted one of them: a bundle never changes"))
	case f.From != "" && f.audited.Given():
		return fault.AsUsage(fmt.Errorf("flag --from: with a cluster, wanted one of them"))
	}
	return nil
}

// open returns the source to read.
func (f *verifyFlags) open(ctx context.Context, a *app.App, options session.Choices) (session.Source, error) {
	if f.From != "" {
		return target.OpenBundle(f.From)
	}
	return f.audited.Open(ctx, a.Opening(), options)
}

// auditor reads, judges and reports.
type auditor struct {
	app       *app.App
	source    session.Source
	options   migration.Options
	preflight bool
	dump      string
	clock     clock.WithTicker
}

// look returns one report.
func (v *auditor) look(ctx context.Context) (verifyview.AuditDocument, error) {
	began := v.clock.Now()
	seen, err := v.source.Read(ctx)
	if err != nil {
		return verifyview.AuditDocument{}, err
	}
	if v.dump != "" {
		if err := target.Dump(v.dump, seen); err != nil {
			return verifyview.AuditDocument{}, err
		}
		fmt.Fprintf(v.app.Streams.Err, "saved %s, redacted\n", v.dump)
	}
	if err := v.refused(seen.Input.Position); err != nil {
		return verifyview.AuditDocument{}, err
	}
	seen.Input.Preflight = v.preflight
	doc := v.document(seen, verify.RunAll(ctx, seen.Bound(), v.selection(seen.Input.Position)))
	doc.Preflight, doc.Seconds = v.preflight, v.clock.Since(began).Seconds()
	return doc, nil
}

// document returns a report of one reading.
func (v *auditor) document(seen session.Reading, report verify.Report) verifyview.AuditDocument {
	header := seen.Header
	if seen.Run != nil {
		header = append(slices.Clone(header), "run    "+view.RunText(*seen.Run, v.clock.Now()))
		report = report.Defer(seen.Changing, "step "+string(seen.Run.Step)+" of a running migration changes this; it is checked again after the step")
	}
	report = verifyview.TidyReport(report)
	doc := verifyview.NewAudit(verifyview.Audited{Target: verifyview.AuditTarget(seen.Target), Header: header, At: seen.At, Program: v.app.Streams.Program, Next: seen.Next,
		Summary: seen.Input.Position.Summary, Where: seen.Input.Position.Text(), Problems: seen.Input.Position.Problems, FailOnWarning: v.options.FailOnWarning,
		Categories: checklist.Categories(), Outcome: audit.JudgeReport(report, v.options)}, report)
	if seen.OfRancher { // no finding of this cluster matters
		doc.Next = seen.Next
	}
	return doc
}

// refused returns an error for a preflight of a cluster that has been migrated.
func (v *auditor) refused(at position.Result) error {
	if !v.preflight || !at.Position.AtLeast(position.P4) {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "NothingToPrepare", Object: "flag --preflight",
		Seen: fmt.Sprintf("the cluster is at %s, %s", at.Position, at.Position.Summary()), Wanted: "a cluster before its switch, P0 to P3",
		Fix: "leave out --preflight"}
}

// selection returns the checks to run. A preflight at an unknown position makes those of every
// position before the switch.
func (v *auditor) selection(at position.Result) verify.Options {
	o := audit.Selection(v.options, at)
	if v.preflight && at.Position == position.Unknown {
		o.AlsoAt = position.BeforeSwitch()
	}
	return o
}

// watch repeats the audit until it is interrupted, and returns the outcome of the last report. A
// failed reading is shown and repeated: API servers are down while machines are rolled.
func (v *auditor) watch(ctx context.Context, format string, every time.Duration) error {
	if format != "text" && format != "wide" && format != "short" {
		return fault.AsUsage(fmt.Errorf("flag --watch: with -o %s, wanted -o text, wide or short", format))
	}
	ticker := v.clock.NewTicker(every)
	defer ticker.Stop()
	looking, stop := v.app.UntilInterrupted(ctx)
	defer stop()
	w := verifyview.NewWatch(v.app.Streams, format)
	for {
		doc, err := v.look(looking)
		switch {
		case looking.Err() != nil:
			return w.End()
		case err != nil && (!w.Began() || fault.ClassOf(err) != fault.CouldNotLook):
			return err
		case err != nil:
			w.Missed(v.clock.Now(), err)
		default:
			if err := w.Report(v.clock.Now(), doc); err != nil {
				return err
			}
		}
		select {
		case <-looking.Done():
			return w.End()
		case <-ticker.C():
		}
	}
}
