package migration

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// refusal is one case of a guard in a write: a cluster on which it allows the write, but
// for one change.
type refusal struct {
	change  func(*Snapshot)
	reason  string // "": it allows
	passing bool
}

func holds(t *testing.T, cases map[string]refusal, ok func() Snapshot, guard func(Snapshot) error) {
	t.Helper()
	for name, tt := range cases {
		seen := ok()
		if tt.change != nil {
			tt.change(&seen)
		}
		err := guard(seen)
		if got := reasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v), want %q", name, got, err, tt.reason)
		}
		if f, is := fault.As(err); is && (f.Passing != tt.passing || f.Class != fault.Stale || f.Wanted == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func kcm(i int, change func(*KCM)) func(*Snapshot) {
	return func(s *Snapshot) { change(&s.Reading.KCMs[i]) }
}

// The CCM loses its flag only once no kube-controller-manager can run the controllers
// beside it.
func TestNoneInTree(t *testing.T) {
	holds(t, map[string]refusal{
		"all external":           {},
		"the last one in-tree":   {kcm(1, func(k *KCM) { *k = aKCM("cp-1", "aws", true) }), "StillInTree", false},
		"the last one unknown":   {kcm(1, func(k *KCM) { k.Known = false }), "StillInTree", false},
		"external with the flag": {kcm(0, func(k *KCM) { *k = aKCM("cp-0", "external", true) }), "StillInTree", false},
		"another provider":       {kcm(0, func(k *KCM) { *k = aKCM("cp-0", "gce", false) }), "StillInTree", false},
	}, func() Snapshot { return clusterAt(position.P4) }, Snapshot.noneInTree)
}

// A CCM goes only where every kube-controller-manager would take over from it.
func TestSomebodyTakesOver(t *testing.T) {
	gone := func(s *Snapshot) { s.Reading.Down.CCM, s.Reading.Down.CCMPods = nil, nil }
	holds(t, map[string]refusal{
		"all would":                      {},
		"one is external":                {kcm(1, func(k *KCM) { *k = aKCM("cp-1", "external", false) }), "NobodyToHandOverTo", false},
		"one has no flag":                {kcm(1, func(k *KCM) { *k = aKCM("cp-1", "aws", false) }), "NobodyToHandOverTo", false},
		"one is not Ready":               {kcm(1, func(k *KCM) { k.Ready = false }), "NobodyToHandOverTo", false},
		"one is not known":               {kcm(0, func(k *KCM) { k.Known = false }), "NobodyToHandOverTo", false},
		"it is gone, whatever runs":      {func(s *Snapshot) { gone(s); s.Reading.KCMs[0].Ready = false }, "", false},
		"pods are left, one is external": {func(s *Snapshot) { s.Reading.Down.CCM = nil; s.Reading.KCMs[0] = aKCM("cp-0", "external", false) }, "NobodyToHandOverTo", false},
		"no pods, one is external":       {func(s *Snapshot) { s.Reading.Down.CCMPods = nil; s.Reading.KCMs[0] = aKCM("cp-0", "external", false) }, "NobodyToHandOverTo", false},
	}, func() Snapshot { return clusterAt(position.P3) }, Snapshot.somebodyTakesOver)
}

// Components become in-tree again only while somebody holds the migration lease under
// leader migration, and nobody runs the controllers without it.
func TestMayComeBack(t *testing.T) {
	holds(t, map[string]refusal{
		"the CCM holds it":                  {},
		"a KCM with the flag holds it":      {func(s *Snapshot) { s.Reading.Leases.Migration = s.Reading.Leases.KCM }, "", false},
		"nobody was seen to renew it":       {func(s *Snapshot) { s.Reading.Leases.Migration = unwritten(s.Reading.Leases.Migration) }, "NotReadyToComeBack", true},
		"there is none":                     {func(s *Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, "NotReadyToComeBack", true},
		"a program without business has it": {func(s *Snapshot) { s.Reading.Leases.Migration = renewing("x_1", "kubectl") }, "NotReadyToComeBack", true},
		"there is no CCM":                   {func(s *Snapshot) { s.Reading.Down.CCM = nil }, "NotReadyToComeBack", true},
		"the CCM has no flag":               {func(s *Snapshot) { s.Reading.Down.CCM = aCCM(false, 2) }, "NotReadyToComeBack", true},
		"one pod has no flag":               {func(s *Snapshot) { s.Reading.Down.CCMPods[1] = aCCMPod("cp-1", false) }, "NotReadyToComeBack", true},
		"no right to get it":                {func(s *Snapshot) { s.Reading.Down.MayGet = false }, "NotReadyToComeBack", false},
		"no right to update it":             {func(s *Snapshot) { s.Reading.Down.MayUpdate = false }, "NotReadyToComeBack", false},
	}, func() Snapshot { return clusterAt(position.P4) }, Snapshot.MayComeBack)
}

// The lease is nobody's only where no process is left that could want it.
func TestUnused(t *testing.T) {
	holds(t, map[string]refusal{
		"nobody wants it":          {},
		"one has the flag":         {kcm(1, func(k *KCM) { *k = aKCM("cp-1", "aws", true) }), "FlagStillThere", false},
		"one is not known":         {kcm(0, func(k *KCM) { k.Known = false }), "FlagStillThere", false},
		"the CCM is there":         {func(s *Snapshot) { *s = withCCM(*s, true) }, "CCMStillThere", false},
		"its pods are ending":      {func(s *Snapshot) { *s = withCCM(*s, true); s.Reading.Down.CCM = nil }, "CCMStillThere", true},
		"it is there without pods": {func(s *Snapshot) { *s = withCCM(*s, true); s.Reading.Down.CCMPods = nil }, "CCMStillThere", false},
	}, func() Snapshot { return clusterAt(position.P1) }, Snapshot.unused)
}

// Between preflight and a write, no control plane comes or goes.
func TestRequireSamePlanes(t *testing.T) {
	for name, tt := range map[string]struct {
		then   []continuity.NodePrint
		noted  []string
		change func(*Reading)
		reason string
	}{
		"the same":                     {prints(), nil, nil, ""},
		"no preflight was made":        {nil, nil, func(r *Reading) { r.Members = r.Members[1:] }, ""},
		"one joined":                   {append(prints()[1:2], prints()[2]), nil, nil, "ControlPlanesChanged"},
		"one left":                     {prints(), nil, func(r *Reading) { r.Members = r.Members[1:] }, "ControlPlanesChanged"},
		"another in its place":         {prints(), nil, func(r *Reading) { r.Members[0].Nodes = []string{"cp-2"} }, "ControlPlanesChanged"},
		"the same in another order":    {prints(), nil, func(r *Reading) { slices.Reverse(r.Members) }, ""},
		"a worker left":                {prints(), nil, func(r *Reading) { r.Members = r.Members[:2] }, ""},
		"a later preflight saw it":     {prints()[1:], []string{"cp-0", "cp-1"}, nil, ""},
		"one joined after that":        {prints(), []string{"cp-0"}, nil, "ControlPlanesChanged"},
		"the machine is no longer one": {prints(), nil, func(r *Reading) { r.Members[0].ControlPlane = false }, "ControlPlanesChanged"},
	} {
		tx, seen := txFor(t, StepPreflight), clusterAt(position.P3)
		if tt.then != nil {
			notePrint(t, tx, tt.then...)
		}
		if tt.noted != nil {
			if err := tx.Note(t.Context(), planesNote, tt.noted); err != nil {
				t.Fatal(err)
			}
		}
		if tt.change != nil {
			tt.change(&seen.Reading)
		}
		seen.Record = tx.Record()
		if got := reasonOf(seen.RequireSamePlanes()); got != tt.reason {
			t.Errorf("%s: %q, want %q", name, got, tt.reason)
		}
		// A preflight that passes then takes these for those of the run.
		if err := seen.notePlanes(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		seen.Record = tx.Record()
		if err := seen.RequireSamePlanes(); err != nil {
			t.Errorf("%s: %v after a preflight", name, err)
		}
	}
}

// Control planes are noted only where they differ from what the journal has, and a
// machine that has an ID is known by it.
func TestNotePlanes(t *testing.T) {
	withID := prints()
	withID[0].Machine = "m-0"
	for name, tt := range map[string]struct {
		then  []continuity.NodePrint
		id    string
		noted []string
	}{
		"the same":               {prints(), "", nil},
		"no fingerprint":         {nil, "", nil},
		"one joined":             {prints()[1:], "", []string{"cp-0", "cp-1"}},
		"the same, by its ID":    {withID, "m-0", nil},
		"another machine's Node": {withID, "m-9", []string{"cp-1", "m-9"}},
	} {
		tx, seen := txFor(t, StepPreflight), clusterAt(position.P3)
		if tt.then != nil {
			notePrint(t, tx, tt.then...)
		}
		seen.Reading.Members[0].ID = tt.id
		var noted []string
		if err := seen.notePlanes(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.NoteInto(planesNote, &noted); err != nil || !slices.Equal(noted, tt.noted) {
			t.Errorf("%s: %v, %v", name, err, noted)
		}
	}
}

// Nodes that were registered again are taken as they are now, and named; nothing else of
// the fingerprint moves.
func TestTakeAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*downstream.Node)
		none   bool
		uid    string // of the worker, in the fingerprint afterwards
	}{
		"nothing happened":          {func(*downstream.Node) {}, false, "uid-worker"},
		"registered again":          {func(n *downstream.Node) { n.UID = "new" }, false, "new"},
		"on another instance":       {func(n *downstream.Node) { n.UID, n.ProviderID = "new", "aws:///us-east-1a/i-other" }, false, "uid-worker"},
		"of another Machine":        {func(n *downstream.Node) { n.UID, n.Labels = "new", map[string]string{downstream.LabelMachine: "m"} }, false, "uid-worker"},
		"without a fingerprint yet": {func(n *downstream.Node) { n.UID = "new" }, true, ""},
	} {
		tx, seen := txFor(t, StepPreflight), clusterAt(position.P3)
		if !tt.none {
			notePrint(t, tx, prints()...)
		}
		tt.change(&seen.Reading.Down.Nodes[2])
		if err := seen.takeAgain(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		after, known, err := fingerprint(tx.Record())
		if err != nil || known == tt.none || known && after.Nodes[2].UID != tt.uid {
			t.Errorf("%s: %v, known %t, %+v", name, err, known, after.Nodes)
		}
		if known {
			after.Nodes[2].UID = "uid-worker"
			if d := cmp.Diff(prints(), after.Nodes); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// A way back ends where a later Kubernetes has no in-tree provider, and where a Node would
// get another name by it; only if something would have to become in-tree again.
func TestUndoRefused(t *testing.T) {
	newer := func(s *Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }
	joined := func(s *Snapshot) { s.Record = printed(t, prints()[:2]...) }
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*Snapshot)
		reason string
	}{
		"P4":                                {position.P4, nil, ""},
		"P4, 1.27":                          {position.P4, newer, "NoWayBack"},
		"P5, 1.27":                          {position.P5, newer, "NoWayBack"},
		"P3, 1.27: nothing became external": {position.P3, newer, ""},
		"P3, and one KCM is external":       {position.P3, func(s *Snapshot) { newer(s); s.Reading.KCMs[1] = aKCM("cp-1", "external", false) }, "NoWayBack"},
		"P3, and one KCM is not known":      {position.P3, func(s *Snapshot) { newer(s); s.Reading.KCMs[1].Known = false }, "NoWayBack"},
		"between P3 and P4":                 {position.P3, func(s *Snapshot) { newer(s); s.Result = between(position.P3, position.P4) }, "NoWayBack"},
		"between P2 and P3":                 {position.P3, func(s *Snapshot) { newer(s); s.Result = between(position.P2, position.P3) }, ""},
		"a Node joined under another name":  {position.P4, joined, "NodesWouldBeRenamed"},
		"it joined under its private DNS name": {position.P4, func(s *Snapshot) {
			joined(s)
			s.Reading.Down.Nodes[2].Addresses = []downstream.Address{{Type: "InternalDNS", Address: "worker"}}
		}, ""},
		"under its public one": {position.P4, func(s *Snapshot) {
			joined(s)
			s.Reading.Down.Nodes[2].Addresses = []downstream.Address{{Type: "ExternalDNS", Address: "worker"}}
		}, "NodesWouldBeRenamed"},
		"it joined by a rename":               {position.P4, func(s *Snapshot) { joined(s); s.Reading.Stale = map[string]bool{"worker": true} }, ""},
		"nobody knows which Nodes were there": {position.P4, func(s *Snapshot) { s.Record = journal.Record{} }, "NodesWouldBeRenamed"},
		"it joined, and all is in-tree":       {position.P3, joined, ""},
	} {
		seen := clusterAt(tt.at)
		seen.Record = printed(t, prints()...)
		if tt.change != nil {
			tt.change(&seen)
		}
		err := seen.undoRefused()
		if got := reasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v), want %q", name, got, err, tt.reason)
		}
		if f, ok := fault.As(err); ok && (f.Class != fault.Check || f.Fix == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// What of an installation is left where the position says that there is none.
func TestInstallLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Reading)
		want   string
	}{
		"nothing":       {func(*Reading) {}, ""},
		"Helm's record": {func(r *Reading) { r.Down.Record = true }, helmObject + " is recorded still"},
		"its pods":      {func(r *Reading) { r.Down.CCMPods = append(r.Down.CCMPods, aCCMPod("cp-0", true)) }, "pods of the cloud controller manager are left"},
		"all of it, which counts as installed": {func(r *Reading) {
			r.Down.CCM, r.Leases.CCM = aCCM(true, 2), renewing("cp-1_ccm", "aws-cloud-controller-manager")
			r.Down.CCMPods = append(r.Down.CCMPods, aCCMPod("cp-0", true))
		}, ""},
		"its own lease":              {func(r *Reading) { r.Leases.CCM = renewing("cp-1_ccm", "aws-cloud-controller-manager") }, "the cloud controller manager's own lease is left"},
		"the lease of another cloud": {func(r *Reading) { r.Leases.CCM = renewing("cp-1_ccm", "cloud-controller-manager") }, ""},
	} {
		r := clusterAt(position.P2).Reading
		tt.change(&r)
		if got := r.installLeft(); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Who goes on with the pods of the CCM while some of them are missing: by that a view says
// whether somebody has to.
func TestByChart(t *testing.T) {
	rancher := runner.Roller{Name: "Rancher", Of: "pods of the CCM", Alone: true}
	kubernetes := runner.Roller{Name: "Kubernetes", Of: "pods of the CCM", Alone: true}
	for name, tt := range map[string]struct {
		change func(*Snapshot)
		done   int
		want   runner.Roller
	}{
		"by Helm, a pod is missing":                {func(*Snapshot) {}, 1, kubernetes},
		"by Helm, none is":                         {func(*Snapshot) {}, 2, runner.Roller{}},
		"by Helm, while Rancher rolls":             {func(s *Snapshot) { s.Reading.Unrest = rolling().Unrest }, 1, kubernetes},
		"by a document, a pod is missing":          {func(s *Snapshot) { s.InstallMethod = InstallManifest }, 1, kubernetes},
		"by a document that is not applied":        {func(s *Snapshot) { s.InstallMethod, s.Reading.Down.CCM = InstallManifest, nil }, 0, rancher},
		"by a document, while Rancher rolls":       {func(s *Snapshot) { s.InstallMethod, s.Reading.Unrest = InstallManifest, rolling().Unrest }, 1, rancher},
		"by a document, all there, while it rolls": {func(s *Snapshot) { s.InstallMethod, s.Reading.Unrest = InstallManifest, rolling().Unrest }, 2, runner.Roller{}},
	} {
		seen := clusterAt(position.P3)
		tt.change(&seen)
		if got := seen.byChart(runner.Verdict{Done: tt.done, Total: 2}).By; got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A roll is held up by what a person has to put right before Nodes that may come back.
func TestHeldUpByWhatAPersonRepairs(t *testing.T) {
	silent := nodeThat("silent", "", "Unknown", "")
	fixed := Unrest{Object: "Machine m", Seen: "has lost its Node", Wanted: "its Node", Fix: "put it back"}
	for name, tt := range map[string]struct {
		open   []Unrest
		nodes  []downstream.Node
		stale  map[string]bool
		reason string
	}{
		"nothing":                          {nil, nil, nil, ""},
		"it passes by itself":              {rolling().Unrest, nil, nil, ""},
		"a person repairs it":              {[]Unrest{rolling().Unrest[0], fixed}, nil, nil, "NodeDeleted"},
		"that, and a Node is not Ready":    {[]Unrest{fixed}, []downstream.Node{silent}, nil, "NodeDeleted"},
		"a Node is not Ready":              {rolling().Unrest, []downstream.Node{silent}, nil, "NodeNotReady"},
		"one that a rename left behind":    {nil, []downstream.Node{silent}, map[string]bool{"silent": true}, ""},
		"left behind, its instance is off": {nil, []downstream.Node{nodeThat("silent", "", "Unknown", "", downstream.TaintShutdown)}, map[string]bool{"silent": true}, "NodeNotReady"},
	} {
		err := Reading{Unrest: tt.open, Stale: tt.stale, Down: downstream.Cluster{Nodes: tt.nodes}}.HeldUpBy()
		if got := reasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
	}
}
