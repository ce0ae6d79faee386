package rke

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// fakeTool implements rkecli.Tool with processes of the test.
type fakeTool struct {
	missing, broken error
	process         *fakeProcess
	ran             []string
}

func (a *fakeTool) Find(context.Context, string, ...string) (rkecli.Binary, error) {
	return rkecli.Binary{Path: "/bin/rke", Version: "v1.5.9"}, a.missing
}

func (a *fakeTool) Start(_ string, args []string, _ string, _ io.Writer, _ *os.File, _ clock.WithTicker) (rkecli.Running, error) {
	a.ran = append(a.ran, strings.Join(args, " "))
	return a.process, a.broken
}

// newMigration returns a migration of plain.yml, which rke has applied, and a client of its cluster.
func newMigration(t *testing.T, options Options, tool *fakeTool) (testMigration, *fake.Clientset) {
	t.Helper()
	options.Config = filepath.Join(t.TempDir(), "plain.yml")
	for _, name := range []string{"plain.yml", "plain.rkestate"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(options.Config), name), rkefixture.File(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options.InstallMethod, options.AWS, options.RunID = migration.InstallHelm, "off", "run"
	client := rkefixture.API(t)
	m, err := New(t.Context(), Deps{Kube: client, Config: restfake.Config(client, "v1.26.9"), Clock: clustertest.Clock{FakeClock: clocktesting.NewFakeClock(time.Unix(0, 0))}, Live: &bytes.Buffer{}, Tool: tool}, options)
	if err != nil {
		t.Fatal(err)
	}
	p := testMigration{m.Backend.(*Backend), m}
	p.Names = &naming.Rule{UseMetadata: true}
	return p, client
}

// testMigration holds a migration and its backend.
type testMigration struct {
	*Backend
	migration *procedure.Migration
}

func (p testMigration) observe(t *testing.T, record journal.Record) migration.Snapshot {
	t.Helper()
	snap, err := p.migration.Observe(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func (p testMigration) again(ctx context.Context) (migration.Snapshot, error) {
	return p.migration.Observe(ctx, journal.Record{})
}

func TestNew_fileAndCluster_error(t *testing.T) {
	refused := func(resource string) func(string, *fake.Clientset) {
		return func(_ string, c *fake.Clientset) {
			c.PrependReactor("*", resource, func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)
			})
		}
	}
	write := func(text string) func(string, *fake.Clientset) {
		return func(path string, _ *fake.Clientset) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(path string, c *fake.Clientset)
		reason string
	}{
		"it is":             {func(string, *fake.Clientset) {}, ""},
		"none of its hosts": {write("nodes:\n- {address: 10.9.9.9, user: u, role: [controlplane]}\n"), "WrongTarget"},
		"one of its hosts":  {write("nodes:\n- {address: 10.9.9.9, user: u, role: [controlplane]}\n- {address: 10.0.0.13, user: u, role: [worker]}\n"), ""},
		"no YAML":           {write("nodes: [\n"), "?"},
		"no state":          {refused("secrets"), fault.ReasonForbidden},
		"no identity":       {refused("namespaces"), fault.ReasonForbidden},
		"no Nodes":          {refused("nodes"), fault.ReasonForbidden},
	} {
		path, client := filepath.Join(t.TempDir(), "plain.yml"), rkefixture.API(t)
		write(string(rkefixture.File(t, "plain.yml")))(path, client)
		tt.change(path, client)
		p, err := New(t.Context(), Deps{Kube: client, Clock: clock.RealClock{}, Tool: &fakeTool{}}, Options{Config: path, Options: migration.Options{InstallMethod: migration.InstallHelm}})
		if (err != nil) != (tt.reason != "") || tt.reason != "?" && clustertest.ReasonOf(err) != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (p.Target().UID != "the-cluster" || p.Target().Kind != "rke" || p.Target().Namespace != "kube-system" || len(p.Steps()) != 10 || len(p.Undo().Steps()) != 8) {
			t.Errorf("%s: %+v, %d steps", name, p.Target(), len(p.Steps()))
		}
	}
}

func TestBackendHeader(t *testing.T) {
	for _, tool := range []*fakeTool{{}, {missing: errors.New("no rke")}} {
		p, _ := newMigration(t, Options{}, tool)
		snap := p.observe(t, journal.Record{})
		binary := "rke v1.5.9"
		if tool.missing != nil {
			binary = "rke not found"
		}
		want := []string{"shop   " + p.Options.Config + " · RKE v1.26.9-rancher1-1 · 3 control planes, 2 workers · " + binary, "now    P0  ●○○○○○  " + position.P0.Words(), "names  useInstanceMetadataHostname: true ()"}
		if got := p.Header(snap); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q", got)
		}
		if p.Names = nil; len(p.Header(snap)) != 2 {
			t.Errorf("%q", p.Header(snap))
		}
	}
}

