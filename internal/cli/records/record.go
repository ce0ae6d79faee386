package records

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/record/watch"
)

// recordFlags select the recorded cluster, the duration and the file.
type recordFlags struct {
	cluster target.Recorded

	Record string        `flag:"record"`
	For    time.Duration `flag:"for"`
	Reason string        `flag:"reason"`
}

// NewRecord returns the command record.
func NewRecord(a *app.App) *cobra.Command {
	f := &recordFlags{}
	cmd := &cobra.Command{
		Use:   "record --cluster NAME | --config cluster.yml | --kubeconfig FILE",
		Short: "Record which process runs the cloud controllers, and detect overlaps",
		Long: `Watches the leases of the cloud controllers, the pods of kube-controller-manager and
of the AWS cloud controller manager, Nodes and load balancers of a cluster, prints what
changes as it comes, and at the end, or on Ctrl-C, says who ran the cloud controllers
when, how sure that is, and whether two ran at once. It writes nothing to the cluster.

--record keeps all of it in a file, for report.`,
		Example: `  awsmigrate record --cluster prod --record prod.jsonl
  awsmigrate record --kubeconfig prod.yaml --for 10m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), a) },
	}
	f.cluster.Register(cmd.Flags(), f)
	return cmd
}

func (f *recordFlags) run(ctx context.Context, a *app.App) (err error) {
	cluster, name, err := f.cluster.Reach(ctx)
	if err != nil {
		return err
	}
	shown, judged := view.NewRecording(a.Streams), judge.New()
	sinks := sinks{judged, shown}
	if f.Record != "" {
		file, err := recording.NewFile(f.Record)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		sinks = append(sinks, record.NewWriter(file))
	}
	watching, stop := f.until(ctx, a)
	defer stop()
	actor := target.Actor()
	recorder := watch.Recorder{Config: cluster.Way, Machines: cluster.Machines, Clock: clock.RealClock{}, Sink: sinks, Timeout: f.cluster.Timeout(), Name: name,
		Version: build.This().String(), By: actor.User + "@" + actor.Host, Context: f.Reason, Say: a.Say}
	if err := recorder.Run(watching); err != nil {
		return err
	}
	result := judged.Result()
	view.WriteJudgement(a.Streams, result)
	return view.Shown(verdict(name, result.Verdict()))
}

// until returns a context that ends after the recording's duration or at an interrupt.
func (f *recordFlags) until(ctx context.Context, a *app.App) (context.Context, context.CancelFunc) {
	watching, stop := a.UntilInterrupted(ctx)
	if f.For == 0 {
		return watching, stop
	}
	bounded, cancel := context.WithTimeout(watching, f.For)
	return bounded, func() { cancel(); stop() }
}

// verdict returns the command's error, or nil if nothing is wrong.
func verdict(cluster string, v judge.Verdict) error {
	switch v {
	case judge.Double:
		return &fault.Error{Class: fault.Check, Reason: "OverlapSeen", Object: "cluster " + cluster, Seen: "two processes ran a cloud controller at once", Wanted: "one"}
	case judge.NotSeen:
		return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllWatched", Object: "cluster " + cluster, Seen: "not all of it was watched"}
	case judge.CannotSay, judge.ByRule, judge.Single:
	}
	return nil
}

// sinks passes entries to several sinks.
type sinks []record.Sink

// Put implements record.Sink.
func (all sinks) Put(e record.Entry) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Put(e))
	}
	return errors.Join(errs...)
}
