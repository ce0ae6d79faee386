package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// unfitScript is a cluster that the checks stop at.
type unfitScript struct {
	*script
}

func (*unfitScript) Paused(migration.Snapshot) string { return "" }

func (*unfitScript) RequireInformed(migration.Snapshot) error { return nil }

func (*unfitScript) Alone(context.Context, migration.Snapshot) error {
	return errors.New("Deployment web/second runs an aws-cloud-controller-manager")
}

type openedScript struct{ *session.Session }

func (o openedScript) Asked(target.Output) (target.Asked, error) { return target.Asked{Target: o}, nil }

func (o openedScript) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	return o.Session, nil
}

// No position is shown of a cluster in which another process runs cloud controllers: it would
// hide that process.
func TestStatusNamesWhoElseRuns(t *testing.T) {
	for _, output := range []string{"text", "json"} {
		var out bytes.Buffer
		a := &app.App{Output: output, Streams: console.Streams{Out: &out, Err: &out}}
		err := showStatus(t.Context(), a, openedScript{&session.Session{Procedure: &unfitScript{script: wholeScript()}, Journal: &journal.Memory{}}}, false)
		if err == nil || !strings.Contains(err.Error(), "web/second") || out.Len() > 0 {
			t.Errorf("-o %s: %v, shown %q", output, err, out.String())
		}
	}
}

// --on-failure undo undoes work that failed, and nothing else.
func TestMayGoBack(t *testing.T) {
	result := func(step journal.StepID, position string) runner.Result {
		return runner.Result{Position: position, Steps: []runner.StepResult{{ID: step, Outcome: runner.Stopped}}}
	}
	for name, tt := range map[string]struct {
		result runner.Result
		class  fault.Class
		want   bool
	}{
		"a failed step":      {result("install-ccm", "P3"), fault.Check, true},
		"nothing moved":      {result("switch-provider", "P3"), fault.NoProgress, true},
		"the preflight":      {result("preflight", "P3"), fault.Check, false},
		"nothing was done":   {result("lease-access", "P0"), fault.Check, false},
		"stopped by hand":    {result("install-ccm", "P3"), fault.Interrupted, false},
		"another run":        {result("install-ccm", "P3"), fault.Locked, false},
		"could not look":     {result("install-ccm", "P3"), fault.CouldNotLook, false},
		"a person must act":  {result("switch-provider", "P3"), fault.Gate, false},
		"before any step":    {runner.Result{Position: "P3"}, fault.Check, false},
		"an input has moved": {result("switch-provider", "P3"), fault.Stale, false},
	} {
		if got := mayUndo(tt.result, &fault.Error{Class: tt.class}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// There is no automatic undo while an API outage may have caused the failure.
func TestOutageForbidsTheWayBack(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		unread time.Time
		want   bool
	}{
		"it always answered":     {time.Time{}, false},
		"away a moment ago":      {now.Add(-26 * time.Second), true},
		"away 4 minutes ago":     {now.Add(-4 * time.Minute), true},
		"away 5 minutes ago":     {now.Add(-5 * time.Minute), false},
		"the clock was put back": {now.Add(time.Hour), true},
	} {
		if got := outage(now.Sub(tt.unread)); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func (*unfitScript) Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error) {
	return procedure.Foreseen{}, nil
}
