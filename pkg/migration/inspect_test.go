package migration

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// findings is a check of a side's with these findings.
func findings(meta verify.Meta, found ...verify.Finding) verify.Bound {
	if meta.ID == "" {
		meta.ID = "AWSM-999"
	}
	return verify.Bind(0, verify.Check[int]{Meta: meta, Judge: func(int) []verify.Finding { return found }})[0]
}

// bad is a check that fails.
func bad() verify.Bound {
	return findings(verify.Meta{}, verify.Finding{Status: verify.Fail, Object: "Node cp-0", Seen: "is bad", Wanted: "good"})
}

// looked is what a core observes once it saw the leases move.
func looked(t *testing.T, m *Migration, record journal.Record) Snapshot {
	t.Helper()
	var seen Snapshot
	for range 2 {
		m.Clock.(stepClock).Step(5 * time.Second)
		var err error
		if seen, err = m.Observe(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	return seen
}

// Nobody else may run the cloud controllers, when a run begins and again right before a
// change of who does. What could not be looked at for a moment may be tried again, and is
// no manager.
func TestAlone(t *testing.T) {
	stranger := func(client *fake.Clientset) error {
		return client.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "kcm"},
			Spec: corev1.PodSpec{NodeName: "worker", Containers: []corev1.Container{{Name: "m", Command: []string{"kube-controller-manager"}, Args: []string{"--cloud-provider=aws"}}}}})
	}
	refuse := func(resource string, with error) func(*fake.Clientset) error {
		return func(client *fake.Clientset) error {
			client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, with })
			return nil
		}
	}
	away := apierrors.NewServiceUnavailable("no agent")
	denied := apierrors.NewForbidden(corev1.Resource("nodes"), "", nil)
	noStatic := func(client *fake.Clientset) error {
		for _, node := range []string{"cp-0", "cp-1"} {
			if err := client.CoreV1().Pods(wellknown.System).Delete(t.Context(), wellknown.KCM+"-"+node, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*fake.Clientset) error
		kind   wellknown.Distribution
		alone  bool
		again  bool
	}{
		"nobody, in-tree":          {at: position.P2, alone: true},
		"nobody, beside the CCM":   {at: position.P3, alone: true},
		"a pod of somebody's":      {at: position.P2, change: stranger},
		"the API is away":          {at: position.P2, change: refuse("nodes", away), again: true},
		"DaemonSets are away":      {at: position.P2, change: refuse("daemonsets", away), again: true},
		"it may not be looked at":  {at: position.P2, change: refuse("nodes", denied)},
		"they run outside the API": {at: position.P2, change: noStatic, kind: wellknown.RKE, alone: true},
	} {
		core, client, _ := observer(tt.at)
		if tt.kind != "" {
			core.Distribution = tt.kind
		}
		seen := looked(t, core, journal.Record{})
		if tt.change != nil {
			if err := tt.change(client); err != nil {
				t.Fatal(err)
			}
		}
		if err := core.Undo().Alone(t.Context(), seen); (err == nil) != tt.alone {
			t.Errorf("%s: %v", name, err)
		}
		err := RequireAlone(t.Context(), core.Access, seen)
		if again := err != nil && strings.HasPrefix(err.Error(), "look for other controller managers: "); (err == nil) != tt.alone || again != tt.again || again != (err != nil && retry.Transient(err)) {
			t.Errorf("%s: required: %v", name, err)
		}
	}
	core, _, _ := observer(position.P2)
	core.Config.Host = "no URL: %"
	if err := core.Alone(t.Context(), Snapshot{}); err == nil {
		t.Error("nobody was looked for, and nobody is said to be there")
	}
}

