package controller

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// Options are what one installation does, and as whom.
type Options struct {
	// Config reaches the cluster that Rancher runs in.
	Config *rest.Config
	// Namespaces are those with the clusters. The Lease of the election is in the first,
	// so that two installations for the same clusters do not both lead.
	Namespaces []string
	Scope      Scope
	// AuditsOnly: no step of a migration or an undo begins.
	AuditsOnly bool
	// Runs and Audits are how many of each are under way at once. Guards are not limited.
	Runs, Audits int
	// Interval is the time between two audits of a cluster.
	Interval time.Duration
	// RequestTimeout bounds one request to any API server.
	RequestTimeout time.Duration
	// Memory is what this process may hold, in bytes; 0: no limit is known. From nine tenths
	// of it on no run begins.
	Memory  int64
	Version string // of this awsmigrate
	Actor   session.Actor
	AWS     aws.Identity // as whom AWS is asked where an object names nobody
	// Asks is how AWS is asked where an object does not say it; it names no Secret.
	Asks v1alpha1.AWS
	// AssumableRoles are the ARNs of the roles that an object may have the controller's own
	// identity assume; one that ends in * allows all that begin like it. The role of Asks
	// needs none.
	AssumableRoles []string
	Log            *slog.Logger
	Clock          clock.WithTicker
	// ExitCode is the code that the command line ends with for an error.
	ExitCode func(error) int
	Engine   Engine
	Election Election
	Meter    Meter        // nil: nothing is counted
	Metrics  http.Handler // answers /metrics; nil: nothing does

	settle time.Duration // between a Cluster that appears and a look for those without an object
}

// Election are the times of the leader election, as client-go's leaderelection has them.
// The zero value is for production.
type Election struct {
	Lease, Renew, Retry time.Duration
	// Off has this process lead without asking, as at a desk.
	Off bool
}

// Engine is how something is done to a cluster. The zero value is internal/session's.
type Engine struct {
	Assess func(context.Context, session.Connector, session.Options) (session.Assessment, error)
	Audit  func(context.Context, session.Target, session.Options) (Audited, error)
	Run    func(context.Context, session.Connector, session.Options) (session.Result, error)
	Guard  func(context.Context, session.Connector, session.Options) (session.Result, error)
}

// Sessions is internal/session as an engine.
func Sessions() Engine {
	return Engine{Assess: session.Assess, Audit: audit, Run: session.Run, Guard: session.Guard}
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Meter == nil {
		o.Meter = unmeasured{}
	}
	if o.ExitCode == nil {
		o.ExitCode = func(error) int { return 0 }
	}
	o.Runs, o.Audits = orDefault(o.Runs, 5), orDefault(o.Audits, 2)
	o.settle = orDefault(o.settle, 30*time.Second)
	o.Interval, o.RequestTimeout = orDefault(o.Interval, 24*time.Hour), orDefault(o.RequestTimeout, 30*time.Second)
	o.Election.Lease = orDefault(o.Election.Lease, 45*time.Second)
	o.Election.Renew = orDefault(o.Election.Renew, 30*time.Second)
	o.Election.Retry = orDefault(o.Election.Retry, 5*time.Second)
	if o.Engine.Run == nil {
		o.Engine = Sessions()
	}
	return o
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

func (o Options) check() error {
	if o.Config == nil || len(o.Namespaces) == 0 {
		return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag --namespaces", Seen: "no namespace", Wanted: "those with Rancher's Cluster objects, such as fleet-default"}
	}
	return nil
}
