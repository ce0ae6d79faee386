package controller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// manyEngines runs the engines of several clusters, by name.
func manyEngines(engines map[string]Engine) Engine {
	of := func(c session.Connector) Engine { return engines[c.(session.Target).Name] }
	return Engine{
		Assess: func(ctx context.Context, c session.Connector, o session.Options) (session.Assessment, error) {
			return of(c).Assess(ctx, c, o)
		},
		Audit: func(ctx context.Context, t session.Target, o session.Options) (Audited, error) {
			return of(t).Audit(ctx, t, o)
		},
		Run: func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
			return of(c).Run(ctx, c, o)
		},
		Guard: func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
			return of(c).Guard(ctx, c, o)
		},
	}
}

// giant is a cluster of many nodes with a real audit. It serves only Nodes; other requests fail.
type giant struct {
	nodes  *standin.Nodes
	server *rest.Config
}

// newGiant serves n nodes; before sees every request for a page of them.
func newGiant(t testing.TB, n int, before func()) giant {
	t.Helper()
	nodes := &standin.Nodes{Count: n, Before: func(http.ResponseWriter, *http.Request) bool { before(); return false }}
	server := httptest.NewServer(nodes)
	t.Cleanup(server.Close)
	return giant{nodes, &rest.Config{Host: server.URL}}
}

func (g giant) engine() Engine {
	e := newWorld().engine()
	e.Audit = func(ctx context.Context, t session.Target, o session.Options) (Audited, error) {
		t.Kind, t.Server = session.APIOnly, session.Server{Config: g.server}
		return makeAudit(ctx, t, o)
	}
	return e
}

// A cluster of thousands of nodes, and one whose runs die, do not delay the migration of another.
// A rollout of a dead run is watched, and no new run begins.
func goesOnBesideOthers(t *testing.T, i *installation) {
	i.cluster(t, "giant", "external")
	i.cluster(t, "poison", "external")
	reads, goOn := make(chan struct{}), make(chan struct{})
	begun, ended := sync.OnceFunc(func() { close(reads) }), sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(ended)
	large := newGiant(t, 2000, func() { begun(); <-goOn })
	poison := newWorld()
	poison.rolls = true
	spec := migrates
	dies := i.createOf(t, "poison", spec)
	for range crashes {
		poison.state.Runs = append(poison.state.Runs, journal.Run{ID: "r", Start: time.Now().UTC().Format(time.RFC3339), Attempt: attempt(dies)})
	}
	i.createOf(t, "giant", v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{AWS: v1alpha1.AWS{Mode: v1alpha1.AWSDisabled}}})
	i.start(t, func(o *Options) {
		o.Engine = manyEngines(map[string]Engine{"prod": i.world.engine(), "poison": poison.engine(), "giant": large.engine()})
	})
	<-reads
	i.create(t, migrates)
	i.approve(t)
	i.shows(t, status.Succeeded, "")
	poison.guarded(t)
	i.showsOf(t, "poison", status.Stalled, status.CrashLoop)
	if runs := poison.begunRuns(); len(runs) > 0 {
		t.Errorf("it ran %v", runs)
	}
	ended()
	m := i.showsOf(t, "giant", status.Findings, "")
	if m.Status.Audit == nil || m.Status.Audit.OK == 0 || large.nodes.Pages() < 4 {
		t.Errorf("%+v of %d pages", m.Status.Audit, large.nodes.Pages())
	}
}

// A journal beyond the limits stops only its own cluster. The object names the journal, and other
// clusters are migrated.
func survivesABrokenJournal(t *testing.T, i *installation) {
	i.cluster(t, "broken", "external")
	text := `{"schema":"` + journal.Schema + `","intents":[{}` + strings.Repeat(",{}", 200_000) + `]}`
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: journal.Name("broken"), Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}},
		Data: map[string]string{"sha256": "", "journal.json": text}}
	if _, err := i.kube.CoreV1().ConfigMaps(i.namespace).Create(t.Context(), kept, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	broken := newWorld().engine()
	broken.Assess = func(ctx context.Context, _ session.Connector, _ session.Options) (session.Assessment, error) {
		_, _, err := journal.Look(ctx, i.kube, i.namespace, journal.Name("broken"))
		return session.Assessment{}, err
	}
	i.start(t, func(o *Options) {
		o.Engine = manyEngines(map[string]Engine{"prod": i.world.engine(), "broken": broken})
	})
	i.createOf(t, "broken", migrates)
	i.create(t, migrates)
	i.approve(t)
	i.shows(t, status.Succeeded, "")
	m := i.showsOf(t, "broken", status.Stalled, status.Failed)
	for _, want := range []string{"ConfigMap " + i.namespace + "/" + journal.Name("broken"), "has more than 65536 values"} {
		if !strings.Contains(m.Status.Display.Message, want) {
			t.Errorf("%q does not say %q", m.Status.Display.Message, want)
		}
	}
}