// The preflight takes fingerprint and control planes once every check has passed, and
// stops at one that fails, unless a step is under way: then it says so and goes on. What
// an earlier run left moving, or rolled out without seeing its end, is waited for.
func TestPreflightStep(t *testing.T) {
	half := func(s *Snapshot) { s.Result = between(position.P2, position.P3); s.Record = intended(StepInstall) }
	left := func(s *Snapshot) {
		s.Reading.Unrest = rolling().Unrest
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: StepCordon, Run: "earlier"}}}
	}
	unseen := func(s *Snapshot) {
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: StepEnable, Run: "earlier"}}}
		s.Reading.MayOutlive = true
	}
	stillRolls := func(s *Snapshot) { unseen(s); s.Reading.Unrest = rolling().Unrest }
	for name, tt := range map[string]struct {
		bad    bool
		change func(*Snapshot)
		want   runner.VerdictKind
		waits  string
	}{
		"all is well":                        {false, nil, runner.Met, ""},
		"a check fails":                      {true, nil, runner.Failed, ""},
		"one fails in the middle of a step":  {true, half, runner.Met, ""},
		"one fails while others' work goes":  {true, left, runner.Waiting, "what an earlier run began to come to its end"},
		"its end was not seen":               {true, unseen, runner.Waiting, "the end of what an earlier run rolled out"},
		"its end was not seen, all is well":  {false, unseen, runner.Met, ""},
		"it still rolls":                     {true, stillRolls, runner.Met, ""},
		"others' work goes, and all is well": {false, left, runner.Met, ""},
	} {
		core, _, by := observer(position.P2)
		if tt.bad {
			by.checks = []verify.Bound{bad()}
		}
		for _, id := range []journal.StepID{StepPreflight, StepVerify} {
			seen, tx := looked(t, core, journal.Record{}), txFor(t, id)
			if tt.change != nil {
				tt.change(&seen)
			}
			step := makeStep(base{Migration: core, ID: id})
			plan, err := step.Plan(t.Context(), seen)
			if err != nil || len(plan.Summary) != 1 || !strings.Contains(plan.Summary[0], " checks") {
				t.Errorf("%s: %s plans %+v, %v", name, id, plan, err)
			}
			if id == StepPreflight {
				continue // its verdict is the same, of the journal that it reads
			}
			got, err := step.Verify(t.Context(), tx, seen)
			if err != nil || got.Kind != tt.want || got.WaitingFor != tt.waits || tt.want == runner.Waiting && got.Seen == "" || (got.Err == nil) != (tt.want != runner.Failed) {
				t.Errorf("%s: %v %+v", name, err, got)
			}
			if tt.want == runner.Met && (len(got.Evidence) == 0 || !strings.Contains(got.Evidence[0], " ok")) {
				t.Errorf("%s: %q", name, got.Evidence)
			}
			if _, known, _ := fingerprint(tx.Record()); known {
				t.Errorf("%s: an audit took the fingerprint", name)
			}
		}
	}
}

// A preflight that passes writes down how the cluster looked, once; one that does not
// writes nothing. Nodes that were registered again since are taken as they are now.
func TestPreflightNotes(t *testing.T) {
	for _, fails := range []bool{true, false} {
		core, _, by := observer(position.P0)
		if fails {
			by.checks = []verify.Bound{bad()}
		}
		tx := txFor(t, StepPreflight)
		step := makeStep(base{Migration: core, ID: StepPreflight})
		got, err := step.Verify(t.Context(), tx, looked(t, core, tx.Record()))
		before, known, broken := fingerprint(tx.Record())
		if err != nil || broken != nil || known == fails || (got.Kind == runner.Met) == fails {
			t.Fatalf("fails %t: %v, %v, known %t, %+v", fails, err, broken, known, got)
		}
		if fails {
			continue
		}
		if len(before.Nodes) != 3 || !before.Nodes[0].ControlPlane || before.Nodes[2].ControlPlane {
			t.Errorf("%+v", before.Nodes)
		}
		node, err := core.Kube.CoreV1().Nodes().Get(t.Context(), "worker", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		node.UID = "again"
		if _, err := core.Kube.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		got, err = step.Verify(t.Context(), tx, looked(t, core, tx.Record()))
		after, _, broken := fingerprint(tx.Record())
		if err != nil || broken != nil || got.Kind != runner.Met || after.Nodes[2].UID != "again" {
			t.Errorf("%v, %v, %+v, %+v", err, broken, got, after.Nodes)
		}
	}
}

// A fingerprint counts for the migration that it was taken in: one that was taken back,
// or that nobody began, is taken anew.
func TestFingerprintIsTakenOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		begun bool
		anew  bool
	}{"nothing is begun": {position.P0, false, true}, "begun here": {position.P0, true, false}, "begun by hand": {position.P1, false, false}} {
		core, _, _ := observer(tt.at)
		tx := txFor(t, StepPreflight)
		if tt.begun {
			tx = announced(t, StepEnable)
		}
		old := prints()
		old[2].Cordoned = true
		notePrint(t, tx, old...)
		seen := looked(t, core, tx.Record())
		if _, err := makeStep(base{Migration: core, ID: StepPreflight}).Verify(t.Context(), tx, seen); err != nil {
			t.Fatal(err)
		}
		after, known, err := fingerprint(tx.Record())
		if err != nil || !known || after.Nodes[2].Cordoned == tt.anew {
			t.Errorf("%s: %v, known %t, %+v", name, err, known, after.Nodes)
		}
	}
}