// text returns the current text of the file.
func (p testMigration) text(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(p.Options.Config)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// edit writes the edit of a step and returns the intents of the journal after it.
func (p testMigration) edit(t *testing.T, step journal.StepID, intents []journal.Intent) []journal.Intent {
	t.Helper()
	tx := clustertest.TxFor(t, step, intents...)
	edit, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(step, p.Options.Options))
	if err != nil || edit.Empty() || edit.Refused != nil || edit.Object != "file "+p.Options.Config || edit.Changes[0].Diff == "" {
		t.Fatal(step, err, edit)
	}
	if err := edit.Write(t.Context(), tx); err != nil || p.text(t) != edit.Changes[0].Result {
		t.Fatal(step, err)
	}
	if again, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(step, p.Options.Options)); err != nil || !again.Empty() || again.Refused != nil {
		t.Errorf("%s, a second time: %v %+v", step, err, again)
	}
	intents = tx.Record().Intents
	if last := intents[len(intents)-1]; last.Object != edit.Object || len(last.Inverse) == 0 || last.Token == "" {
		t.Errorf("%s: %+v", step, last)
	}
	return intents
}

// Every edit is announced with its receipt and only changes the file. Its undo restores the
// file byte for byte. An edit is refused while the file has other changes for rke to apply.
func TestBackendEdit_writeThenUndo_restored(t *testing.T) {
	p, _ := newMigration(t, Options{}, &fakeTool{})
	text := func() string { return p.text(t) }
	before := text()
	var intents []journal.Intent
	do := func(step journal.StepID) {
		t.Helper()
		intents = p.edit(t, step, intents)
	}
	do(migration.StepEnable)
	flagged := text()
	do(migration.StepSwitch)
	if now := text(); strings.Contains(now, "enable-leader-migration") || strings.Contains(now, "awsCloudProvider") || !strings.Contains(now, "external-aws") {
		t.Error(now)
	}
	do(migration.StepUndoSwitch)
	if text() != flagged {
		t.Error(text())
	}
	do(migration.StepUndoEnable)
	if text() != before {
		t.Error(text())
	}
	if err := os.WriteFile(p.Options.Config, []byte(strings.ReplaceAll(before, "creation: 6h", "creation: 8h")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, includes := range []bool{false, true} {
		p.Options.IncludePending = includes
		edit, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepEnable, p.Options.Options))
		if err != nil || (edit.Refused == nil) != includes || !includes && (clustertest.ReasonOf(edit.Refused) != "PendingChanges" || !strings.Contains(edit.Refused.Error(), "1 change ") || !strings.Contains(edit.Refused.Error(), "creation")) {
			t.Errorf("includes them: %t, %v, %v", includes, err, edit.Refused)
		}
	}
	if _, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepInstall, p.Options.Options)); err == nil {
		t.Error("a step that edits nothing has an edit")
	}
	broken := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable, Object: p.fileObject(), Inverse: []byte("{")}}}
	if _, err := p.Edit(t.Context(), p.observe(t, broken), procedure.EditingOf(migration.StepUndoEnable, p.Options.Options)); err == nil || clustertest.ReasonOf(err) != "JournalBroken" {
		t.Errorf("an unreadable receipt: %v", err)
	}
}

