package target

import (
	"context"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// RKE2 are the flags that every rke2 command has.
type RKE2 struct {
	target    reachFlags
	migration migrationFlags
	endState  string
}

// Register adds the flags.
func (f *RKE2) Register(flags *pflag.FlagSet) {
	f.target.register(flags)
	f.migration.register(flags, true)
	flags.StringVar(&f.endState, "end-state", "auto", "auto|external|overrides: how nodes get their provider after the switch")
	flags.StringVar(&f.migration.installMethod, "install-method", "helm", "helm|additional-manifest")
}

// options turns flags into what pkg/rke2 takes.
func (f *RKE2) options(runID string) (rke2.Options, error) {
	shared, err := f.migration.options(runID)
	if err != nil {
		return rke2.Options{}, err
	}
	o := rke2.Options{Options: shared, Namespace: f.target.namespace, Name: f.target.cluster, EndState: rke2checks.EndState(f.endState)}
	return o, o.Validate()
}

// Open connects, proves the target and builds the procedure.
func (f *RKE2) Open(ctx context.Context, out Output, may Access) (*Session, error) {
	f.migration.say = out.Say
	runID := runner.NewRunID(time.Now())
	options, err := f.options(runID)
	if err != nil {
		return nil, err
	}
	clients, err := f.target.connect(ctx, may)
	if err != nil {
		return nil, err
	}
	procedure, err := rke2.New(ctx, clients, options, clock.RealClock{})
	if err != nil {
		return nil, err
	}
	return newSession(procedure, clients.ManagementKube, runID, f.target.again()).countedBy(clients.Downstream), nil
}
