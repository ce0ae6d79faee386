package rke2

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

// What a refused patch of Rancher's Cluster object is taken for.
func TestPatchRefused(t *testing.T) {
	for code, want := range map[int]struct {
		reason string
		class  fault.Class
	}{
		http.StatusUnauthorized: {fault.ReasonUnauthorized, fault.CouldNotLook},
		http.StatusForbidden:    {"Forbidden", fault.CouldNotLook},
		http.StatusConflict:     {"ChangedMeanwhile", fault.Stale},
	} {
		err := apierrors.NewGenericServerResponse(code, "patch", rancherfixture.Clusters.GroupResource(), "demo", "", 0, true)
		if f, ok := fault.As(patchRefused(rancher.Facts{}, err)); !ok || !isDefinite(err) || f.Class != want.class || f.Reason != want.reason || f.Fix == "" {
			t.Errorf("%d: %+v, wanted %+v", code, f, want)
		}
	}
}

// A patch whose answer was lost is looked for before it is said to have failed; one that
// was refused was not made.
func TestLostAnswers(t *testing.T) {
	group := rancherfixture.Clusters.GroupResource()
	for name, tt := range map[string]struct {
		answer error
		lands  bool
		unread bool
		reason string // "": it is made; "?": nobody knows
	}{
		"it is made":                    {nil, true, false, ""},
		"lost, and it is there":         {apierrors.NewTimeoutError("lost", 1), true, false, ""},
		"lost, and it is not":           {apierrors.NewTimeoutError("lost", 1), false, false, "?"},
		"lost, and nobody can look":     {apierrors.NewTimeoutError("lost", 1), true, true, "?"},
		"forbidden":                     {apierrors.NewForbidden(group, "demo", nil), false, false, fault.ReasonForbidden},
		"not who one was":               {apierrors.NewUnauthorized("who"), false, false, fault.ReasonUnauthorized},
		"it moved":                      {apierrors.NewConflict(group, "demo", nil), false, false, "ChangedMeanwhile"},
		"its values moved":              {apierrors.NewInvalid(schema.GroupKind{}, "demo", nil), false, false, "ChangedMeanwhile"},
		"it is gone":                    {apierrors.NewNotFound(group, "demo"), false, false, "ChangedMeanwhile"},
		"it is no patch for the server": {apierrors.NewBadRequest("no"), false, false, "ChangedMeanwhile"},
	} {
		p, client := migrating(t, Options{EndState: rke2checks.EndOverrides}, nil)
		tx := journaled(t, StepEnable)
		edit, err := p.Edit(t.Context(), p.look(t, tx.Record()), StepEnable)
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if tt.lands {
				if _, _, err := clienttesting.ObjectReaction(client.Tracker())(action); err != nil {
					return true, nil, err
				}
			}
			if tt.unread {
				client.PrependReactor("get", "clusters", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("away") })
			}
			return tt.answer != nil, nil, tt.answer
		})
		err = edit.Write(t.Context(), tx)
		f, ok := fault.As(err)
		if (err == nil) != (tt.reason == "") || ok != (tt.reason != "" && tt.reason != "?") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An edit is rolled out once Rancher's copy has it and nothing waits any more.
func TestRolledOut(t *testing.T) {
	open := []migration.PendingCondition{{Object: "Machine m"}}
	has := func(config.Spec) (bool, []string) { return true, nil }
	lacks := func(config.Spec) (bool, []string) { return false, []string{"a", "b"} }
	f := rancherfixture.Posted()
	seen := migration.Snapshot{Config: observed{Facts: f}, Reading: migration.Reading{Pending: open}}
	if got := rolledOut(seen, has); len(got) != 1 || got[0].Object != "Machine m" {
		t.Errorf("%+v", got)
	}
	if got := rolledOut(seen, lacks); len(got) != 1 || got[0].Kind != "EditNotCopied" || !strings.Contains(got[0].Seen, "a, b") {
		t.Errorf("%+v", got)
	}
	f.ControlPlane.Spec = map[string]any{"machineSelectorConfig": "text"}
	seen.Config = observed{Facts: f}
	if got := rolledOut(seen, has); len(got) != 1 || got[0].Kind != "ControlPlaneUnreadable" {
		t.Errorf("%+v", got)
	}
}
