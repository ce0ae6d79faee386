package rke

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// hosts returns a snapshot of a control plane and a worker. The kube-controller-manager has
// arguments by rke's state.
func hosts(args ...string) migration.Snapshot {
	return migration.Snapshot{Config: observed{}, Reading: migration.Reading{
		Members: []migration.Member{{Name: "cp", Kind: "node", ControlPlane: true}, {Name: "w", Kind: "node", Worker: true}},
		KCMs:    []migration.KCM{{Member: "cp", Kind: "node", Known: true, Args: component.Parse(args)}},
		Down:    downstream.Cluster{Nodes: []downstream.Node{{Name: "cp", UID: "1", Kubelet: "v1.27.16"}, {Name: "w", UID: "2", Kubelet: "v1.27.16"}}},
	}}
}

// rke uses the in-tree provider while its state has awsCloudProvider, even if it is empty.
func TestRolloutOf_awsCloudProvider_left(t *testing.T) {
	for name, tt := range map[string]struct {
		step journal.StepID
		raw  string
		left bool
	}{
		"it is empty":      {migration.StepSwitch, "{}", true},
		"it is null":       {migration.StepSwitch, "null", false},
		"no block":         {migration.StepSwitch, "", false},
		"before a switch":  {migration.StepEnable, "{}", false},
		"back to in-tree":  {migration.StepUndoSwitch, "{}", false},
		"before an update": {migration.StepUpgrade, "{}", false},
	} {
		var o observed
		if tt.raw != "" {
			o.State.Current.Config.CloudProvider.AWS = []byte(tt.raw)
		}
		got := RolloutOf(migration.Snapshot{Config: o}, procedure.EditingOf(tt.step, migration.Options{KubernetesVersion: "v1.27.16-rancher1-1"}))
		if (len(got.Left) == 1) != tt.left {
			t.Errorf("%s: %q", name, got.Left)
		}
	}
}