// A journal that nobody can read stops whatever would judge by it.
func TestFingerprintThatNobodyCanRead(t *testing.T) {
	core, _, _ := observer(position.P4)
	tx := txFor(t, StepPreflight)
	if err := tx.Note(t.Context(), fingerprintNote, []byte("no fingerprint")); err != nil {
		t.Fatal(err)
	}
	seen := looked(t, core, tx.Record())
	for what, err := range map[string]error{
		"control planes": seen.RequireSamePlanes(), "a way back": seen.undoRefused(), "Nodes again": seen.takeAgain(t.Context(), tx),
		"noting control planes": seen.notePlanes(t.Context(), tx), "checks": errOf(core.Gather(t.Context(), seen)),
		"checks of a part": errOf(core.GatherPartly(t.Context(), seen.Record)), "a preflight": errOf(makeStep(base{Migration: core, ID: StepPreflight}).Verify(t.Context(), tx, seen)),
		"an undo": errOf(makeStep(base{Migration: core, ID: StepUndoPreflight}).Verify(t.Context(), tx, clusterAt(position.P0))),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if got := seen.renames(); len(got) != 0 {
		t.Errorf("renames by a fingerprint that is none: %+v", got)
	}
	if seen.LostCordons() != nil || seen.newPlanes() != nil {
		t.Errorf("cordons %v, control planes %v", seen.LostCordons(), seen.newPlanes())
	}
}

func errOf[T any](_ T, err error) error { return err }

// What is gathered for checks is what was observed, the journal's fingerprint and why the
// rest of it is not known.
func TestGather(t *testing.T) {
	core, _, by := observer(position.P1)
	by.checks = []verify.Bound{bad()}
	record := printed(t, prints()...)
	record.Unread = errAway
	seen := looked(t, core, record)
	for name, gather := range map[string]func() (Inspection, error){
		"all":  func() (Inspection, error) { return core.Gather(t.Context(), seen) },
		"part": func() (Inspection, error) { return core.GatherPartly(t.Context(), record) },
	} {
		got, err := gather()
		if err != nil || got.Input.Fingerprint == nil || len(got.Input.Fingerprint.Nodes) != 3 || got.Input.Unread == nil {
			t.Errorf("%s: %v, fingerprint %+v, unread %v", name, err, got.Input.Fingerprint, got.Input.Unread)
		}
		if own := name == "all"; (len(got.Own) == 1) != own || len(got.Bound()) <= len(got.Own) || got.Input.Plain == own || got.Input.Admission.OK() != own {
			t.Errorf("%s: %d of its own, %d, plain %t, admission %+v", name, len(got.Own), len(got.Bound()), got.Input.Plain, got.Input.Admission)
		}
		if version := got.Input.Version.Value; version != "v1.26.15+rke2r1" || got.Input.Distribution != wellknown.RKE2 {
			t.Errorf("%s: %s, %s", name, version, got.Input.Distribution)
		}
		got, err = core.Gather(t.Context(), looked(t, core, journal.Record{}))
		if err != nil || got.Input.Fingerprint != nil || got.Input.Unread != nil {
			t.Errorf("no fingerprint: %v, %+v", err, got.Input.Fingerprint)
		}
	}
	core.Config.Host = "no URL: %"
	for name, err := range map[string]error{"all": errOf(core.Gather(t.Context(), seen)), "part": errOf(core.GatherPartly(t.Context(), record)), "a run": core.Precheck(t.Context(), seen, runner.Observation{}),
		"a preflight": errOf(makeStep(base{Migration: core, ID: StepPreflight}).Verify(t.Context(), txFor(t, StepPreflight), seen)), "its plan": errOf(core.Foresee(t.Context(), seen)), "an audit": errOf(core.Audited(t.Context(), seen)),
	} {
		if (err == nil) != (name == "a run") {
			t.Errorf("%s, without a client: %v", name, err)
		}
	}
}

// A cluster of which only the API is known is told by its version; one that does not
// answer at all is a fault, and one that answers in part is judged by that.
func TestGatherOfThePlainCluster(t *testing.T) {
	for name, tt := range map[string]struct {
		version string
		refuse  []string
		given   wellknown.Distribution
		want    wellknown.Distribution
		fails   bool
	}{
		"RKE2":                  {"v1.26.15+rke2r1", nil, "", wellknown.RKE2, false},
		"another":               {"v1.26.15", nil, "", "", false},
		"known from elsewhere":  {"v1.26.15", nil, wellknown.RKE, wellknown.RKE, false},
		"no Nodes":              {"v1.26.15+rke2r1", []string{"nodes"}, "", wellknown.RKE2, false},
		"no version":            {"", nil, "", "", false},
		"Nodes alone":           {"", []string{"namespaces"}, "", "", false},
		"the namespace alone":   {"", []string{"nodes"}, "", "", false},
		"nothing of it answers": {"", []string{"nodes", "namespaces"}, "", "", true},
	} {
		core, client, _ := observer(position.P1)
		config := core.Config
		config.Transport = versioned{config.Transport, tt.version}
		for _, resource := range tt.refuse {
			client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(corev1.Resource(resource), "", nil)
			})
		}
		got, err := Plain{Config: config, Clock: core.Clock, Options: core.Options, Distribution: tt.given}.Gather(t.Context())
		if f, ok := fault.As(err); ok != tt.fails || ok && (f.Reason != "Unreachable" || f.Class != fault.CouldNotLook) || got.Input.Distribution != tt.want || got.Input.Plain == tt.fails {
			t.Errorf("%s: %v, %q, plain %t", name, err, got.Input.Distribution, got.Input.Plain)
		}
	}
	if _, err := (Plain{Config: versionless(), Clock: stepClock{}}).Gather(t.Context()); err == nil {
		t.Error("gathered without a client")
	}
}

