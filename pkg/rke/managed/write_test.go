package managed

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Every edit is announced with its inverse. Removed values are stored outside the journal, and
// the undo restores the original configuration exactly.
func TestBackendEdit_writeThenUndo_restored(t *testing.T) {
	m, client := newMigration(t, rke.Options{}, nil)
	before := configIn(t, client)
	var intents []journal.Intent
	do := func(step journal.StepID) {
		t.Helper()
		tx := clustertest.TxFor(t, step, intents...)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), procedure.EditingOf(step, m.Options.Options))
		if err != nil || edit.Empty() || edit.Refused != nil || edit.Object != "Cluster c-1 (demo)" {
			t.Fatal(step, err, edit)
		}
		if err := edit.Write(t.Context(), tx); err != nil {
			t.Fatal(step, err)
		}
		if again, err := m.Edit(t.Context(), m.observe(t, tx.Record()), procedure.EditingOf(step, m.Options.Options)); err != nil || !again.Empty() {
			t.Errorf("%s, a second time: %v %+v", step, err, again.Changes)
		}
		intents = tx.Record().Intents
	}
	do(migration.StepEnable)
	flagged := configIn(t, client)
	do(migration.StepSwitch)
	provider, _, _ := unstructured.NestedMap(configIn(t, client), "cloudProvider")
	if d := cmp.Diff(map[string]any{"name": "external-aws", "useInstanceMetadataHostname": true}, provider); d != "" {
		t.Error(d)
	}
	// The block is in a Secret, which the fake server does not convert.
	kept := intents[1]
	secret, err := client.Resource(secrets).Namespace("c-1").Get(t.Context(), m.storedName(kept.Token), metav1.GetOptions{})
	if err != nil || kept.Object != "Secret c-1/"+m.storedName(kept.Token) || len(intents) != 3 {
		t.Fatal(err, intents)
	}
	stored(t, client, secret)
	do(migration.StepUndoSwitch)
	if d := cmp.Diff(flagged, configIn(t, client)); d != "" {
		t.Error(d)
	}
	do(migration.StepUndoEnable)
	if d := cmp.Diff(before, configIn(t, client)); d != "" {
		t.Error(d)
	}
	if _, err := m.Edit(t.Context(), m.observe(t, journal.Record{}), procedure.EditingOf(migration.StepInstall, m.Options.Options)); err == nil {
		t.Error("a step that edits nothing has an edit")
	}
	broken := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable, Object: "Cluster c-1 (demo)", Inverse: []byte("{")}}}
	if _, err := m.Edit(t.Context(), m.observe(t, broken), procedure.EditingOf(migration.StepUndoEnable, m.Options.Options)); err == nil {
		t.Error("an unreadable inverse was undone")
	}
}

// stored converts stringData as an API server does.
func stored(t *testing.T, client *dynamicfake.FakeDynamicClient, secret *unstructured.Unstructured) {
	t.Helper()
	given, _, _ := unstructured.NestedString(secret.Object, "stringData", storedKey)
	raw, err := json.Marshal([]byte(given))
	if err == nil {
		err = unstructured.SetNestedField(secret.Object, strings.Trim(string(raw), `"`), "data", storedKey)
	}
	if err == nil {
		err = client.Tracker().Update(secrets, secret, "c-1")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A stored value must match its digest.
func TestLoadStored_secret_verified(t *testing.T) {
	sum, raw, err := digestOf(map[string]any{"global": map[string]any{"vpc": "vpc-1"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text   string // or empty for no Secret
		reason string
	}{
		"as it was": {string(raw), ""}, "changed": {`{"global":{"vpc":"vpc-2"}}`, "KeptValueChanged"}, "no JSON": {"{", "KeptValueChanged"},
		"many values": {"[0" + strings.Repeat(",0", 1<<12) + "]", "KeptValueChanged"}, "gone": {"", "NotFound"},
	} {
		m, client := newMigration(t, rke.Options{}, nil)
		if tt.text != "" {
			secret := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "c-1", "name": m.storedName(sum)}, "stringData": map[string]any{storedKey: tt.text}}}
			if err := client.Tracker().Create(secrets, secret, "c-1"); err != nil {
				t.Fatal(err)
			}
			stored(t, client, secret)
		}
		got, err := m.loadStored(t.Context(), sum)
		if clustertest.ReasonOf(err) != tt.reason || tt.reason == "" && cmp.Diff(map[string]any{"global": map[string]any{"vpc": "vpc-1"}}, got) != "" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A value is stored once, before the edit that removes it. If that fails, nothing is written.
func TestStoreRemoved_beforeEdit_once(t *testing.T) {
	for name, tt := range map[string]struct {
		answer error
		writes bool
	}{
		"kept": {nil, true}, "it is there": {apierrors.NewAlreadyExists(schema.GroupResource{}, "x"), true}, "refused": {apierrors.NewForbidden(schema.GroupResource{}, "x", nil), false},
	} {
		m, client := newMigration(t, rke.Options{}, nil)
		if tt.answer != nil {
			deny(client, "create", secrets, nil, tt.answer)
		}
		tx := clustertest.TxFor(t, migration.StepSwitch)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), procedure.EditingOf(migration.StepSwitch, m.Options.Options))
		if err != nil {
			t.Fatal(err)
		}
		if err := edit.Write(t.Context(), tx); (err == nil) != tt.writes {
			t.Errorf("%s: %v", name, err)
		}
		wrote := slices.ContainsFunc(client.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() == "patch" })
		if wrote != tt.writes {
			t.Errorf("%s: patched %t", name, wrote)
		}
	}
}

func TestPatch_answerLost_readsAgain(t *testing.T) {
	for name, tt := range clustertest.LostAnswers(clusters.GroupResource(), "c-1") {
		m, client := newMigration(t, rke.Options{}, nil)
		tx := clustertest.TxFor(t, migration.StepEnable)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, m.Options.Options))
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, apiruntime.Object, error) {
			if tt.Lands {
				if _, _, err := clienttesting.ObjectReaction(client.Tracker())(action); err != nil {
					return true, nil, err
				}
			}
			if tt.Unread {
				deny(client, "get", clusters, nil, errors.New("away"))
			}
			return tt.Answer != nil, nil, tt.Answer
		})
		err = edit.Write(t.Context(), tx)
		if f, ok := fault.As(err); !tt.Said(err) || ok && f.Object != "Cluster c-1 (demo)" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A value that is too large for an undo must not be removed.
func TestStoreRemoved_largeValue_isRefused(t *testing.T) {
	m, client := newMigration(t, rke.Options{}, nil)
	large := map[string]any{}
	for i := range 1 << 12 {
		large[strconv.Itoa(i)] = "x"
	}
	err := m.storeRemoved(t.Context(), clustertest.TxFor(t, migration.StepSwitch), Edit{Elements: []Element{{Before: large}}})
	if clustertest.ReasonOf(err) != "KeptValueTooLarge" {
		t.Error(err)
	}
	for _, a := range client.Actions() {
		if a.GetVerb() == "create" {
			t.Errorf("it was written: %v", a)
		}
	}
}