func TestUpgradeEdit_version_validOrRefused(t *testing.T) {
	for target, want := range map[string]string{"v1.27.16-rancher1-1": "", "v1.29.1-rancher1-1": "UpgradeNotAllowed", "v1.26.9-rancher1-1": "there"} {
		p, _ := newMigration(t, Options{Options: migration.Options{KubernetesVersion: target}}, &fakeTool{})
		edit, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepUpgrade, p.Options.Options))
		switch {
		case want == "there" && (err != nil || !edit.Empty()), want == "" && (err != nil || !strings.Contains(edit.Changes[0].Result, target)), want == "UpgradeNotAllowed" && clustertest.ReasonOf(err) != want:
			t.Errorf("%s: %v %+v", target, err, edit)
		}
	}
}

// The first reading of the cluster decides for the rest of the run. After the switch, the
// file contains the decision.
func TestNameRule_repeated_decidedOnce(t *testing.T) {
	p, client := newMigration(t, Options{}, &fakeTool{})
	p.Names = nil
	plain := string(rkefixture.File(t, "plain.yml"))
	write := func(text string) migration.Snapshot {
		t.Helper()
		if err := os.WriteFile(p.Options.Config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p.observe(t, journal.Record{})
	}
	snap := p.observe(t, journal.Record{})
	if rule, err := p.NameRule(t.Context(), snap); clustertest.ReasonOf(err) != naming.ReasonNotProven || p.Names != nil {
		t.Errorf("not proven: %v, %+v, kept %+v", err, rule, p.Names)
	}
	named := write(regexp.MustCompile(`- address: (\S+)\n`).ReplaceAllString(plain, "- address: $1\n    hostname_override: node-$1\n"))
	rule, err := p.NameRule(t.Context(), named)
	if err != nil || p.Names == nil || *p.Names != rule || rule.Why == "" {
		t.Errorf("%v, %+v, kept %+v", err, rule, p.Names)
	}
	if again, err := p.NameRule(t.Context(), snap); err != nil || again != rule {
		t.Errorf("decided a second time: %v, %+v", err, again)
	}
	p.Names = nil
	write(strings.ReplaceAll(plain, "name: aws", "name: external-aws\n  useInstanceMetadataHostname: true"))
	edit, err := p.fold(t.Context(), p.observe(t, journal.Record{}), []migration.Editing{procedure.EditingOf(migration.StepSwitch, p.Options.Options)})
	if err != nil || !strings.Contains(string(edit.After), "useInstanceMetadataHostname: true") || p.Names != nil {
		t.Errorf("%v, %s", err, edit.After)
	}
	p.Access.Config.Host = "no URL: %"
	if _, err := p.NameRule(t.Context(), snap); err == nil || p.Names != nil {
		t.Errorf("decided of a cluster that cannot be read: %v", client)
	}
}

// Both edits must be computable before a run begins, unless the file is switched.
func TestTryFileEdits(t *testing.T) {
	const shared = "x: &a {v: '1'}\nservices:\n  kube-controller:\n    extra_args: *a\n"
	for name, tt := range map[string]struct {
		text  string
		at    position.Position
		fails bool
	}{
		"it has a place":       {string(rkefixture.File(t, "plain.yml")), position.P0, false},
		"no place":             {shared, position.P0, true},
		"no place, and switch": {shared, position.P4, false},
		"no place to switch":   {"x: &a {name: aws}\ncloud_provider: *a\n", position.P1, true},
	} {
		snap := hosts("")
		facts := rkefixture.Applied(t, "plain")
		if name == "it has a place" {
			facts = rkefixture.AppliedAs(t, "plain", tt.text)
		} else {
			file, err := clusterfile.Parse("plain.yml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			facts.File = file
		}
		snap.Config, snap.Result = observed{Facts: facts}, position.Result{Position: tt.at}
		if err := tryFileEdits(snap, naming.Rule{}); (err != nil) != tt.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// PauseRollout interrupts rke once the current node is ready, or after a timeout.
func TestBackend_PauseRollout(t *testing.T) {
	notReady := func(t *testing.T, client *fake.Clientset, change func(*corev1.Node)) {
		node, err := client.CoreV1().Nodes().Get(t.Context(), "node-10.0.0.13", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		change(node)
		if _, err := client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	down := func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	for name, tt := range map[string]struct {
		none, ended bool
		change      func(*corev1.Node)
		away        bool
		waits       time.Duration
		says        string
		interrupted bool
	}{
		"no rke runs":          {none: true, says: "no rollout continues"},
		"it has ended":         {ended: true, says: "no rollout continues"},
		"all Nodes are back":   {says: "rke was interrupted", interrupted: true},
		"one is not":           {change: down, waits: nodeReadyTimeout, says: "rke was interrupted", interrupted: true},
		"rke has cordoned one": {change: cordoned, waits: nodeReadyTimeout, says: "rke was interrupted", interrupted: true},
		"the API is away":      {away: true, waits: nodeReadyTimeout, says: "rke was interrupted", interrupted: true},
	} {
		p, client := newMigration(t, Options{}, &fakeTool{})
		rke := &fakeProcess{running: !tt.ended}
		if !tt.none {
			p.child = &child{process: rke, step: migration.StepEnable}
		}
		if tt.change != nil {
			notReady(t, client, tt.change)
		}
		if tt.away {
			client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, apiruntime.Object, error) { return true, nil, errors.New("away") })
		}
		before := p.Access.Clock.Now()
		said, err := p.PauseRollout(t.Context(), clustertest.TxFor(t, migration.StepEnable), migration.Snapshot{}, p.again)
		if err != nil || !strings.Contains(said, tt.says) || rke.interrupted != tt.interrupted || p.Access.Clock.Now().Sub(before) != tt.waits {
			t.Errorf("%s: %q, %v, interrupted %t, after %s", name, said, err, rke.interrupted, p.Access.Clock.Now().Sub(before))
		}
	}
	p, client := newMigration(t, Options{}, &fakeTool{})
	rke := &fakeProcess{running: true}
	p.child = &child{process: rke}
	notReady(t, client, down)
	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		rke.running = false
		return false, nil, nil
	})
	if said, err := p.PauseRollout(t.Context(), clustertest.TxFor(t, migration.StepEnable), migration.Snapshot{}, p.again); err != nil || said != "rke has ended" || rke.interrupted {
		t.Errorf("it ended meanwhile: %q, %v", said, err)
	}
	rke.running = true
	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		rke.running = true
		return true, nil, errors.New("away")
	})
	if said, err := p.PauseRollout(clustertest.Canceled(t), clustertest.TxFor(t, migration.StepEnable), migration.Snapshot{}, p.again); err != nil || !rke.interrupted || p.Access.Clock.Now().IsZero() {
		t.Errorf("a canceled context: %q, %v", said, err)
	}
}

