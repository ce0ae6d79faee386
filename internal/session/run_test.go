package session

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// still is a cluster with nothing left to do, as Judge reports it.
type still struct {
	Migration
	back   *procedure.Migration
	judged error
}

func (s *still) Undo() *procedure.Migration { return s.back }

func (s *still) Watching(journal.Record) *procedure.Migration { return s.back }

func (*still) Target() journal.Target {
	return journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u"}
}

func (*still) Steps() []migration.Step { return nil }

func (*still) Observe(context.Context, journal.Record) (migration.Snapshot, error) {
	return migration.Snapshot{}, nil
}

func (s *still) Judge(migration.Snapshot) (runner.Observation, error) {
	return runner.Observation{Position: "P5"}, s.judged
}

// prepared connects to an existing cluster.
type prepared struct {
	session *Session
	err     error
	asked   *Options
	may     *Access
}

func (p prepared) Connect(_ context.Context, o Options, may Access) (*Session, error) {
	if p.asked != nil {
		*p.asked, *p.may = o, may
	}
	return p.session, p.err
}

func demo(s *still) *Session {
	return &Session{Migration: s, Procedure: s, RunID: "run-1", Journal: &journal.Memory{}, Lock: new(lock.Memory).For(lock.Owner{User: "u"})}
}

// Began separates errors for the caller from errors that the run has already shown.
func TestRun_began(t *testing.T) {
	away := errors.New("away")
	for name, tt := range map[string]struct {
		connect error
		saved   error
		judged  error
		began   bool
	}{
		"it does":        {nil, nil, nil, true},
		"no cluster":     {away, nil, nil, false},
		"no saved plan":  {nil, away, nil, false},
		"it fails in it": {nil, nil, away, true},
	} {
		var asked Options
		var may Access
		o := Options{Engine: Engine{Saved: func(of journal.Target) (*runner.WholePlan, error) {
			if of.Name != "demo" {
				t.Errorf("%s: a plan for %+v", name, of)
			}
			return nil, tt.saved
		}}}
		got, err := Run(t.Context(), prepared{demo(&still{judged: tt.judged}), tt.connect, &asked, &may}, o)
		if wanted := errors.Join(tt.connect, tt.saved, tt.judged); got.Began != tt.began || (wanted == nil) != (err == nil) || err != nil && !errors.Is(err, away) {
			t.Errorf("%s: began %t, %v", name, got.Began, err)
		}
		if asked.RunID == "" || asked.Live == nil || may != ReadWrite {
			t.Errorf("%s: opened with %q, %d", name, asked.RunID, may)
		}
	}
}

// Undo runs the undo procedure, and Confirm gets the cluster's name.
func TestRun_undo_confirms(t *testing.T) {
	back := &procedure.Migration{}
	s, err := Open(t.Context(), prepared{session: demo(&still{back: back})}, Options{Undo: true}, ReadOnly)
	if err != nil || !s.Undoing() || s.Procedure != Procedure(back) {
		t.Errorf("%v: undoing %t", err, s.Undoing())
	}
	s = demo(&still{})
	refused := &fault.Error{Class: fault.Gate}
	var named string
	engine, err := s.engine(Options{Engine: Engine{Confirm: func(_ context.Context, cluster string, _ runner.Info) error {
		named = cluster
		return refused
	}}})
	if err != nil || !errors.Is(engine.Confirm(t.Context(), runner.Info{}), refused) || named != "demo" {
		t.Errorf("%v: asked about %q", err, named)
	}
	if engine, err = s.engine(Options{}); err != nil || engine.Confirm != nil {
		t.Errorf("%v: a gate without Confirm passed", err)
	}
}

// An audit does not read the epoch of the migrated cluster: it would need one more request and
// one more right for a decision that it does not make. Plans and runs read it.
func TestCounted_readByPlansAndRuns(t *testing.T) {
	cluster := fake.NewClientset()
	cluster.PrependReactor("*", "*", func(asked ktesting.Action) (bool, k8sruntime.Object, error) {
		return true, nil, apierrors.NewForbidden(corev1.Resource("configmaps"), "awsmigrate", errors.New(asked.GetVerb()))
	})
	s := demo(&still{}).countedBy(cluster)
	if record, err := s.Record(t.Context()); err != nil || record.Unread != nil || len(cluster.Actions()) != 0 {
		t.Errorf("an audit: %v, %v, after %v", record.Unread, err, cluster.Actions())
	}
	if _, err := s.Counted().Load(t.Context()); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("a plan: %v", err)
	}
	if _, err := Run(t.Context(), prepared{session: s}, Options{}); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("a run: %v", err)
	}
}
