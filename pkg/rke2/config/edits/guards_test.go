package edits

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Every edit refuses, with the line, a manifest that RKE2 could not read, or in which the chart
// is not a separate document.
func TestSetChartManifest_unreadable_refused(t *testing.T) {
	for name, tt := range map[string]struct{ text, reason, seen string }{
		"text after a separator":      {"a: 1\n--- b\n", "UnreadableManifest", "document at line 1"},
		"no UTF-8":                    {"a: \xff\n", "UnreadableManifest", "document at line 1"},
		"no YAML":                     {"a: 1\n---\n\nb: [\n", "UnreadableManifest", "document at line 3"},
		"no YAML, in the first":       {"b: [\n", "UnreadableManifest", "document at line 1"},
		"twice":                       {chartDoc + "---\n" + chartDoc, "ChartTwice", "at lines 1 and 10"},
		"twice, behind another":       {"a: 1\n---\n" + chartDoc + "---\n" + chartDoc, "ChartTwice", "at lines 3 and 12"},
		"in a List":                   {"a: 1\n---\nkind: List\nitems:\n- apiVersion: helm.cattle.io/v1\n  kind: HelmChart\n  metadata: {name: aws-cloud-controller-manager}\n", "ChartInList", "inside a List at line 3"},
		"another kind of its name":    {strings.Replace(chartDoc, "kind: HelmChart", "kind: HelmChartConfig", 1), "", ""},
		"another group":               {strings.Replace(chartDoc, "helm.cattle.io", "helm.example", 1), "", ""},
		"blanks and comments are not": {"# a\n\n---\n  # b\n", "", ""},
	} {
		_, s := withManifest(t, tt.text, true)
		for what, err := range map[string]error{"find": errOf3(ChartManifest(s, ccm())), "set": errOf(SetChartManifest(s, ccm(), chartDoc)), "remove": errOf(RemoveChartManifest(s, ccm()))} {
			f, ok := fault.As(err)
			if ok != (tt.reason != "") || ok && (f.Reason != tt.reason || !strings.Contains(f.Seen, tt.seen)) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if tt.reason == "" {
			if edit, err := RemoveChartManifest(s, ccm()); err != nil || !edit.Empty() {
				t.Errorf("%s: it is removed: %v, %s", name, err, edit.Diff())
			}
		}
	}
}

func errOf[T any](_ T, err error) error          { return err }
func errOf3[T, U any](_ T, _ U, err error) error { return err }

func TestChartDocumentIsOneDocument(t *testing.T) {
	for name, tt := range map[string]struct {
		doc string
		ok  bool
	}{
		"one": {chartDoc, true}, "one, with comments around": {"# a\n\n" + chartDoc + "\n# b\n", true}, "without its last line break": {strings.TrimSuffix(chartDoc, "\n"), true},
		"behind a separator": {"---\n" + chartDoc, false}, "before one": {chartDoc + "---\n", false}, "two": {chartDoc + "---\na: 1\n", false},
		"another": {"a: 1\n", false}, "none": {"", false}, "no YAML": {"a: [\n", false},
	} {
		_, s := withManifest(t, "", false)
		edit, err := SetChartManifest(s, ccm(), tt.doc)
		if (err == nil) != tt.ok || tt.ok == edit.Empty() || !tt.ok && fault.ClassOf(err) != fault.Unexpected {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A document without a final line break is replaced as it is. A document that begins with a
// separator is removed with it.
func TestManifestEnds(t *testing.T) {
	last := strings.TrimSuffix(chartDoc, "\n")
	for before, want := range map[string]string{
		last:                 strings.TrimSuffix(chartDocWithout, "\n"),
		"a: 1\n---\n" + last: "a: 1\n---\n" + strings.TrimSuffix(chartDocWithout, "\n"),
		last + "\n# end":     chartDocWithout + "# end",
		last + "\n---\nb: 2": chartDocWithout + "---\nb: 2",
	} {
		_, s := withManifest(t, before, true)
		edit, err := SetChartManifest(s, ccm(), chartDocWithout)
		if err != nil {
			t.Fatal(err)
		}
		after, err := edit.Apply(s)
		if err != nil || after.AdditionalManifest != want {
			t.Errorf("%q became %q, %v", before, after.AdditionalManifest, err)
		}
	}
	for before, want := range map[string]string{"---\n" + chartDoc: "", "---\n" + chartDoc + "---\nb: 2\n": "---\nb: 2\n", "# a\n---\n" + chartDoc: "# a\n"} {
		_, s := withManifest(t, before, true)
		edit, err := RemoveChartManifest(s, ccm())
		if err != nil {
			t.Fatal(err)
		}
		if after, err := edit.Apply(s); err != nil || after.AdditionalManifest != want {
			t.Errorf("without it, %q is %q, %v", before, after.AdditionalManifest, err)
		}
	}
}

// The last guard of an edit of the manifest: the chart's document is as intended, and the
// others are unchanged.
func TestProveManifest(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after, doc string
		reason             string
	}{
		"added":                    {"a: 1\n", "a: 1\n---\n" + chartDoc, chartDoc, ""},
		"replaced":                 {"a: 1\n---\n" + chartDoc, "a: 1\n---\n" + chartDocWithout, chartDocWithout, ""},
		"removed":                  {"a: 1\n---\n" + chartDoc, "a: 1\n", "", ""},
		"another document changed": {"a: 1\n---\n" + chartDoc, "a: 2\n---\n" + chartDocWithout, chartDocWithout, "ManifestNotSafe"},
		"another one went":         {"a: 1\n---\n" + chartDoc, chartDocWithout, chartDocWithout, "ManifestNotSafe"},
		"one came":                 {chartDoc, chartDocWithout + "---\nb: 1\n", chartDocWithout, "ManifestNotSafe"},
		"it is the old one":        {"a: 1\n---\n" + chartDoc, "a: 1\n---\n" + chartDoc, chartDocWithout, "ManifestNotSafe"},
		"it is not there":          {"a: 1\n", "a: 1\n", chartDoc, "ManifestNotSafe"},
		"it is there still":        {"a: 1\n---\n" + chartDoc, "a: 1\n---\n" + chartDoc, "", "ManifestNotSafe"},
		"unreadable now":           {"a: 1\n", "a: [\n", chartDoc, "UnreadableManifest"},
		"unreadable before":        {"a: [\n", chartDoc, chartDoc, "UnreadableManifest"},
	} {
		_, before := withManifest(t, tt.before, true)
		_, after := withManifest(t, tt.after, true)
		err := (&editor{spec: after}).proveManifest(before, ccm(), tt.doc)
		f, ok := fault.As(err)
		if (err != nil) != (tt.reason != "") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The last guard of an edit of arguments: it serves its purpose, changes nothing else, and is
// idempotent.
func TestFinish(t *testing.T) {
	machine := config.Machine{Name: "m", Labels: map[string]string{config.LabelControlPlane: "true"}}
	from := func(global map[string]any) config.Spec {
		return parse(t, map[string]any{"machineGlobalConfig": global})
	}
	args := func(words ...any) map[string]any {
		return map[string]any{config.KeyProvider: "aws", config.KeyManagerArg: words}
	}
	before := from(args("a=1"))
	for name, tt := range map[string]struct {
		after  config.Spec
		holds  bool
		reason string
	}{
		"it does":                         {from(args("a=1", "enable-leader-migration")), true, ""},
		"it is not for that":              {from(args("a=1", "enable-leader-migration")), false, "NoSafePlace"},
		"it takes an argument out":        {from(args("enable-leader-migration")), true, "NoSafePlace"},
		"it puts another in":              {from(args("a=1", "b=2", "enable-leader-migration")), true, "NoSafePlace"},
		"it changes a foreign key":        {from(map[string]any{config.KeyProvider: "external", config.KeyManagerArg: []any{"a=1"}}), true, "NoSafePlace"},
		"it gives another result, again ": {from(args("a=1", "enable-leader-migration")), true, "EditNotRepeatable"},
	} {
		e := newEditor(before)
		if tt.reason == "EditNotRepeatable" {
			e.spec = tt.after
		} else if err := replaceGlobal(e, tt.after); err != nil {
			t.Fatal(err)
		}
		_, err := e.finish(before, []config.Machine{machine}, intent{keys: []string{config.KeyManagerArg}, holds: func(config.Machine, config.Config) (string, bool) { return "the flag", tt.holds }})
		f, ok := fault.As(err)
		if ok != (tt.reason != "") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// replaceGlobal replaces the arguments and the provider of one configuration by those of
// another.
func replaceGlobal(e *editor, to config.Spec) error {
	for _, key := range []string{config.KeyProvider, config.KeyManagerArg} {
		if notation.Equal(e.spec.Global[key], to.Global[key]) {
			continue
		}
		now, then := cell{e.spec.Global[key], true}, cell{to.Global[key], true}
		if err := e.do(setKey{at: config.Location{Place: config.Global, Key: key}, where: Where{Global: true}, before: now, after: then}); err != nil {
			return err
		}
	}
	return nil
}

// An operation is stale if any part of the configuration that it was computed from has changed.
func TestApply_changedSpec_stale(t *testing.T) {
	base := func() map[string]any {
		return map[string]any{"machineGlobalConfig": map[string]any{"a": "1"}, "machineSelectorConfig": []any{map[string]any{"config": map[string]any{"b": "1"}}}}
	}
	set := func(p config.Place, key string, before, after cell) setKey {
		o := setKey{at: config.Location{Place: p, Key: key}, before: before, after: after}
		return o
	}
	there := func(v any) cell { return cell{v, true} }
	for name, tt := range map[string]struct {
		op    op
		rke   func(map[string]any)
		stale bool
	}{
		"as it was":     {set(config.Global, "a", there("1"), there("2")), func(map[string]any) {}, false},
		"another value": {set(config.Global, "a", there("1"), there("2")), func(m map[string]any) { m["machineGlobalConfig"] = map[string]any{"a": "3"} }, true},
		"it went":       {set(config.Global, "a", there("1"), there("2")), func(m map[string]any) { m["machineGlobalConfig"] = map[string]any{} }, true},
		"the map went":  {set(config.Global, "a", there("1"), there("2")), func(m map[string]any) { delete(m, "machineGlobalConfig") }, true},
		"a map to make": {setKey{at: config.Location{Place: config.Global, Key: "a"}, after: there("1"), made: true}, func(m map[string]any) { delete(m, "machineGlobalConfig") }, false},
		"that is there": {setKey{at: config.Location{Place: config.Global, Key: "c"}, after: there("1"), made: true}, func(map[string]any) {}, true},
		"an entry":      {set(0, "b", there("1"), there("2")), func(map[string]any) {}, false},
		"that is gone":  {set(0, "b", there("1"), there("2")), func(m map[string]any) { m["machineSelectorConfig"] = []any{} }, true},
		"that is another": {set(0, "b", there("1"), there("2")), func(m map[string]any) {
			m["machineSelectorConfig"].([]any)[0].(map[string]any)["machineLabelSelector"] = map[string]any{"matchLabels": map[string]any{"x": "y"}}
		}, true},
		"behind the last one": {set(1, "b", there("1"), there("2")), func(map[string]any) {}, true},
		"a map to take away":  {setKey{at: config.Location{Place: 0, Key: "b"}, before: there("1"), unmade: true}, func(map[string]any) {}, false},
		"that holds another now": {setKey{at: config.Location{Place: 0, Key: "b"}, before: there("1"), unmade: true}, func(m map[string]any) {
			m["machineSelectorConfig"].([]any)[0].(map[string]any)["config"] = map[string]any{"b": "1", "c": "2"}
		}, true},
		"a manifest as it was":     {setManifest{chart: ccm(), before: "", had: false, after: chartDoc, has: true}, func(map[string]any) {}, false},
		"a manifest that came":     {setManifest{chart: ccm(), before: "", had: false, after: chartDoc, has: true}, func(m map[string]any) { m["additionalManifest"] = "" }, true},
		"a manifest that is other": {setManifest{chart: ccm(), before: "a: 1\n", had: true, after: chartDoc, has: true}, func(m map[string]any) { m["additionalManifest"] = "a: 2\n" }, true},
	} {
		rke := base()
		tt.rke(rke)
		s := parse(t, rke)
		err := newEditor(s).do(tt.op)
		if (fault.ClassOf(err) == fault.Stale) != tt.stale || (err != nil) != tt.stale {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Entries are added to and removed from a list that others change meanwhile.
func TestApply_entries(t *testing.T) {
	entry := config.Entry{HasConfig: true, Config: map[string]any{"b": "1"}}
	s := parse(t, map[string]any{})
	put := addEntry{index: 0, entry: entry, made: true}
	if err := put.apply(&s); err != nil {
		t.Fatal(err)
	}
	s.Entries[0].Config["c"] = "2"
	if len(entry.Config) != 1 {
		t.Errorf("the edit changed with the list: %v", entry.Config)
	}
	two := []any{map[string]any{"config": map[string]any{"b": "1"}}, map[string]any{"config": map[string]any{"other": "x"}}}
	for name, tt := range map[string]struct {
		entries []any
		op      op
		stale   bool
		left    int
	}{
		"the only one":               {two[:1], dropEntry{entry: entry, unmade: true}, false, 0},
		"the only one, others' list": {two[:1], dropEntry{entry: entry}, false, 0},
		"one of two":                 {two, dropEntry{entry: entry}, false, 1},
		"the last one, another came": {two, dropEntry{entry: entry, unmade: true}, true, 0},
		"another entry is there":     {two, dropEntry{index: 1, entry: entry}, true, 0},
		"no entry is there":          {two, dropEntry{index: 2, entry: entry}, true, 0},
		"a second one":               {two, addEntry{index: 2, entry: entry}, false, 3},
		"behind the end":             {two, addEntry{index: 3, entry: entry}, true, 0},
		"a list that came":           {two, addEntry{index: 0, entry: entry, made: true}, true, 0},
	} {
		now := parse(t, map[string]any{"machineSelectorConfig": tt.entries})
		err := tt.op.apply(&now)
		if (fault.ClassOf(err) == fault.Stale) != tt.stale || (err != nil) != tt.stale || !tt.stale && len(now.Entries) != tt.left {
			t.Errorf("%s: %v, %d left", name, err, len(now.Entries))
		}
	}
}

// Covers each condition of a switched machine separately.
func TestIsSwitched(t *testing.T) {
	server, worker := config.Machine{Labels: map[string]string{config.LabelControlPlane: "true", config.LabelEtcd: "true"}}, config.Machine{Labels: map[string]string{config.LabelWorker: "true"}}
	etcd := config.Machine{Labels: map[string]string{config.LabelEtcd: "true"}}
	for name, tt := range map[string]struct {
		machine config.Machine
		global  map[string]any
		ok      bool
	}{
		"external":                   {server, map[string]any{config.KeyProvider: "external", config.KeyDisableCCM: true}, true},
		"its own CCM runs":           {server, map[string]any{config.KeyProvider: "external"}, false},
		"it runs on etcd":            {etcd, map[string]any{config.KeyProvider: "external"}, false},
		"a worker has none":          {worker, map[string]any{config.KeyProvider: "external"}, true},
		"a kubelet is in-tree":       {worker, map[string]any{config.KeyProvider: "aws"}, false},
		"a kubelet by its argument":  {worker, map[string]any{config.KeyProvider: "aws", config.KeyKubeletArg: []any{"cloud-provider=external"}}, true},
		"the manager is in-tree":     {server, map[string]any{config.KeyProvider: "aws", config.KeyKubeletArg: []any{"cloud-provider=external"}, config.KeyDisableCCM: true}, false},
		"both by their arguments":    {server, map[string]any{config.KeyProvider: "aws", config.KeyKubeletArg: []any{"cloud-provider=external"}, config.KeyManagerArg: []any{"cloud-provider=external"}, config.KeyDisableCCM: true}, true},
		"the flag is left":           {server, map[string]any{config.KeyProvider: "external", config.KeyManagerArg: []any{"enable-leader-migration"}, config.KeyDisableCCM: true}, false},
		"the flag does not reach it": {worker, map[string]any{config.KeyProvider: "external", config.KeyManagerArg: []any{"enable-leader-migration"}}, true},
	} {
		wanted, ok := isSwitched(tt.machine, config.Effective(parse(t, map[string]any{"machineGlobalConfig": tt.global}), tt.machine))
		if ok != tt.ok || !ok && wanted == "" {
			t.Errorf("%s: %t, wanted %s", name, ok, wanted)
		}
	}
}
