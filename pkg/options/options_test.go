package options

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Every row can be defined, completed and checked, and no command has two rows for one flag
// that differ in kind.
func TestTable(t *testing.T) {
	for _, o := range Table() {
		offers := 0
		for _, offer := range []bool{len(o.Words) > 0, o.Offer.Source != "", len(o.Offer.Ending) > 0, o.Offer.Free != ""} {
			if offer {
				offers++
			}
		}
		if (o.Kind == Switch) != (offers == 0) || offers > 1 {
			t.Errorf("--%s: %d offers of a shell", o.Flag, offers)
		}
		if o.Help == "" || o.Scope == 0 || !slices.Contains(Groups(), o.Group) {
			t.Errorf("--%s: %+v", o.Flag, o)
		}
		if o.Path != "" && o.NotInObject != "" {
			t.Errorf("--%s has a field, and a reason to have none", o.Flag)
		}
		for _, flag := range []string{o.With, o.Negates, strings.Split(o.OffBy, "=")[0]} {
			if flag != "" && findAny(flag).Flag == "" {
				t.Errorf("--%s names --%s, which does not exist", o.Flag, flag)
			}
		}
		if _, err := time.ParseDuration(o.Default); o.Kind == Duration && o.Default != "" && err != nil {
			t.Errorf("--%s: %v", o.Flag, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		flag, text string
		says       string // empty: it is valid
	}{
		"a word":          {"hand-over", "early", ""},
		"no word":         {"hand-over", "soon", `flag --hand-over: invalid value "soon"; wanted early or natural`},
		"no default":      {"aws", "", `flag --aws: invalid value ""; wanted auto, on or off`},
		"the default":     {"cloud-routes", "", ""},
		"long enough":     {"audit-interval", "1m", ""},
		"too short":       {"audit-interval", "59s", "wanted 1m or more"},
		"no time":         {"timeout", "0s", "wanted more than 0"},
		"no number":       {"max-concurrent", "0", "wanted more than 0"},
		"a pattern":       {"role-session-name", "night@audit", ""},
		"another pattern": {"role-session-name", "a", "wanted 2 to 64 letters"},
		"a secret":        {"external-id", "a b", "flag --external-id: invalid value; wanted"},
		"a long secret":   {"external-id", strings.Repeat("x", 1224), ""},
		"too long":        {"external-id", strings.Repeat("x", 1225), "wanted 2 to 1224"},
	} {
		err := findAny(tt.flag).Check(tt.text)
		if (err != nil) != (tt.says != "") || err != nil && (!strings.Contains(err.Error(), tt.says) || fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// given is a source of texts by flag.
func given(values map[string]any) Source {
	return func(o Option) (any, bool, error) { value, ok := values[o.Flag]; return value, ok, nil }
}

type sample struct {
	Method   string            `flag:"install-method"`
	Snapshot bool              `flag:"etcd-snapshot"`
	Keep     bool              `flag:"keep-leader-migration"`
	Drop     bool              `flag:"keep-leader-migration=false"`
	Early    bool              `flag:"hand-over=early"`
	Only     []string          `flag:"only"`
	Args     []string          `flag:"rke-arg"`
	Skip     map[string]string `flag:"skip"`
	Values   map[string]any    `flag:"values"`
	Timeout  time.Duration     `flag:"timeout"`
	Wiring   func()
}

func TestFill(t *testing.T) {
	for name, tt := range map[string]struct {
		in   Scope
		of   map[string]any
		want sample
	}{
		"nothing":         {RKE2, nil, sample{Method: "helm", Snapshot: true, Early: true}},
		"another scope":   {RKE, map[string]any{"install-method": "additional-manifest"}, sample{Method: "helm", Early: true}},
		"another word":    {RKE2, map[string]any{"hand-over": "natural"}, sample{Method: "helm", Snapshot: true}},
		"kept":            {RKE2, map[string]any{"keep-leader-migration": "true"}, sample{Method: "helm", Snapshot: true, Early: true, Keep: true}},
		"not kept":        {RKE2, map[string]any{"keep-leader-migration": "false"}, sample{Method: "helm", Snapshot: true, Early: true, Drop: true}},
		"off by another":  {RKE2, map[string]any{"edits": "handoff"}, sample{Method: "helm", Early: true}},
		"on all the same": {RKE2, map[string]any{"edits": "handoff", "etcd-snapshot": "true"}, sample{Method: "helm", Snapshot: true, Early: true}},
		"negated":         {RKE2, map[string]any{"no-etcd-snapshot": "true"}, sample{Method: "helm", Early: true}},
		"collections":     {RKE | Run, map[string]any{"rke-arg": []string{"b", "a"}, "skip": map[string]string{"A": "b"}, "timeout": "1h"}, sample{Method: "helm", Early: true, Args: []string{"b", "a"}, Skip: map[string]string{"A": "b"}, Timeout: time.Hour}},
	} {
		got := sample{}
		if err := Fill(tt.in, given(tt.of), &got); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, of := range map[string]map[string]any{
		"no word": {"hand-over": "soon"}, "both": {"etcd-snapshot": "true", "no-etcd-snapshot": "true"}, "alone": {"external-id": "abc"},
	} {
		if err := Fill(RKE2, given(of), &sample{}); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The basis holds the resolved value, not the typed one: another default is another plan.
func TestResolveBasis(t *testing.T) {
	for name, tt := range map[string]struct {
		of   sample
		want map[string]string
	}{
		"defaults":  {sample{Method: "helm"}, map[string]string{"--install-method": "helm", "--etcd-snapshot": "false", "--hand-over": "natural"}},
		"words":     {sample{Early: true, Snapshot: true, Keep: true}, map[string]string{"--etcd-snapshot": "true", "--hand-over": "early", "--keep-leader-migration": "true"}},
		"not kept":  {sample{Early: true, Drop: true}, map[string]string{"--etcd-snapshot": "false", "--hand-over": "early", "--keep-leader-migration": "false"}},
		"no word":   {sample{Keep: true, Drop: true}, map[string]string{"--etcd-snapshot": "false", "--hand-over": "natural", "--keep-leader-migration": "true,true"}},
		"a set":     {sample{Only: []string{"b", "a"}, Skip: map[string]string{"y": "2", "x": "1"}}, map[string]string{"--etcd-snapshot": "false", "--hand-over": "natural", "--only": "a,b", "--skip": "x,y"}},
		"documents": {sample{Values: map[string]any{"a": 1}}, map[string]string{"--etcd-snapshot": "false", "--hand-over": "natural", "--values": "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"}},
	} {
		if got := ResolveBasis(RKE2, &tt.of); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := ResolveBasis(RKE, &sample{Args: []string{"b", "a"}})["--rke-arg"]; got != "b a" {
		t.Errorf("arguments %q", got)
	}
}

func TestObjectWord(t *testing.T) {
	for word, want := range map[string]string{"on": "Enabled", "false": "Disabled", "auto": "Auto", "additional-manifest": "AdditionalManifest", "": ""} {
		if got := ObjectWord(word); got != want {
			t.Errorf("%q is %q", word, got)
		}
	}
}

// The values of a basis can be applied to fresh structs; other fields do not change.
func TestOverlay(t *testing.T) {
	for name, of := range map[string]sample{
		"defaults": {Method: "helm"},
		"words":    {Method: "additional-manifest", Early: true, Snapshot: true, Keep: true},
		"not kept": {Method: "helm", Early: true, Drop: true},
	} {
		basis := ResolveBasis(RKE2, &of)
		got := sample{Method: "helm", Snapshot: true, Early: true, Only: []string{"a"}}
		if err := Overlay(RKE2, basis, &got); err != nil || !slices.Equal(got.Only, []string{"a"}) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
		got.Only = nil
		if again := ResolveBasis(RKE2, &got); !maps.Equal(again, basis) {
			t.Errorf("%s: %v, wanted %v", name, again, basis)
		}
	}
	if err := Overlay(RKE2, map[string]string{"--hand-over": "no such word"}, &sample{}); err == nil {
		t.Error("an unknown word was taken")
	}
}