// versioned answers for /version: with "" it refuses.
type versioned struct {
	http.RoundTripper
	version string
}

func (v versioned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/version" && v.version == "" {
		return nil, context.DeadlineExceeded
	}
	response, err := v.RoundTripper.RoundTrip(r)
	if err == nil && r.URL.Path == "/version" {
		response.Body = readAll(`{"major":"1","minor":"26","gitVersion":"` + v.version + `"}`)
	}
	return response, err
}

// The installation to come is computed before the first write, and neither after the CCM
// is there nor where nobody wants a write; what forbids it is said by checks.
func TestPrepared(t *testing.T) {
	refuse := func(client *fake.Clientset) {
		client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewServiceUnavailable("away")
		})
		client.PrependReactor("get", "serviceaccounts", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewServiceUnavailable("away")
		})
	}
	for name, tt := range map[string]struct {
		at       position.Position
		change   func(*Migration, *side, *fake.Clientset)
		planned  bool
		chart    verify.Status // "": nothing is found
		concerns verify.Status
		admitted bool
	}{
		"before the CCM":       {position.P2, nil, true, "", "", true},
		"the CCM is there":     {position.P3, nil, false, "", "", false},
		"nothing is written":   {position.P2, func(m *Migration, _ *side, _ *fake.Clientset) { m.Options.LookOnly = true }, false, verify.Skip, verify.Skip, false},
		"values make no chart": {position.P2, func(m *Migration, _ *side, _ *fake.Clientset) { m.Options.CCMImage = "not an image:" }, false, verify.Fail, "", false},
		"a value to know of": {position.P2, func(_ *Migration, s *side, _ *fake.Clientset) {
			s.cloud = "[Global]\nDisableSecurityGroupIngress=true\n"
		}, true, "", "", true},
		"admission is not told": {position.P2, func(_ *Migration, _ *side, client *fake.Clientset) { refuse(client) }, true, verify.Unknown, "", false},
		"no client for Helm":    {position.P2, func(m *Migration, _ *side, _ *fake.Clientset) { m.Config.Host = "no URL: %" }, false, verify.Fail, "", false},
	} {
		core, client, by := observer(tt.at)
		seen := looked(t, core, journal.Record{})
		if tt.change != nil {
			tt.change(core, by, client)
		}
		got := core.auditor().prepare(t.Context(), seen, core.Writes(seen))
		status := func(all []verify.Finding) verify.Status {
			if len(all) == 0 {
				return ""
			}
			return all[0].Status
		}
		if (got.PlannedSet != nil) != tt.planned || got.Admission.OK() != tt.admitted || status(got.ChartFindings()) != tt.chart || status(got.ConcernFindings()) != tt.concerns {
			t.Errorf("%s: planned %t, admission %+v, chart %+v, concerns %+v", name, got.PlannedSet != nil, got.Admission, got.ChartFindings(), got.ConcernFindings())
		}
		if got.Stands != tt.at || got.Writes == core.Options.LookOnly || got.RestErr != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// An audit of a finished step has a failing check as its fault, and not as a wait.
func TestAudited(t *testing.T) {
	for _, fails := range []bool{false, true} {
		core, _, by := observer(position.P1)
		if fails {
			by.checks = []verify.Bound{bad()}
		}
		got, err := core.Audited(t.Context(), looked(t, core, journal.Record{}), "seen")
		if err != nil || (got.Kind == runner.Failed) != fails || !fails && (got.Stable != 1 || got.Evidence[0] != "seen" || !strings.HasPrefix(got.Evidence[1], "audit: ")) {
			t.Errorf("fails %t: %v %+v", fails, err, got)
		}
	}
}

// A plan foresees what would stop the run, by the same checks as its preflight.
func TestForesee(t *testing.T) {
	left := func(s *Snapshot) {
		s.Record = journal.Record{LeftOpen: true, Intents: []journal.Intent{{Step: StepInstall}}}
	}
	for name, tt := range map[string]struct {
		at     position.Position
		bad    bool
		change func(*Snapshot)
		stops  bool
	}{
		"all is well":                    {position.P0, false, nil, false},
		"a check fails, nothing begun":   {position.P0, true, nil, true},
		"a check fails":                  {position.P1, true, nil, true},
		"in the middle of a step":        {position.P1, true, func(s *Snapshot) { s.Result = between(position.P1, position.P2); s.Record = intended(StepEnable) }, false},
		"an earlier run left it moving":  {position.P1, true, func(s *Snapshot) { left(s); s.Reading.Unrest = rolling().Unrest }, false},
		"it was left, and does not move": {position.P1, true, left, true},
		"it moves, and nobody left it":   {position.P1, true, func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, true},
	} {
		core, _, by := observer(tt.at)
		if tt.bad {
			by.checks = []verify.Bound{bad(), findings(verify.Meta{ID: "AWSM-998"}, verify.Finding{Status: verify.Warn, Seen: "odd"})}
		}
		seen := looked(t, core, journal.Record{})
		if tt.change != nil {
			tt.change(&seen)
		}
		got, err := core.Foresee(t.Context(), seen)
		if err != nil || (got.Stops != nil) != tt.stops || !strings.Contains(got.Counts(), " ok") {
			t.Errorf("%s: %v, stops %v, %s", name, err, got.Stops, got.Counts())
		}
		if results := got.Results(); tt.bad && (results[0].ID != "AWSM-999" || len(got.Lines()) < 2*len(results) || !strings.HasPrefix(got.Lines()[0], "✗  AWSM-999")) {
			t.Errorf("%s: %+v, %q", name, results, got.Lines())
		}
	}
	core, _, by := observer(position.P0)
	seen := looked(t, core, journal.Record{})
	by.lookup = errAway
	if _, err := core.Foresee(t.Context(), seen); err == nil {
		t.Error("a cluster that cannot be observed anew was judged")
	}
}

// An undo foresees whether there is a way back, and whether the cluster is at rest but for
// what that undo ends.
func TestForeseeAnUndo(t *testing.T) {
	newer := func(s *Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }
	moving := func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }
	for name, tt := range map[string]struct {
		change func(*Snapshot)
		reason string
	}{
		"at rest":                     {nil, ""},
		"no way back":                 {newer, "NoWayBack"},
		"none, and it moves":          {func(s *Snapshot) { newer(s); moving(s) }, "NoWayBack"},
		"it moves":                    {moving, "NotAtRest"},
		"it moves by what is undone":  {func(s *Snapshot) { moving(s); s.Record.Intents = []journal.Intent{{Step: StepSwitch}} }, ""},
		"an earlier run left it":      {func(s *Snapshot) { moving(s); s.Record.LeftOpen = true }, ""},
		"it was left, and is at rest": {func(s *Snapshot) { s.Record.LeftOpen = true }, ""},
		"left, and a Node is not up":  {func(s *Snapshot) { s.Record.LeftOpen = true; s.Reading.Down.Nodes[2].Ready.Status = "False" }, "NotAtRest"},
		"a brake of an earlier run":   {func(s *Snapshot) { s.Reading.Unrest = []Unrest{{OurPause: true}} }, ""},
		"half switched is what it end": {func(s *Snapshot) {
			s.Result = between(position.P3, position.P4)
			s.Record.Intents = []journal.Intent{{Step: StepSwitch}}
		}, ""},
	} {
		seen := clusterAt(position.P4)
		seen.Record = printed(t, prints()...)
		if tt.change != nil {
			tt.change(&seen)
		}
		got, err := (&Migration{Backend: &editor{}}).Undo().Foresee(t.Context(), seen)
		if err != nil || reasonOf(got.Stops) != tt.reason {
			t.Errorf("%s: %v, %v", name, err, got.Stops)
		}
	}
}

