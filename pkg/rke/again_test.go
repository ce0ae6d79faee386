package rke

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// script returns the path of an executable that behaves like rke towards its parent.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rke")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// editedMigration returns a migration whose cluster.yml has the flag and whose state has not. Its rke
// only counts runs. The fake cluster has no controllers, so a step never continues after rke.
func editedMigration(t *testing.T) (b *Backend, m *procedure.Migration, count func() int) {
	t.Helper()
	dir := t.TempDir()
	text := rkefixture.Applied(t, "plain").File.Text()
	path, runs := filepath.Join(dir, "plain.yml"), filepath.Join(dir, "runs")
	state := rkefixture.File(t, "plain.rkestate")
	edit, err := enableEdit(rkefixture.Applied(t, "plain").File)
	if err != nil || string(edit.After) == string(text) {
		t.Fatalf("nothing to edit: %v", err)
	}
	for name, content := range map[string][]byte{path: edit.After, filepath.Join(dir, "plain.rkestate"): state} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rke := script(t, fmt.Sprintf("echo \"$1\" >> %s\n", runs))
	kube := fake.NewSimpleClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: rkestate.ObjectName},
		Data: map[string][]byte{rkestate.ObjectName: state}})
	kube.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, k8sruntime.Object, error) {
		return true, a.(clienttesting.CreateAction).GetObject(), nil
	})
	access := migration.Access{Kube: kube, Options: migration.Options{RunID: "run-2"}, Clock: clock.RealClock{}}
	b = &Backend{deps: Deps{Kube: kube, Live: &bytes.Buffer{}}, binary: verify.Got(rkecli.Binary{Path: rke, Version: "v1.5.9"}),
		Common: &Common{Access: access, TryEdits: tryFileEdits, Options: Options{Options: access.Options, Config: path}}}
	return b, procedure.New(access, b), func() int {
		text, err := os.ReadFile(runs)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "up\n")
	}
}

// After an rke that was cut off, the next run may start the stopped containers and succeed.
// Only a second run detects the difference.
func TestRKERunsTwiceAfterOneThatWasCutOff(t *testing.T) {
	for name, tt := range map[string]struct {
		intents []journal.Intent
		notes   map[string]upRecord
		want    int
	}{
		"nothing was begun":   {want: 1},
		"cut off":             {intents: []journal.Intent{{Step: migration.StepEnable, Token: upToken + "run-1/enable/0"}}, want: 2},
		"ended well, another": {intents: []journal.Intent{{Step: migration.StepEnable, Token: upToken + "run-1/enable/0"}}, notes: map[string]upRecord{upNote: {Token: upToken + "run-1/enable/0", OK: true}}, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, count := editedMigration(t)
			kept := &journal.Memory{}
			options := runner.Options{RunID: "run-2", Journal: kept, Lock: (&lock.Memory{}).For(lock.Owner{}), Clock: clock.RealClock{}, Sink: quiet{}}
			if err := options.Lock.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := kept.Commit(t.Context(), &journal.State{Intents: tt.intents}); err != nil {
				t.Fatal(err)
			}
			step := stepOf(t, m, migration.StepEnable)
			tx, err := runner.NewTx(t.Context(), step.Info(), options)
			if err != nil {
				t.Fatal(err)
			}
			for key, note := range tt.notes {
				if err := tx.Note(t.Context(), key, note); err != nil {
					t.Fatal(err)
				}
			}
			observe := func() migration.Snapshot {
				snap, err := m.Observe(t.Context(), tx.Record())
				if err != nil {
					t.Fatal(err)
				}
				return snap
			}
			if err := step.Do(t.Context(), tx, observe()); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				<-b.child.Done()
				snap := observe()
				if _, err := step.Verify(t.Context(), tx, snap); err != nil {
					t.Fatal(err)
				}
				if err := step.(runner.WaitingStep[migration.Snapshot]).WhileWaiting(t.Context(), tx, snap); err != nil {
					t.Fatal(err)
				}
			}
			if got := count(); got != tt.want {
				t.Errorf("rke ran %d times, want %d", got, tt.want)
			}
			if wasCutOff(tx.Record()) {
				t.Error("the last run ended well, and the journal does not say so")
			}
		})
	}
}

// stepOf returns the step of a procedure with an ID.
func stepOf(t *testing.T, m *procedure.Migration, id journal.StepID) migration.Step {
	t.Helper()
	for _, step := range m.Steps() {
		if step.Info().ID == id {
			return step
		}
	}
	t.Fatalf("no step %s", id)
	return nil
}

type quiet struct{}

func (quiet) Emit(runner.Event) {}
