package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// jobFlags holds the options of the printed manifests.
type jobFlags struct {
	Distribution      string `flag:"distribution"`
	Cluster           string `flag:"cluster"`
	Namespace         string `flag:"namespace"`
	Image             string `flag:"image"`
	Plan              string `flag:"plan"`
	Suspend           bool   `flag:"suspend"`
	ServiceAccount    string `flag:"service-account-name"`
	AWSSecret         string `flag:"aws-secret"`
	DownstreamSecret  string `flag:"downstream-secret"`
	CloudConfigSecret string `flag:"cloud-config-secret"`
}

func newJob(a *app.App) *cobra.Command {
	flags := &jobFlags{}
	cmd := &cobra.Command{
		Use:   "job --cluster NAME --image IMAGE [-- run flags]",
		Short: "Print a Job that runs a migration in the cluster Rancher runs in, with the rights it needs",
		Long: `Prints the objects of a run in the cluster that Rancher runs in, to be applied with
kubectl: a ServiceAccount, Roles with exactly the rights of the run, and a Job that
repeats it where that helps. Nothing is read from a cluster and nothing is written
to one. What follows -- is passed on to the run.

No image is published yet: name your own with --image.`,
		Example: `  awsmigrate job --cluster prod --image registry.example/awsmigrate:1 -- --edits apply | kubectl apply -f -
  awsmigrate job --cluster prod --image registry.example/awsmigrate:1 --plan plan.json --suspend -- --edits apply
  awsmigrate job --cluster prod --image registry.example/awsmigrate:1 -- --edits handoff --until verify`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); (dash < 0 && len(args) > 0) || dash > 0 {
				return fault.AsUsage(fmt.Errorf("argument %q: flags of the run come after --", args[0]))
			}
			return explainEdits(a, printJob(a, flags, args))
		},
	}
	target.Define(cmd.Flags(), options.Job, flags)
	return cmd
}

// explainEdits adds the command with the missing flag of the run to an error: the flag belongs behind --.
func explainEdits(a *app.App, err error) error {
	f, ok := fault.As(err)
	if !ok || f.Seen != target.EditsMissing {
		return err
	}
	args := slices.Clone(a.Args)
	if !slices.Contains(args, "--") {
		args = append(args, "--")
	}
	f.Fix = a.Typed.Line(append(args, "--edits", "apply")...)
	return err
}

func printJob(a *app.App, f *jobFlags, args []string) error {
	options, err := f.options(args)
	if err != nil {
		return err
	}
	text, err := job.YAML(options)
	if err != nil {
		return err
	}
	_, err = a.Streams.Out.Write(text)
	return err
}

func (f *jobFlags) options(args []string) (job.Options, error) {
	if in, name, both := strings.Cut(f.Cluster, "/"); both { // as list prints it
		f.Namespace, f.Cluster = in, name
	}
	o := job.Options{
		Distribution: wellknown.Distribution(f.Distribution), Cluster: f.Cluster, Namespace: f.Namespace, Image: f.Image,
		ServiceAccount: f.ServiceAccount, Suspend: f.Suspend, Args: args,
		AWSSecret: f.AWSSecret, DownstreamSecret: f.DownstreamSecret, Exits: jobExits(),
	}
	if err := f.check(); err != nil {
		return o, fault.AsUsage(err)
	}
	if f.CloudConfigSecret != "" {
		o.CloudConfig.Namespace, o.CloudConfig.Name, _ = strings.Cut(f.CloudConfigSecret, ":")
		if o.CloudConfig.Namespace == "" || o.CloudConfig.Name == "" {
			return o, fault.AsUsage(fmt.Errorf("flag --cloud-config-secret: %q, wanted NAMESPACE:NAME", f.CloudConfigSecret))
		}
	}
	if err := o.Validate(); err != nil {
		return o, err
	}
	if err := checkRunFlags(o.Distribution, args); err != nil {
		return o, err
	}
	var err error
	if f.Plan != "" {
		o.Plan, err = planFor(f.Plan, o)
	}
	return o, err
}

// provisionedID matches Rancher's id of a cluster that it provisions.
var provisionedID = regexp.MustCompile(`^c-m-[a-z0-9]{8}$`)

func (f *jobFlags) check() error {
	switch {
	case f.Cluster == "":
		return errors.New("flag --cluster is required")
	case f.Image == "":
		return errors.New("flag --image is required: no image of awsmigrate is published yet")
	case !wellknown.Distribution(f.Distribution).NamedByID() && provisionedID.MatchString(f.Cluster):
		return fmt.Errorf("invalid value %q for --cluster: must be the name of the Cluster object, since a job reads no cluster; `awsmigrate list` shows the names", f.Cluster)
	case !wellknown.Distribution(f.Distribution).NamedByID():
		return nil
	case !wellknown.IsRKEID(f.Cluster):
		return fmt.Errorf("flag --cluster: %q, wanted the id that Rancher gave the RKE cluster, c-xxxxx: rights and namespace go by it", f.Cluster)
	case f.CloudConfigSecret != "":
		return errors.New("flag --cloud-config-secret: RKE keeps its cloud config in the Cluster object")
	}
	return nil
}

// jobExits sorts the exit codes of a run by whether a repetition may help.
func jobExits() job.Exits {
	return job.Exits{
		Again: view.CodesOf(mayPass),
		Final: view.CodesOf(func(class fault.Class) bool { return !mayPass(class) }),
	}
}

// mayPass reports whether the same command may succeed later without help. An unclassified error
// may: a run continues from the observed state of the cluster. A wait without progress is watched
// again. A stale plan stays stale.
func mayPass(class fault.Class) bool {
	switch class {
	case fault.Unexpected, fault.Locked, fault.CouldNotLook, fault.NoProgress, fault.HungUp, fault.Interrupted:
		return true
	case fault.Usage, fault.Check, fault.Warnings, fault.Pending, fault.Gate, fault.Declined, fault.Stale:
		return false
	}
	return false
}