// The journal announces the snapshot before rke starts, on a cluster at rest.
func TestSnapshotStep(t *testing.T) {
	tool := &fakeTool{process: &fakeProcess{running: true, last: "saving"}}
	p, _ := newMigration(t, Options{Options: migration.Options{Snapshot: true}}, tool)
	step := stepOf(t, p.migration, migration.StepSnapshot)
	tx := clustertest.TxFor(t, migration.StepSnapshot)
	snap := p.observe(t, tx.Record())
	if plan, err := step.Plan(t.Context(), snap); err != nil || plan.Summary[0] != "rke etcd snapshot-save" || plan.Takes == 0 {
		t.Errorf("%v %+v", err, plan)
	}
	if got, err := step.Verify(t.Context(), tx, snap); err != nil || got.Kind != runner.Failed || clustertest.ReasonOf(got.Err) != "NoSnapshot" {
		t.Errorf("this run started none: %v %+v", err, got)
	}
	moving := snap
	moving.Reading.Pending = []migration.PendingCondition{{Object: "x", Seen: "moves"}}
	if err := step.Do(t.Context(), tx, moving); err == nil || len(tool.ran) > 0 {
		t.Errorf("on a cluster that moves: %v, ran %q", err, tool.ran)
	}
	if err := step.Do(t.Context(), tx, snap); err != nil || len(tool.ran) != 1 || tool.ran[0] != "etcd snapshot-save --config "+p.Options.Config+" --name awsmigrate-run" || tx.Record().Intents[0].Token != "awsmigrate-run" {
		t.Errorf("%v, ran %q, %+v", err, tool.ran, tx.Record().Intents)
	}
	for name, tt := range map[string]struct {
		process fakeProcess
		want    runner.VerdictKind
		noted   bool
	}{"it runs": {fakeProcess{running: true}, runner.Waiting, false}, "it failed": {fakeProcess{err: errors.New("exit 1")}, runner.Failed, false}, "it ended well": {fakeProcess{}, runner.Met, true}} {
		*tool.process = tt.process
		got, err := step.Verify(t.Context(), tx, snap)
		var noted upRecord
		known, _ := tx.NoteInto(snapshotNote, &noted)
		if err != nil || got.Kind != tt.want || known != (tt.noted || noted.OK) || tt.noted && (got.Stable != 1 || noted.Token != "awsmigrate-run" || !noted.OK) {
			t.Errorf("%s: %v %+v, noted %+v", name, err, got, noted)
		}
	}
	*tool.process = fakeProcess{running: true}
	if err := step.(runner.Finisher).Finish(t.Context(), tx, false); err != nil || !tool.process.interrupted {
		t.Errorf("left running: %v", err)
	}
	*tool.process = fakeProcess{}
	var up upRecord
	if err := step.(runner.Finisher).Finish(t.Context(), tx, true); err != nil {
		t.Error(err)
	}
	if known, err := tx.NoteInto(upNote, &up); err != nil || known {
		t.Errorf("a snapshot counts as an rke up: %v, %+v", err, up)
	}
	broken := &fakeTool{broken: errors.New("no such program"), process: &fakeProcess{}}
	p, _ = newMigration(t, Options{}, broken)
	if err := stepOf(t, p.migration, migration.StepSnapshot).Do(t.Context(), clustertest.TxFor(t, migration.StepSnapshot), p.observe(t, journal.Record{})); err == nil || p.child != nil {
		t.Errorf("no error although rke did not start: %v", err)
	}
}

