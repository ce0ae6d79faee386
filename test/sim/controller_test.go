package sim

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

const (
	migrations  = "clustermigrations.awsmigrate.io"
	rollouts    = "migrationrollouts.awsmigrate.io"
	definitions = "customresourcedefinitions.apiextensions.k8s.io"
	planName    = "awsmigrate.plans." + clusterName
)

// controlledKinds holds the kinds that a controller needs besides Rancher's.
var controlledKinds = []kind{
	{"awsmigrate.io", "v1alpha1", "clustermigrations", "ClusterMigration", false},
	{"awsmigrate.io", "v1alpha1", "migrationrollouts", "MigrationRollout", false},
	{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", true},
	{"events.k8s.io", "v1", "events", "Event", false},
	{"management.cattle.io", "v3", "clusters", "Cluster", true},
}

// controlled returns an RKE2 cluster of a Rancher with the controller's kind.
func controlled(t testing.TB) *World {
	t.Helper()
	return withController(t, NewRKE2())
}

// withController installs the controller's kind in the Rancher of w.
func withController(t testing.TB, w *World) *World {
	t.Helper()
	w.mgmt.kinds = append(slices.Clone(w.mgmt.kinds), controlledKinds...)
	w.mgmt.watched = map[string]bool{migrations: true, rollouts: true, provClusters: true}
	text, err := os.ReadFile("../../charts/awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd object
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	w.mgmt.put(definitions, plain(crd).(object), w.now)
	return w
}

// pod is one start of the controller.
type pod struct {
	// Next starts the next container of the previous controller's pod, instead of another pod on
	// another machine.
	Next   bool
	Before func(Call) Outcome
	After  func(Call)
	Change func(*controller.Options)
	Made   func(*controller.Controller)
}

// identity returns the actor of a pod's process, and its process table. w.started makes them
// unique in a world.
func (o pod) identity(w *World) (session.Actor, processTable, uint64) {
	name, starts := "pod-0", uint64(w.started)+1
	if !o.Next {
		name = fmt.Sprintf("pod-%d", starts)
	}
	return session.Actor{User: "65534", Host: name, Pod: lock.Pod{UID: name, Container: "awsmigrate"}},
		processTable{here: lock.Place{Boot: "of-" + name, PIDs: name, Times: name}}, starts
}

// controller returns the controller of this pod, as p. It has made no request yet.
func (o pod) controller(t *testing.T, w *World, p *Process) *controller.Controller {
	t.Helper()
	actor, table, starts := o.identity(w)
	options := controller.Options{
		Config: p.config(func(w *World) *server { return w.mgmt }), Namespaces: []string{fleet}, Version: "v1", Actor: actor,
	}
	// Calls to its own server take no time: a handler writes a status under a lock, and a bubble's
	// time stops while a goroutine waits for a lock.
	options.Config.Transport, options.Config.Timeout = wire{p, func(w *World) *server { return w.mgmt }, 0}, 0
	options.Engine = behind{w, p, table, starts}.engine()
	if o.Change != nil {
		o.Change(&options)
	}
	c, err := controller.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if o.Made != nil {
		o.Made(c)
	}
	return c
}

// start runs a controller on w in the background of a bubble; over is closed at its end.
func (o pod) start(ctx context.Context, t *testing.T, w *World) (p *Process, over chan struct{}) {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	p = &Process{world: w, Before: o.Before, After: o.After, die: stop}
	c := o.controller(t, w, p)
	over = make(chan struct{})
	go func() {
		defer close(over)
		defer stop()
		if err := c.Run(ctx); err != nil && !p.Dead() {
			t.Errorf("the controller ended with %v", err)
		}
	}()
	return p, over
}

// behind is the real engine on the simulated cluster behind Rancher. Only the connection and the
// machine of a process differ.
type behind struct {
	world  *World
	p      *Process
	table  processTable
	starts uint64
}

func (b behind) engine() controller.Engine {
	sessions := controller.Sessions()
	return controller.Engine{
		Assess: func(ctx context.Context, t session.Connector, o session.Options) (session.Assessment, error) {
			return sessions.Assess(ctx, b.wrapConnector(t), o)
		},
		Audit: func(ctx context.Context, t session.Target, o session.Options) (controller.Audited, error) {
			return sessions.Audit(ctx, b.target(t), o)
		},
		Run: func(ctx context.Context, t session.Connector, o session.Options) (session.Result, error) {
			o.Poll = pollInterval
			return sessions.Run(ctx, b.wrapConnector(t), o)
		},
		Guard: func(ctx context.Context, t session.Connector, o session.Options) (session.Result, error) {
			o.Poll = pollInterval
			return sessions.Guard(ctx, b.wrapConnector(t), o)
		},
	}
}

func (b behind) target(t session.Target) session.Target {
	t.Downstream = session.Server{Config: b.p.config(func(w *World) *server { return w.down })}
	return t
}

func (b behind) wrapConnector(t session.Connector) session.Connector {
	return lockedBy{b, b.target(t.(session.Target))}
}

// lockedBy connects with a lock that knows the simulated machines.
type lockedBy struct {
	behind
	of session.Target
}

// Connect implements session.Connector.
func (l lockedBy) Connect(ctx context.Context, o session.Options, may session.Access) (*session.Session, error) {
	s, err := l.of.Connect(ctx, o, may)
	if err != nil {
		return nil, err
	}
	home, err := kubernetes.NewForConfig(l.of.Server.Config)
	if err != nil {
		return nil, err
	}
	s.Owner.PID, s.Owner.Place, s.Owner.Tick = 1, l.table.here, l.starts
	lease := lock.NewLease(home, fleet, journal.Name(clusterName), s.Owner, s.Clock)
	lease.Processes, lease.Witness = l.table, sameMachine{}
	s.Lock = lease
	return s, nil
}

// person is a user who migrates the cluster, or also undoes the migration, guided by the object
// alone. Any later person can continue.
type person struct {
	w     *World
	last  string // goal
	edits string // value of spec.edits; Apply if empty
}

// approvedFor is the annotation with the goal of the object's approval.
const approvedFor = "test/approved-for"

// act performs the next action. It returns true once the last goal is reached and shown.
func (h person) act() bool {
	w := h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(time.Now())
	m := w.mgmt.get(migrations, fleet, clusterName)
	if m == nil || number(m, "status", "observedGeneration") != number(m, "metadata", "generation") {
		return false
	}
	spec, state, goal := mapAt(m, "spec"), text(m, "status", "display", "state"), text(m, "spec", "goal")
	there := state == "Passed" || state == "Succeeded" || state == "Findings"
	switch {
	case there && goal == h.last:
		return true
	case there && goal == "Audit":
		spec["goal"], spec["edits"] = "Migrate", cmp.Or(h.edits, "Apply")
	case there && goal == "Migrate":
		spec["goal"] = "Undo"
	case state == "Awaiting-Approval":
		spec["approvedPlan"] = text(m, "status", "plan", "hash")
		mapAt(m, "metadata", "annotations")[approvedFor] = goal
	default:
		return false
	}
	w.mgmt.put(migrations, m, w.now)
	return false
}

// lookInterval is the interval at which a person looks at the object.
const lookInterval = 10 * time.Second

// runDuring runs a controller on w while f runs, and stops it afterwards.
func runDuring(t *testing.T, o pod, w *World, f func(p *Process)) {
	t.Helper()
	bubble(t, w, func(ctx context.Context) {
		ctx, stop := context.WithCancel(ctx)
		p, over := o.start(ctx, t, w)
		f(p)
		stop()
		<-over
	})
}

// bubble runs f in the time of w.
func bubble(t *testing.T, w *World, f func(context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if d := time.Until(w.Now()); d > 0 {
			pass(d)
		}
		f(t.Context())
	})
}

// carry lets a controller and a person bring w to the last goal. It returns false if that takes
// hours.
func carry(t *testing.T, o pod, w *World, last string) (reached bool) {
	t.Helper()
	return awaitWithin(t, 3*time.Hour, o, w, person{w: w, last: last}.act)
}

// awaitWithin runs a controller on w until looks returns true. It returns false after the time
// limit.
func awaitWithin(t *testing.T, limit time.Duration, o pod, w *World, looks func() bool) (seen bool) {
	t.Helper()
	runDuring(t, o, w, func(*Process) {
		for end := time.Now().Add(limit); !seen && time.Now().Before(end); pass(lookInterval) {
			seen = looks()
		}
	})
	return seen
}

// migration returns the object, which callers must not change.
func (w *World) migration() object { return w.mgmt.peek(migrations, fleet, clusterName) }