// A cluster whose turn has come does not wait for audits: the only turn is taken by the audit of
// another cluster that does not end. Success waits for the cluster's own audit.
func goesOnNextToAudits(t *testing.T, i *installation) {
	i.cluster(t, "endless", "external")
	works, goOn := make(chan struct{}), make(chan struct{})
	endless := newWorld().engine()
	endless.Audit = func(context.Context, session.Target, session.Options) (Audited, error) {
		close(works)
		<-goOn
		return Audited{At: time.Now(), Position: "P0"}, nil
	}
	ended := sync.OnceFunc(func() { close(goOn) })
	t.Cleanup(ended)
	i.createOf(t, "endless", v1alpha1.ClusterMigrationSpec{})
	i.start(t, func(o *Options) {
		o.Audits = 1
		o.Engine = manyEngines(map[string]Engine{"prod": i.world.engine(), "endless": endless})
	})
	<-works
	i.create(t, migrates)
	i.approve(t)
	apiserver.Eventually(t, func() bool { return with(i.world, func() bool { return i.world.done == len(forward) }) })
	if m := i.shows(t, status.Auditing, ""); m.Status.Audit != nil {
		t.Errorf("audited: %+v", m.Status.Audit)
	}
	ended()
	i.shows(t, status.Succeeded, "")
	i.showsOf(t, "endless", status.AuditPassed, "")
}

// A run cancels an audit in progress, which would judge a half-made change. Another one follows
// the run. An audit that could not be made is shown, and repeated later.
func cancelsItsAudit(t *testing.T, i *installation) {
	works, cancelled := make(chan struct{}), make(chan struct{})
	e := i.world.engine()
	first, atEnd := true, true
	audits := e.Audit
	e.Audit = func(ctx context.Context, at session.Target, o session.Options) (Audited, error) {
		switch done := with(i.world, func() bool { return i.world.done == len(forward) }); {
		case first:
			first = false
			close(works)
			<-ctx.Done()
			close(cancelled)
			return Audited{}, ctx.Err()
		case done && atEnd && ctx.Err() == nil:
			atEnd = false
			return Audited{}, &fault.Error{Class: fault.CouldNotLook, Object: "cluster prod", Seen: "no answer"}
		case !done:
			a, err := audits(ctx, at, o)
			a.At = a.At.Add(-time.Minute) // a journal counts in seconds
			return a, err
		}
		return audits(ctx, at, o)
	}
	now := clocktesting.NewFakeClock(time.Now())
	c, _ := i.start(t, func(o *Options) { o.Engine, o.Clock = e, now })
	i.create(t, migrates)
	<-works
	i.world.mu.Lock()
	i.world.rolls = true
	i.world.mu.Unlock()
	k := c.cluster(Key{Namespace: i.namespace, Name: "prod"})
	k.mu.Lock()
	k.moved = true
	k.mu.Unlock()
	c.enqueue(k.key)
	i.world.guarded(t)
	<-cancelled
	i.approve(t)
	apiserver.Eventually(t, func() bool { return with(i.world, func() bool { return i.world.done == len(forward) }) })
	apiserver.Eventually(t, func() bool {
		return strings.Contains(i.shows(t, status.Auditing, "").Status.Display.Message, "the audit could not be made: cluster prod")
	})
	now.Step(2 * minAuditInterval) // the change of the Cluster began the doubling
	c.enqueue(k.key)
	i.shows(t, status.Succeeded, "")
}