// On a cluster on which nothing was begun the checks are made before any trace of a run.
func TestPrecheckJudges(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		bad   bool
		stops bool
	}{"well": {position.P0, false, false}, "bad": {position.P0, true, true}, "bad, and begun": {position.P1, true, false}} {
		core, _, by := observer(tt.at)
		seen := looked(t, core, journal.Record{})
		if tt.bad {
			by.checks = []verify.Bound{bad()}
		}
		if err := core.Precheck(t.Context(), seen, runner.Observation{}); (err != nil) != tt.stops {
			t.Errorf("%s: %v", name, err)
		}
	}
	core, _, _ := observer(position.P0)
	seen := looked(t, core, journal.Record{})
	core.Config.Host = "no URL: %"
	if err := core.Precheck(t.Context(), seen, runner.Observation{}); err == nil {
		t.Error("nobody looked, and nothing stops it")
	}
}

// A cluster that cannot be migrated as it is stops its plan, while nothing is begun; what
// else fails is the preflight's. A check that may not be skipped stops it always.
func TestPlanIsRefused(t *testing.T) {
	fails := verify.Finding{Status: verify.Fail, Seen: "no"}
	for name, tt := range map[string]struct {
		at    position.Position
		meta  verify.Meta
		skip  string
		stops bool
	}{
		"unsupported":              {position.P0, verify.Meta{Unsupported: true}, "", true},
		"unsupported, and begun":   {position.P1, verify.Meta{Unsupported: true}, "", false},
		"it fails":                 {position.P0, verify.Meta{}, "", false},
		"skipped":                  {position.P1, verify.Meta{}, "AWSM-999", false},
		"skipped, and it may not":  {position.P1, verify.Meta{Mandatory: true}, "AWSM-999", true},
		"skipped, and is no check": {position.P1, verify.Meta{}, "AWSM-998", true},
	} {
		core, _, by := observer(tt.at)
		seen := looked(t, core, journal.Record{})
		by.checks = []verify.Bound{findings(tt.meta, fails)}
		if tt.skip != "" {
			core.Options.Skip = map[string]string{tt.skip: "known"}
		}
		if _, err := makeStep(base{Migration: core, ID: StepPreflight}).Plan(t.Context(), seen); (err != nil) != tt.stops {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a CCM of a version asks of IAM; nothing where nobody knows which CCM that is.
func TestActionsThatIAMIsAskedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		image, version, routes string
		some, route            bool
	}{
		"of the matrix":         {"", "v1.26.15+rke2r1", "", true, false},
		"with routes":           {"", "v1.26.15+rke2r1", "on", true, true},
		"without":               {"", "v1.26.15+rke2r1", "off", true, false},
		"of an image":           {"registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6", "v1.99.0", "", true, false},
		"no image for it":       {"", "v1.99.0", "", false, false},
		"an image that is none": {"not an image:", "v1.26.15+rke2r1", "", false, false},
	} {
		got := iamActions(Options{CCMImage: tt.image, CloudRoutes: tt.routes}, tt.version)
		if (len(got) > 0) != tt.some || slices.Contains(got, "ec2:CreateRoute") != tt.route {
			t.Errorf("%s: %q", name, got)
		}
	}
	for image, want := range map[string]bool{"registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.6": true, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.20.0": false, "not an image:": false} {
		if err := ImageAllowed(image, "v1.26.15+rke2r1"); (err == nil) != want {
			t.Errorf("%s: %v", image, err)
		}
	}
}

func readAll(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

func versionless() *rest.Config { return &rest.Config{Host: "no URL: %"} }