func TestCommonEvidence(t *testing.T) {
	p, _ := newMigration(t, Options{}, &fakeTool{process: &fakeProcess{}})
	snap := p.observe(t, journal.Record{})
	var input evidence.Input
	p.Evidence(t.Context(), snap, &input)
	if want := snap.Reading.KCMEvidence(); len(want) == 0 || !slices.Equal(input.KCMs, want) {
		t.Errorf("kube-controller-managers %+v, want %+v", input.KCMs, want)
	}
	if input.CredentialProvider == nil || *input.CredentialProvider != (evidence.CredentialProvider{}) {
		t.Errorf("plain.yml gives kubelets no credential provider: %v", input.CredentialProvider)
	}
	facts := FactsOf(snap)
	facts.Config.Services.Kubelet.ExtraArgsArray = map[string][]string{"image_credential_provider_config": {"/etc/kubernetes/ecr.yaml"}, "image_credential_provider_bin_dir": {"/etc/kubernetes/bin"}}
	with := snap
	with.Config = observed{Facts: facts}
	if p.Evidence(t.Context(), with, &input); input.CredentialProvider == nil || *input.CredentialProvider != (evidence.CredentialProvider{Config: "/etc/kubernetes/ecr.yaml"}) {
		t.Errorf("a credential provider of the kubelet: %v", input.CredentialProvider)
	}
	if want := FactsOf(snap).Registries; len(want) == 0 || !reflect.DeepEqual(input.Registries, want) {
		t.Errorf("registries %+v, want %+v", input.Registries, want)
	}
}