// rke works on a host that has a cordon of neither a step nor a user.
func TestCurrentHosts(t *testing.T) {
	snap := hosts("--cloud-provider=aws")
	snap.Reading.Recorded = true
	for i := range snap.Reading.Members {
		snap.Reading.Members[i].Nodes = []string{snap.Reading.Members[i].Name}
	}
	for name, tt := range map[string]struct {
		worker downstream.Node
		want   runner.Machine
	}{
		"at rest":   {downstream.Node{Ready: downstream.Condition{Status: "True"}}, runner.Machine{State: runner.MachineUnseen}},
		"cordoned":  {downstream.Node{Ready: downstream.Condition{Status: "True"}, Unschedulable: true}, runner.Machine{State: runner.MachineChanging, Doing: "rke works on it"}},
		"not Ready": {downstream.Node{Ready: downstream.Condition{Status: "False"}, Unschedulable: true}, runner.Machine{State: runner.MachineChanging, Doing: "kubelet restarting"}},
	} {
		tt.worker.Name, tt.want.Name, tt.want.Group = "w", "w", runner.Workers
		snap.Reading.Down.Nodes[0].Ready, snap.Reading.Down.Nodes[1] = downstream.Condition{Status: "True"}, tt.worker
		got := snap.Reading.Reach(procedure.EditingOf(migration.StepSwitch, migration.Options{}).Target, nil, currentHosts(snap)).Machines
		if d := cmp.Diff([]runner.Machine{{Name: "cp", Group: runner.ControlPlanes, State: runner.MachineUnseen}, tt.want}, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// fakeProcess implements rkecli.Running without a process. It runs until it is interrupted.
type fakeProcess struct {
	running     bool
	err         error
	last        string
	interrupted bool
}

func (a *fakeProcess) Running() bool          { return a.running }
func (a *fakeProcess) Seen() (string, string) { return a.last, "mark" }
func (a *fakeProcess) Interrupt()             { a.interrupted, a.running = true, false }
func (a *fakeProcess) Err() error             { return a.err }
func (a *fakeProcess) LogPath() string        { return "/logs/rke.log" }
func (a *fakeProcess) Done() <-chan struct{} {
	done := make(chan struct{})
	if !a.running {
		close(done)
	}
	return done
}

// The state of rke decides the verdict of the step, whether Nodes may be changed meanwhile,
// and the note in the journal.
func TestChildVerdict_rkeState(t *testing.T) {
	bad := errors.New("exit 1")
	for name, tt := range map[string]struct {
		child *child
		want  runner.VerdictKind // or empty if no verdict is wanted
		seen  string
		busy  bool
		ended string // token
		noted bool   // by Finish
	}{
		"none":                {nil, "", "", false, "", false},
		"of another step":     {&child{process: &fakeProcess{running: true}, step: migration.StepSwitch, token: "t"}, "", "", false, "", false},
		"it runs":             {&child{process: &fakeProcess{running: true, last: "line"}, step: migration.StepEnable, token: "t"}, runner.Waiting, "line", true, "", true},
		"it says nothing yet": {&child{process: &fakeProcess{running: true}, step: migration.StepEnable, token: "t"}, runner.Waiting, "no output yet", true, "", true},
		"it ended well":       {&child{process: &fakeProcess{}, step: migration.StepEnable, token: "t"}, "", "", false, "t", true},
		"it failed":           {&child{process: &fakeProcess{err: bad}, step: migration.StepEnable, token: "t"}, runner.Failed, "", false, "", false},
		"it failed, of two":   {&child{process: &fakeProcess{err: bad}, step: migration.StepEnable, token: "t", runsLeft: 1}, runner.Failed, "", false, "", false},
		"it has to run again": {&child{process: &fakeProcess{}, step: migration.StepEnable, token: "t", runsLeft: 1}, runner.Waiting, "it ended well", true, "", false},
		"it runs, and has to": {&child{process: &fakeProcess{running: true}, step: migration.StepEnable, token: "t", runsLeft: 1}, runner.Waiting, "no output yet", true, "", false},
	} {
		p, tx, snap := &Backend{Common: &Common{}, child: tt.child}, clustertest.TxFor(t, migration.StepEnable), hosts()
		verdict := p.childVerdict(snap, migration.StepEnable)
		if (verdict == nil) != (tt.want == "") || verdict != nil && (verdict.Kind != tt.want || verdict.Seen != tt.seen) {
			t.Errorf("%s: %+v", name, verdict)
		}
		if got := p.childOf(migration.StepEnable).endedToken(); got != tt.ended {
			t.Errorf("%s: ended %q", name, got)
		}
		// A second run of rke fails here, because the test has no binary.
		busy, err := p.WhileRolling(t.Context(), tx, snap, procedure.EditingOf(migration.StepEnable, migration.Options{}))
		if runsLeft := verdict != nil && verdict.Seen == "it ended well"; busy != tt.busy || (err != nil) != runsLeft {
			t.Errorf("%s: busy %t, %v", name, busy, err)
		}
		if err := p.Finish(t.Context(), tx, migration.StepEnable, false); err != nil {
			t.Fatal(err)
		}
		var ended upRecord
		known, err := tx.NoteInto(upNote, &ended)
		if err != nil || known != tt.noted || known && (!ended.OK || ended.Token != "t") {
			t.Errorf("%s: noted %t %+v, %v", name, known, ended, err)
		}
		if tt.child != nil && tt.child.Running() {
			t.Errorf("%s: runs on after the step", name)
		}
	}
}

// Rollout waits for the rke of this run and notes its success in the journal. It fails early
// if another writer reverted the edit in the file.
func TestBackendRollout(t *testing.T) {
	flagged := func(p testMigration) {
		tx := clustertest.TxFor(t, migration.StepEnable)
		edit, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepEnable, p.Options.Options))
		if err == nil {
			err = edit.Write(t.Context(), tx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(testMigration) {}
	for name, tt := range map[string]struct {
		step     journal.StepID
		change   func(testMigration)
		process  *fakeProcess
		verdict  runner.VerdictKind // or empty if no verdict is wanted
		applying string
		noted    bool
	}{
		"rke runs":                      {migration.StepEnable, flagged, &fakeProcess{running: true}, runner.Waiting, "", false},
		"it runs, the file has no edit": {migration.StepEnable, nothing, &fakeProcess{running: true}, runner.Waiting, "", false},
		"it failed":                     {migration.StepEnable, flagged, &fakeProcess{err: errors.New("exit 1")}, runner.Failed, "", false},
		"it ended, the state lags":      {migration.StepEnable, flagged, &fakeProcess{}, "", "`rke up` has not run since", true},
		"it ended, the edit was taken":  {migration.StepEnable, nothing, &fakeProcess{}, runner.Failed, "", true},
		"rke did not run":               {migration.StepEnable, flagged, nil, "", "`rke up` has not run since", false},
		"nothing is left to do":         {migration.StepUndoEnable, nothing, nil, "", "", false},
	} {
		p, _ := newMigration(t, Options{}, &fakeTool{})
		tt.change(p)
		if tt.process != nil {
			p.child = &child{process: tt.process, step: tt.step, token: upToken + "1"}
		}
		tx := clustertest.TxFor(t, tt.step)
		got, err := p.Rollout(t.Context(), tx, p.observe(t, tx.Record()), procedure.EditingOf(tt.step, p.Options.Options), nil)
		if err != nil || (got.Verdict == nil) != (tt.verdict == "") || got.Verdict != nil && got.Verdict.Kind != tt.verdict {
			t.Errorf("%s: %v, %+v", name, err, got.Verdict)
		}
		if applying := strings.Join(got.Applying, "; "); !strings.Contains(applying, tt.applying) || (applying == "") != (tt.applying == "") || got.Progress == "" {
			t.Errorf("%s: applying %q, %+v", name, applying, got)
		}
		var ended upRecord
		if known, err := tx.NoteInto(upNote, &ended); err != nil || known != tt.noted || known && (!ended.OK || ended.Token != upToken+"1") {
			t.Errorf("%s: noted %t %+v, %v", name, known, ended, err)
		}
	}
	p, _ := newMigration(t, Options{}, &fakeTool{})
	flagged(p)
	p.child = &child{process: &fakeProcess{}, step: migration.StepEnable, token: upToken + "1"}
	if _, err := p.Rollout(clustertest.Canceled(t), clustertest.TxFor(t, migration.StepEnable), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepEnable, p.Options.Options), nil); err == nil {
		t.Error("no error although the journal did not store the end of rke")
	}
}

func TestUnfinishedReason(t *testing.T) {
	up := journal.Intent{Step: migration.StepEnable, Token: upToken + "1", Time: "noon"}
	for name, tt := range map[string]struct {
		change func(*observed)
		want   string
	}{
		"nothing was begun":            {func(o *observed) { o.record.Intents = nil }, ""},
		"it was cut off":               {func(*observed) {}, "`rke up` of noon has not ended well yet"},
		"this run saw it end":          {func(o *observed) { o.ended = up.Token }, ""},
		"this run saw another end":     {func(o *observed) { o.ended = upToken + "0" }, "has not ended well"},
		"a person runs rke":            {func(o *observed) { o.noRKEUp = true }, ""},
		"the journal saw it end":       {func(o *observed) { o.record.Notes = noted(t, upRecord{Token: up.Token, OK: true}) }, ""},
		"the previous one ended":       {func(o *observed) { o.record.Notes = noted(t, upRecord{Token: upToken + "0", OK: true}) }, "has not ended well"},
		"it saw it fail":               {func(o *observed) { o.record.Notes = noted(t, upRecord{Token: up.Token}) }, "has not ended well"},
		"a person, and the state lags": {func(o *observed) { o.noRKEUp = true; o.State.Current.Config.CloudProvider.Name = "other" }, "`rke up` has not run since"},
		"it ended, and the state lags": {func(o *observed) { o.ended = up.Token; o.State.Current.Config.CloudProvider.Name = "other" }, "`rke up` has not run since"},
		"another intent came after it": {func(o *observed) { o.record.Intents = append(o.record.Intents, journal.Intent{Token: "x"}) }, "has not ended well"},
	} {
		o := observed{Facts: rkefixture.Applied(t, "plain"), record: journal.Record{Intents: []journal.Intent{up}}}
		tt.change(&o)
		if got := unfinishedReason(migration.Snapshot{Config: o}); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func noted(t *testing.T, up upRecord) map[string]json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(up)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]json.RawMessage{upNote: raw}
}
