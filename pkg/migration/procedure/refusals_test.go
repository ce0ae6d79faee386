package procedure

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// refusal is a case of a write precondition: a cluster that it allows, with one change.
type refusal struct {
	change  func(*migration.Snapshot)
	reason  string // empty if allowed
	passing bool
}

func holds(t *testing.T, cases map[string]refusal, ok func() migration.Snapshot, guard func(migration.Snapshot) error) {
	t.Helper()
	for name, tt := range cases {
		snap := ok()
		if tt.change != nil {
			tt.change(&snap)
		}
		err := guard(snap)
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v), want %q", name, got, err, tt.reason)
		}
		if f, is := fault.As(err); is && (f.Transient != tt.passing || f.Class != fault.Stale || f.Wanted == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func kcm(i int, change func(*migration.KCM)) func(*migration.Snapshot) {
	return func(s *migration.Snapshot) { change(&s.Reading.KCMs[i]) }
}

// The CCM keeps its flag while any kube-controller-manager could run the controllers, too.
func TestNoneInTree(t *testing.T) {
	holds(t, map[string]refusal{
		"all external":           {},
		"the last one in-tree":   {kcm(1, func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", "aws", true) }), "StillInTree", false},
		"the last one unknown":   {kcm(1, func(k *migration.KCM) { k.Known = false }), "StillInTree", false},
		"external with the flag": {kcm(0, func(k *migration.KCM) { *k = clustertest.AKCM("cp-0", "external", true) }), "StillInTree", false},
		"another provider":       {kcm(0, func(k *migration.KCM) { *k = clustertest.AKCM("cp-0", "gce", false) }), "StillInTree", false},
	}, func() migration.Snapshot { return clustertest.At(position.P4) }, requireExternal)
}

// A CCM is removed only if every kube-controller-manager would take over.
func TestRequireTakeover(t *testing.T) {
	gone := func(s *migration.Snapshot) { s.Reading.Down.CCM, s.Reading.Down.CCMPods = nil, nil }
	holds(t, map[string]refusal{
		"all would":                 {},
		"one is external":           {kcm(1, func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", "external", false) }), "NobodyToHandOverTo", false},
		"one has no flag":           {kcm(1, func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", "aws", false) }), "NobodyToHandOverTo", false},
		"one is not Ready":          {kcm(1, func(k *migration.KCM) { k.Ready = false }), "NobodyToHandOverTo", false},
		"one is not known":          {kcm(0, func(k *migration.KCM) { k.Known = false }), "NobodyToHandOverTo", false},
		"it is gone, whatever runs": {func(s *migration.Snapshot) { gone(s); s.Reading.KCMs[0].Ready = false }, "", false},
		"pods are left, one is external": {func(s *migration.Snapshot) {
			s.Reading.Down.CCM = nil
			s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "external", false)
		}, "NobodyToHandOverTo", false},
		"no pods, one is external": {func(s *migration.Snapshot) {
			s.Reading.Down.CCMPods = nil
			s.Reading.KCMs[0] = clustertest.AKCM("cp-0", "external", false)
		}, "NobodyToHandOverTo", false},
	}, func() migration.Snapshot { return clustertest.At(position.P3) }, requireTakeover)
}

// Components become in-tree again only while a process holds the migration lease and no process
// runs the controllers without leader migration.
func TestRequireLeaseHeld(t *testing.T) {
	holds(t, map[string]refusal{
		"the CCM holds it":             {},
		"a KCM with the flag holds it": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = s.Reading.Leases.KCM }, "", false},
		"no renewal was observed": {func(s *migration.Snapshot) {
			s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		}, "NotReadyToComeBack", true},
		"no lease":                          {func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }, "NotReadyToComeBack", true},
		"a program without business has it": {func(s *migration.Snapshot) { s.Reading.Leases.Migration = clustertest.Renewing("x_1", "kubectl") }, "NotReadyToComeBack", true},
		"there is no CCM":                   {func(s *migration.Snapshot) { s.Reading.Down.CCM = nil }, "NotReadyToComeBack", true},
		"the CCM has no flag":               {func(s *migration.Snapshot) { s.Reading.Down.CCM = clustertest.CCM(false, 2) }, "NotReadyToComeBack", true},
		"one pod has no flag":               {func(s *migration.Snapshot) { s.Reading.Down.CCMPods[1] = clustertest.CCMPod("cp-1", false) }, "NotReadyToComeBack", true},
		"no right to get it":                {func(s *migration.Snapshot) { s.Reading.Down.MayGet = false }, "NotReadyToComeBack", false},
		"no right to update it":             {func(s *migration.Snapshot) { s.Reading.Down.MayUpdate = false }, "NotReadyToComeBack", false},
	}, func() migration.Snapshot { return clustertest.At(position.P4) }, requireLeaseHeld)
}

// The lease is unused only if no process could still need it.
func TestRequireLeaseUnused(t *testing.T) {
	holds(t, map[string]refusal{
		"no process needs it":      {},
		"one has the flag":         {kcm(1, func(k *migration.KCM) { *k = clustertest.AKCM("cp-1", "aws", true) }), "FlagStillThere", false},
		"one is not known":         {kcm(0, func(k *migration.KCM) { k.Known = false }), "FlagStillThere", false},
		"the CCM is there":         {func(s *migration.Snapshot) { *s = clustertest.WithCCM(*s, true) }, "CCMStillThere", false},
		"its pods are ending":      {func(s *migration.Snapshot) { *s = clustertest.WithCCM(*s, true); s.Reading.Down.CCM = nil }, "CCMStillThere", true},
		"it is there without pods": {func(s *migration.Snapshot) { *s = clustertest.WithCCM(*s, true); s.Reading.Down.CCMPods = nil }, "CCMStillThere", false},
	}, func() migration.Snapshot { return clustertest.At(position.P1) }, requireLeaseUnused)
}

// Rollback is impossible on a Kubernetes without the in-tree provider, or if it would rename a
// Node, unless all components are in-tree.
func TestJudgeUndo_renamesAndVersions_refuses(t *testing.T) {
	newer := func(s *migration.Snapshot) { s.Reading.Version = "v1.27.1+rke2r1" }
	joined := func(s *migration.Snapshot) { s.Record = clustertest.Printed(t, clustertest.Prints()[:2]...) }
	for name, tt := range map[string]struct {
		at     position.Position
		change func(*migration.Snapshot)
		reason string
	}{
		"P4":                                {position.P4, nil, ""},
		"P4, 1.27":                          {position.P4, newer, "NoWayBack"},
		"P5, 1.27":                          {position.P5, newer, "NoWayBack"},
		"P3, 1.27: nothing became external": {position.P3, newer, ""},
		"P3, and one KCM is external":       {position.P3, func(s *migration.Snapshot) { newer(s); s.Reading.KCMs[1] = clustertest.AKCM("cp-1", "external", false) }, "NoWayBack"},
		"P3, and one KCM is not known":      {position.P3, func(s *migration.Snapshot) { newer(s); s.Reading.KCMs[1].Known = false }, "NoWayBack"},
		"between P3 and P4":                 {position.P3, func(s *migration.Snapshot) { newer(s); s.Result = clustertest.ResultBetween(position.P3, position.P4) }, "NoWayBack"},
		"between P2 and P3":                 {position.P3, func(s *migration.Snapshot) { newer(s); s.Result = clustertest.ResultBetween(position.P2, position.P3) }, ""},
		"a Node joined under another name":  {position.P4, joined, "NodesWouldBeRenamed"},
		"it joined under its private DNS name": {position.P4, func(s *migration.Snapshot) {
			joined(s)
			s.Reading.Down.Nodes[2].Addresses = []downstream.Address{{Type: "InternalDNS", Address: "worker"}}
		}, ""},
		"under its public one": {position.P4, func(s *migration.Snapshot) {
			joined(s)
			s.Reading.Down.Nodes[2].Addresses = []downstream.Address{{Type: "ExternalDNS", Address: "worker"}}
		}, "NodesWouldBeRenamed"},
		"it joined by a rename":         {position.P4, func(s *migration.Snapshot) { joined(s); s.Reading.Stale = map[string]bool{"worker": true} }, ""},
		"no fingerprint":                {position.P4, func(s *migration.Snapshot) { s.Record = journal.Record{} }, "NodesWouldBeRenamed"},
		"it joined, and all is in-tree": {position.P3, joined, ""},
	} {
		snap := clustertest.At(tt.at)
		snap.Record = clustertest.Printed(t, clustertest.Prints()...)
		if tt.change != nil {
			tt.change(&snap)
		}
		err := judgeUndo(snap)
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q (%v), want %q", name, got, err, tt.reason)
		}
		if f, ok := fault.As(err); ok && (f.Class != fault.Check || f.Fix == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
