package rke2

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

func TestRefusedPatchError_status_class(t *testing.T) {
	for code, want := range map[int]struct {
		reason string
		class  fault.Class
	}{
		http.StatusUnauthorized: {fault.ReasonUnauthorized, fault.CouldNotLook},
		http.StatusForbidden:    {"Forbidden", fault.CouldNotLook},
		http.StatusConflict:     {"ChangedMeanwhile", fault.Stale},
	} {
		err := apierrors.NewGenericServerResponse(code, "patch", rancherfixture.Clusters.GroupResource(), "demo", "", 0, true)
		if f, ok := fault.As(refusedPatchError(rancher.Facts{}, err)); !ok || !isDefinite(err) || f.Class != want.class || f.Reason != want.reason || f.Fix == "" {
			t.Errorf("%d: %+v, wanted %+v", code, f, want)
		}
	}
}

func TestPatchCluster_answerLost_readsAgain(t *testing.T) {
	for name, tt := range clustertest.LostAnswers(rancherfixture.Clusters.GroupResource(), "demo") {
		p, client := newMigration(t, Options{EndState: rke2checks.EndOverrides}, nil)
		tx := clustertest.TxOf(t, "run-2", migration.StepEnable)
		edit, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.options.Options))
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if tt.Lands {
				if _, _, err := clienttesting.ObjectReaction(client.Tracker())(action); err != nil {
					return true, nil, err
				}
			}
			if tt.Unread {
				client.PrependReactor("get", "clusters", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("away") })
			}
			return tt.Answer != nil, nil, tt.Answer
		})
		err = edit.Write(t.Context(), tx)
		if !tt.Said(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPendingRollout(t *testing.T) {
	pending := []migration.PendingCondition{{Object: "Machine m"}}
	has := func(config.Spec) ([]string, error) { return nil, nil }
	lacks := func(config.Spec) ([]string, error) { return []string{"a", "b"}, nil }
	f := rancherfixture.Posted()
	snap := migration.Snapshot{Config: observed{Facts: f}, Reading: migration.Reading{Pending: pending}}
	if got := pendingRollout(snap, has); len(got) != 1 || got[0].Object != "Machine m" {
		t.Errorf("%+v", got)
	}
	if got := pendingRollout(snap, lacks); len(got) != 1 || got[0].Kind != "EditNotCopied" || !strings.Contains(got[0].Seen, "a, b") {
		t.Errorf("%+v", got)
	}
	f.ControlPlane.Spec = map[string]any{"machineSelectorConfig": "text"}
	snap.Config = observed{Facts: f}
	if got := pendingRollout(snap, has); len(got) != 1 || got[0].Kind != "ControlPlaneUnreadable" {
		t.Errorf("%+v", got)
	}
}
