package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// unreadable is a cluster whose journal's API answers with one status code.
type unreadable struct {
	*foreseen
	home    kubernetes.Interface
	observe error
}

func (u *unreadable) Asked(target.Output) (target.Asked, error) { return target.Asked{Target: u}, nil }

func (u *unreadable) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	of := u.Target()
	return &session.Session{Migration: u, Procedure: u, RunID: "run-1", Clock: clock.RealClock{},
		Journal: journal.NewConfigMap(u.home, of.Namespace, journal.Name(of.Name), of)}, nil
}

func (u *unreadable) Observe(ctx context.Context, record journal.Record) (migration.Snapshot, error) {
	if u.observe != nil {
		return migration.Snapshot{}, u.observe
	}
	return u.foreseen.Observe(ctx, record)
}

// Gather judges what needs no journal by a cluster of one Node.
func (u *unreadable) Gather(_ context.Context, seen migration.Snapshot) (audit.Inspection, error) {
	input := evidence.Input{Unread: seen.Record.Unread, Position: position.Result{Position: position.P4}}
	input.Nodes = verify.Got([]downstream.Node{{Name: "a"}})
	input.Services = verify.Got([]downstream.Service{})
	return audit.Inspection{Input: input}, nil
}

// Undo is not asked for.
func (u *unreadable) Undo() *procedure.Migration { return nil }

// Watching is not asked for.
func (u *unreadable) Watching(journal.Record) *procedure.Migration { return nil }

// GatherAPIOnly is not called where all could be read.
func (u *unreadable) GatherAPIOnly(context.Context, journal.Record) (audit.Inspection, error) {
	return audit.Inspection{}, errors.New("nothing was refused")
}

func answering(t *testing.T, code int) *unreadable {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code})
	}))
	t.Cleanup(server.Close)
	kube, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return &unreadable{foreseen: &foreseen{script: wholeScript()}, home: kube}
}

// Whatever the API answers when the journal is read: verify judges the rest and
// calls unknown what the fingerprint in it alone can settle, status shows what the
// cluster shows, and both, like plan, end with 10.
func TestJournalThatCannotBeRead(t *testing.T) {
	for _, code := range []int{http.StatusForbidden, http.StatusUnauthorized, http.StatusInternalServerError, http.StatusServiceUnavailable,
		http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusTeapot} {
		u := answering(t, code)
		var out bytes.Buffer
		a := &app.App{Streams: console.Streams{Out: &out, Err: &out}, Output: "text"}
		if got := view.ExitCode(showStatus(t.Context(), a, u, false)); got != 10 || !strings.Contains(out.String(), "lease-access") || !strings.Contains(out.String(), "the journal") {
			t.Errorf("%d: status: exit %d\n%s", code, got, out.String())
		}
		if got := view.ExitCode(showStatus(t.Context(), a, u, true)); got != 10 {
			t.Errorf("%d: status --exit-code: exit %d", code, got)
		}
		if got := view.ExitCode(planMigration(t.Context(), a, u, asPlan{detailed: true})); got != 10 {
			t.Errorf("%d: plan: exit %d", code, got)
		}
		s, _ := u.Connect(t.Context(), session.Options{}, session.ReadOnly)
		v := &auditor{app: a, source: s.Source(), clock: clock.RealClock{}}
		doc, err := v.look(t.Context())
		if err != nil {
			t.Errorf("%d: verify: %v", code, err)
			continue
		}
		unknown, judged := map[string]bool{}, 0
		for _, result := range doc.Results {
			unknown[result.ID] = result.Status == verify.Unknown
			if result.Status == verify.OK {
				judged++
			}
		}
		for _, id := range []string{"AWSM-309", "AWSM-312", "AWSM-801"} {
			if !unknown[id] {
				t.Errorf("%d: %s is not unknown", code, id)
			}
		}
		if judged == 0 || !strings.Contains(strings.Join(doc.Header, " "), "partly visible") {
			t.Errorf("%d: %d judged, header %v", code, judged, doc.Header)
		}
	}
	u := answering(t, http.StatusForbidden)
	u.observe = renamed() // what only the journal could tell from a migration by hand
	a := &app.App{Streams: console.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, Output: "text"}
	if err := showStatus(t.Context(), a, u, false); view.ExitCode(err) != 10 || view.IsShown(err) {
		t.Errorf("a mixture without a journal: %v", err)
	}
}

// partlyReadable is a cluster that refuses what its procedure is judged by.
type partlyReadable struct {
	*unreadable
	why, rest error
}

func (p *partlyReadable) Gather(context.Context, migration.Snapshot) (audit.Inspection, error) {
	return audit.Inspection{}, p.why
}

func (p *partlyReadable) GatherAPIOnly(ctx context.Context, record journal.Record) (audit.Inspection, error) {
	if p.rest != nil {
		return audit.Inspection{}, p.rest
	}
	return p.unreadable.Gather(ctx, migration.Snapshot{Record: record})
}

// A read of the cluster that is refused once the cluster was found costs the checks
// that need it, and no more.
func TestRefusedReadLeavesAPartialAudit(t *testing.T) {
	refused := migration.CouldNotRead("DaemonSet kube-system/aws-cloud-controller-manager", errors.New("forbidden"))
	for name, tt := range map[string]struct {
		why, rest error
		partial   bool
		exit      int
	}{
		"a refused read":     {refused, nil, true, 3}, // checks that could be made fail here, which says more than 10
		"nothing to be read": {refused, errors.New("connection refused"), false, 10},
		"another cluster":    {&fault.Error{Class: fault.Usage, Reason: "WrongTarget"}, nil, false, 2},
	} {
		u := answering(t, http.StatusNotFound)
		s, _ := u.Connect(t.Context(), session.Options{}, session.ReadOnly)
		p := &partlyReadable{unreadable: u, why: tt.why, rest: tt.rest}
		a := &app.App{Streams: console.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, Output: "text"}
		s.Migration = p
		v := &auditor{app: a, source: s.Source(), clock: clock.RealClock{}}
		doc, err := v.look(t.Context())
		if !tt.partial {
			if view.ExitCode(err) != tt.exit || !errors.Is(err, tt.why) {
				t.Errorf("%s: exit %d, %v", name, view.ExitCode(err), err)
			}
			continue
		}
		if err != nil || view.ExitCode(doc.Outcome()) != tt.exit || doc.Counts[verify.OK] == 0 || !strings.Contains(strings.Join(doc.Header, " "), "partly visible: DaemonSet") {
			t.Errorf("%s: exit %d, %v, %v, header %v", name, view.ExitCode(doc.Outcome()), err, doc.Counts, doc.Header)
		}
		unjudged := 0
		for _, result := range doc.Results {
			if slices.ContainsFunc(verify.Metas(rke2checks.All()...), func(m verify.Meta) bool { return m.ID == result.ID }) {
				if result.Status == verify.Unknown {
					unjudged++
				} else if result.Status != verify.Skip {
					t.Errorf("%s: %s, which Rancher's side judges, is %s", name, result.ID, result.Status)
				}
			}
		}
		if unjudged == 0 {
			t.Errorf("%s: nothing of Rancher's side is unknown", name)
		}
	}
}
