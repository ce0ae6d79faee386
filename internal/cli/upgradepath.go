package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/upgradepath"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// pathFlags holds the flags of the upgrade path.
type pathFlags struct {
	audited target.Audited

	To       string `flag:"to"`
	Detailed bool   `flag:"detailed-exitcode"`
}

func newUpgradePath(a *app.App) *cobra.Command {
	f := &pathFlags{}
	cmd := &cobra.Command{
		Use:   "upgrade-path --cluster NAME | --config cluster.yml",
		Short: "Show every upgrade up to a Kubernetes release, and what stops this cluster at each",
		Long: `Shows the way to a later Kubernetes release, one minor version at a time: the
release to take, those to avoid, the Rancher or rke that knows it, the CCM's image,
and what stops this cluster at that step, with the place and the fix. It writes
nothing. Mend what stops, and run it again until nothing does.

--cluster reads a cluster in Rancher. --config judges cluster.yml alone, without a
connection: what only the cluster shows is listed as undecided.`,
		Example: `  awsmigrate upgrade-path --cluster prod
  awsmigrate upgrade-path --cluster prod --to v1.33
  awsmigrate upgrade-path --config cluster.yml --detailed-exitcode
  awsmigrate upgrade-path --cluster prod -o json | jq '.steps[].findings[]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	f.audited.RegisterAs(options.UpgradePath, cmd.Flags(), f)
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
	return cmd
}

func (f *pathFlags) run(ctx context.Context, a *app.App) error {
	if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
		return err
	}
	start, err := f.start(ctx, a)
	if err != nil {
		return err
	}
	path, err := upgradepath.Compute(start, f.To)
	if err != nil {
		return err
	}
	outcome := f.outcome(path)
	doc := view.NewUpgradePath(start, path, view.ExitCode(outcome))
	if a.Output == "text" {
		view.WriteUpgradePath(a.Streams, doc)
	} else if err := view.WriteDocument(a.Streams.Out, a.Output, doc); err != nil {
		return err
	}
	if f.Detailed {
		return view.Shown(outcome)
	}
	return nil
}

// start reads the cluster, or cluster.yml alone.
func (f *pathFlags) start(ctx context.Context, a *app.App) (upgradepath.Cluster, error) {
	if file := f.audited.File(); file != "" {
		start, err := session.PathStartOfFile(file)
		start.Migrate = a.Typed.Line("rke", "plan", "--config", file)
		start.Upgrade = func(release string) string {
			return a.Typed.Line("rke", "--config", file, "--kubernetes-version", release)
		}
		return start, err
	}
	choices, err := f.audited.Options(true)
	if err != nil {
		return upgradepath.Cluster{}, err
	}
	choices.AWS = "off" // no release depends on it
	source, err := f.audited.Open(ctx, a.Opening(), choices)
	if err != nil {
		return upgradepath.Cluster{}, err
	}
	seen, err := source.Read(ctx)
	return session.PathStart(seen), err
}

// outcome returns what keeps the cluster from the end of its path, or nil. A check that needs the
// cluster does not count for cluster.yml alone.
func (f *pathFlags) outcome(path upgradepath.Path) error {
	var stops []error
	for _, stop := range path.Stops(verify.Fail) {
		stops = append(stops, &fault.Error{Class: fault.Check, Reason: "UpgradeStopped", Object: stop.Object, Seen: stop.Seen, Wanted: stop.Wanted, Fix: stop.Fix})
	}
	var unseen []string
	for _, f := range path.Stops(verify.Unknown) {
		unseen = append(unseen, f.Check)
	}
	if f.audited.File() == "" {
		unseen = append(unseen, path.Undecided...)
	}
	if len(unseen) > 0 {
		slices.Sort(unseen)
		stops = append(stops, &fault.Error{Class: fault.CouldNotLook, Reason: "PathNotAllSeen", Object: "upgrade path",
			Seen: "not decided: " + strings.Join(slices.Compact(unseen), ", "), Fix: "grant what `awsmigrate verify --access` lists, or look on the cluster"})
	}
	if len(stops) == 0 && len(path.Steps) > 0 {
		return &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "upgrades are still to do"}
	}
	return errors.Join(stops...)
}
