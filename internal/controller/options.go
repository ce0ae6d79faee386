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

// Options configures one installation.
type Options struct {
	// Config connects to the cluster that Rancher runs in.
	Config *rest.Config
	// Namespaces are the namespaces with the clusters. The first has the Lease of the election,
	// so that two installations for the same clusters do not both lead.
	Namespaces []string
	Scope      Scope
	// AuditsOnly reports whether no step of a migration or an undo begins.
	AuditsOnly bool
	// Runs and Audits limit how many of each work concurrently. Guards are not limited.
	Runs, Audits int
	// Interval is the time between two audits of a cluster.
	Interval time.Duration
	// RequestTimeout limits one request to any API server.
	RequestTimeout time.Duration
	// Memory is the memory limit of this process in bytes, or 0 if unknown. No run begins above
	// 90 % of it.
	Memory  int64
	Version string // of this awsmigrate
	Actor   session.Actor
	AWS     aws.Identity // AWS identity for objects that name none
	// Asks configures access to AWS for objects that do not. It names no Secret.
	Asks v1alpha1.AWS
	// AssumableRoles lists the ARNs of roles that an object may make the controller's own
	// identity assume. An entry that ends in * is a prefix. The role in Asks needs no entry.
	AssumableRoles []string
	Log            *slog.Logger
	Clock          clock.WithTicker
	// ExitCode returns the exit code of the command line for an error.
	ExitCode func(error) int
	Engine   Engine
	Election Election
	Meter    Meter        // nil counts nothing
	Metrics  http.Handler // serves /metrics, or nil

	settle time.Duration // between a new Cluster and a search for Clusters without an object
}

// Election holds the timing of the leader election, as in client-go's leaderelection. Zero values
// mean production defaults.
type Election struct {
	Lease, Renew, Retry time.Duration
	// Off makes this process lead without an election, for development.
	Off bool
}

// Engine carries out the work on a cluster. The zero value is internal/session.
type Engine struct {
	Assess func(context.Context, session.Connector, session.Options) (session.Assessment, error)
	Audit  func(context.Context, session.Target, session.Options) (Audited, error)
	Run    func(context.Context, session.Connector, session.Options) (session.Result, error)
	Guard  func(context.Context, session.Connector, session.Options) (session.Result, error)
}

// Sessions returns internal/session as an engine.
func Sessions() Engine {
	return Engine{Assess: session.Assess, Audit: makeAudit, Run: session.Run, Guard: session.Guard}
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Meter == nil {
		o.Meter = noMeter{}
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
