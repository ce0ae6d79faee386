package edits

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// forgedArgs returns an inverse that removes one argument and adds another.
func forgedArgs(key, added, removed string) Inverse {
	u := Undo{Kind: UndoArgs, Where: Where{Global: true}, Key: key, Form: formList, Now: formList, Digest: notation.Digest("")}
	if added != "" {
		u.Added = []notation.Element{{Value: added}}
	}
	if removed != "" {
		u.Removed = []notation.Element{{Value: removed}}
	}
	return Inverse{Version: 1, Undo: []Undo{u}}
}

func forgedScalar(key string, was, is any) Inverse {
	return Inverse{Version: 1, Undo: []Undo{{Kind: UndoScalar, Where: Where{Global: true}, Key: key, Was: &Scalar{was}, Is: &Scalar{is}}}}
}

func forgedEntry(key string, selector any, args ...string) Inverse {
	u := Undo{Kind: UndoDropped, Where: Where{Selector: selector}, Key: key, Form: formList, Peers: notation.Digest(nil)}
	for i, a := range args {
		u.Removed = append(u.Removed, notation.Element{At: i, Value: a})
	}
	return Inverse{Version: 1, Undo: []Undo{u}}
}

func TestParseInverse(t *testing.T) {
	own := ourEntry(config.KeyManagerArg).RawSelector
	flag, everybody := config.FlagLeaderMigration, map[string]any{}
	for name, tt := range map[string]struct {
		inverse Inverse
		seen    string // part of the error, or empty if accepted
	}{
		"the flag":                       {forgedArgs(config.KeyManagerArg, flag, ""), ""},
		"the flag's former spelling":     {forgedArgs(config.KeyManagerArg, argExternal, "--enable_leader_migration=false"), ""},
		"the kubelet's provider":         {forgedArgs(config.KeyKubeletArg, argExternal, ""), ""},
		"the provider":                   {forgedScalar(config.KeyProvider, "aws", "external"), ""},
		"disable-cloud-controller":       {forgedScalar(config.KeyDisableCCM, "false", true), ""},
		"disable-cloud-controller, null": {forgedScalar(config.KeyDisableCCM, nil, true), ""},
		"our entry":                      {forgedEntry(config.KeyManagerArg, own, flag), ""},

		"an image":                         {forgedScalar("kube-apiserver-image", "evil", nil), "machineGlobalConfig.kube-apiserver-image"},
		"an argument of kube-apiserver":    {forgedArgs(config.KeyAPIServerArg, "", "anonymous-auth=true"), "kube-apiserver-arg"},
		"another argument":                 {forgedArgs(config.KeyManagerArg, "", "profiling=true"), "profiling=true"},
		"another argument is taken out":    {forgedArgs(config.KeyManagerArg, "tls-min-version=VersionTLS13", ""), "tls-min-version"},
		"the flag for a kubelet":           {forgedArgs(config.KeyKubeletArg, "", flag), flag},
		"the flag with another value":      {forgedArgs(config.KeyManagerArg, "", flag+"=x"), flag},
		"two lines":                        {forgedArgs(config.KeyManagerArg, "", flag+"=true\n--profiling"), "profiling"},
		"a long argument":                  {forgedArgs(config.KeyManagerArg, "", flag+strings.Repeat(" ", maxArgument)), flag},
		"no argument":                      {forgedArgs(config.KeyManagerArg, "", ""), "0 arguments"},
		"another provider":                 {forgedScalar(config.KeyProvider, "vsphere", "external"), "cloud-provider-name"},
		"a provider of another type":       {forgedScalar(config.KeyProvider, []any{"aws"}, "external"), "cloud-provider-name"},
		"an argument list as a value":      {forgedScalar(config.KeyManagerArg, []any{flag}, []any{}), "kube-controller-manager-arg"},
		"another boolean":                  {forgedScalar("protect-kernel-defaults", false, true), "protect-kernel-defaults"},
		"no boolean":                       {forgedScalar(config.KeyDisableCCM, "maybe", true), "disable-cloud-controller"},
		"an entry for all machines":        {forgedEntry(config.KeyManagerArg, everybody, flag), "machineSelectorConfig[0]"},
		"an entry with another key":        {forgedEntry(config.KeyKubeletArg, own, argExternal), "kubelet-arg"},
		"an entry with another argument":   {forgedEntry(config.KeyManagerArg, own, flag, "v=4"), "v=4"},
		"an entry without arguments":       {forgedEntry(config.KeyManagerArg, own), "0 arguments"},
		"an unknown kind":                  {Inverse{Version: 1, Undo: []Undo{{Kind: "new"}}}, `"new"`},
		"no version":                       {Inverse{}, "version 0"},
		"a manifest without its chart":     {Inverse{Version: 1, Undo: []Undo{{Kind: UndoManifest}}}, "additionalManifest"},
		"another chart":                    {Inverse{Version: 1, Undo: []Undo{{Kind: UndoManifest, Manifest: &ManifestUndo{Chart: Chart{"kube-system", "rke2-canal"}, Digest: notation.Digest("")}}}}, "additionalManifest"},
		"another glue":                     {Inverse{Version: 1, Undo: []Undo{{Kind: UndoManifest, Manifest: &ManifestUndo{Chart: ccm(), Glue: "kind: Secret", Digest: notation.Digest("")}}}}, "additionalManifest"},
		"a value in a change of arguments": {Inverse{Version: 1, Undo: []Undo{{Kind: UndoArgs, Key: config.KeyManagerArg, Was: &Scalar{"x"}}}}, "fields"},
	} {
		raw, err := json.Marshal(tt.inverse)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseInverse(raw)
		if (err == nil) != (tt.seen == "") || err != nil && !strings.Contains(err.Error(), tt.seen) {
			t.Errorf("%s: error %v, want %q", name, err, tt.seen)
		}
	}
}

func TestParseInverse_positions_refused(t *testing.T) {
	for name, change := range map[string]func(*Undo){
		"an argument before the first": func(u *Undo) { u.Added[0].At = -1 },
		"an argument beyond any list":  func(u *Undo) { u.Added[0].At = 1 << 40 },
		"an entry before the first":    func(u *Undo) { u.Where = Where{Entry: -1} },
		"the global place as an entry": func(u *Undo) { u.Where.Of = 1 },
		"no digest":                    func(u *Undo) { u.Digest = "../x" },
		"an unknown form":              func(u *Undo) { u.Form = formOther },
		"a count of nothing":           func(u *Undo) { u.Had = map[string]int{"x": 1} },
		"a count below 1":              func(u *Undo) { u.Had = map[string]int{config.FlagLeaderMigration: -1} },
		"many arguments": func(u *Undo) {
			u.Added = slices.Repeat([]notation.Element{{Value: config.FlagLeaderMigration}}, maxElements+1)
		},
		"many places": func(u *Undo) { u.Already = slices.Repeat([]Where{{Global: true}}, maxElements+1) },
	} {
		inv := forgedArgs(config.KeyManagerArg, config.FlagLeaderMigration, "")
		change(&inv.Undo[0])
		raw, err := json.Marshal(inv)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseInverse(raw); err == nil {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
	for name, raw := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "an unknown field": `{"version": 1, "write": {"cni": "none"}}`, "more text": `{"version": 1} {"version": 1}`,
		"many changes": `{"version": 1, "undo": [` + strings.Repeat(`{},`, maxUndo) + `{}]}`, "a large text": `{"version": 1, "undo": []` + strings.Repeat(" ", maxInverse) + "}",
	} {
		if got, err := ParseInverse(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
}

func TestParseInverse_newer_refused_by_edit(t *testing.T) {
	inv, err := ParseInverse(json.RawMessage(`{"version": 2, "undo": [{"kind": "new"}], "more": true}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = inv.Edit(parse(t, map[string]any{}))
	wantFault(t, err, fault.Usage, "NewerInverse")
}

// forge changes a genuine inverse so that it would write a foreign key or value.
func forge(r *rand.Rand, inv Inverse) Inverse {
	u := &inv.Undo[r.IntN(len(inv.Undo))]
	word := fmt.Sprintf("%s%d", pickOne(r, "x", "kube-apiserver-image", "tls-san", "profiling", "cloud-provider", "enable-leader-migration"), r.IntN(1000))
	value := pickOne[any](r, word, r.IntN(9), []any{word}, map[string]any{word: word}, "aws-"+word)
	element := []notation.Element{{At: r.IntN(3), Value: pickOne(r, word, word+"=true", config.FlagProvider+"="+word, "--"+word)}}
	switch u.Kind {
	case UndoScalar:
		pickOne(r, func() { u.Key = word }, func() { u.Was = &Scalar{value} }, func() { u.Is = &Scalar{value} }, func() { u.Added = element })()
	case UndoArgs:
		pickOne(r, func() { u.Key = word + "-arg" }, func() { u.Key = config.KeyAPIServerArg }, func() { u.Added = append(u.Added, element...) },
			func() { u.Removed = append(u.Removed, element...) }, func() { u.Is = &Scalar{value} })()
	case UndoAdded, UndoDropped:
		pickOne(r, func() { u.Key = word }, func() { u.Where.Selector = value }, func() { u.Added, u.Removed = element, element },
			func() { u.Where = Where{Global: true} })()
	case UndoManifest:
		pickOne(r, func() { u.Manifest.Chart.Name = word }, func() { u.Manifest.Glue = word }, func() { u.Key = word })()
	}
	return inv
}

// TestParseInverse_forged_refused forges the inverses of genuine edits of random clusters.
func TestParseInverse_forged_refused(t *testing.T) {
	refused := 0
	for seed := uint64(0); refused < 10_000; seed++ {
		r := rand.New(rand.NewPCG(seed, 9))
		w := randomWorld(r)
		s := parse(t, w.rke)
		for _, name := range []string{"enable", "disable", "external", "overrides", "back", "manifest"} {
			e, err := compute(name, s, w.machines)
			if name == "manifest" {
				e, err = SetChartManifest(s, ccm(), chartDoc)
			}
			if err != nil || e.Empty() {
				continue
			}
			for range 4 {
				forged := forge(r, stored(t, e.Inverse()))
				raw, err := json.Marshal(forged)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := ParseInverse(raw); err == nil {
					t.Fatalf("seed %d, %s: accepted as %+v: %s", seed, name, got, raw)
				}
				refused++
			}
		}
	}
}

// foreign lists the changes of an edit other than the arguments and values of a migration.
func foreign(e Edit) []string {
	var found []string
	for _, c := range e.Changes {
		switch o := c.op.(type) {
		case setKey:
			own := o.at.Key == config.KeyProvider || o.at.Key == config.KeyDisableCCM ||
				config.IsArgs(o.at.Key) && o.at.Key != config.KeyAPIServerArg && onlyOurs(o.before.value, o.after.value)
			if !own {
				found = append(found, c.Location)
			}
		case addEntry:
			if !isOurs(o.entry, config.KeyManagerArg) || !onlyOurs(nil, o.entry.Config[config.KeyManagerArg]) {
				found = append(found, c.Location)
			}
		case dropEntry:
			if !isOurs(o.entry, config.KeyManagerArg) || !onlyOurs(o.entry.Config[config.KeyManagerArg], nil) {
				found = append(found, c.Location)
			}
		case setManifest:
			if o.chart != ccm() {
				found = append(found, c.Location)
			}
		}
	}
	return found
}

// FuzzParseInverse checks that an accepted inverse changes only our values and never panics.
func FuzzParseInverse(f *testing.F) {
	const rke = `
machineGlobalConfig: {cloud-provider-name: external, cni: canal, kubelet-arg: [max-pods=110, cloud-provider=external], disable-cloud-controller: true, kube-apiserver-arg: [a=1]}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, cloud-provider=external], tls-san: [a]}
  machineLabelSelector: {matchExpressions: [{key: rke.cattle.io/control-plane-role, operator: In, values: ["true"]}]}
- config: {kube-controller-manager-arg: [enable-leader-migration]}
  machineLabelSelector: {matchExpressions: [{key: rke.cattle.io/control-plane-role, operator: In, values: ["true"]}]}
- config: {selinux: true, kube-controller-manager-arg: [v=4]}
additionalManifest: "kind: Secret\nstringData: {a: b}\n"
`
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 10))
		w := randomWorld(r)
		for _, name := range []string{"enable", "external", "overrides", "back"} {
			if e, err := compute(name, parse(f, w.rke), w.machines); err == nil {
				raw, err := json.Marshal(e.Inverse())
				if err != nil {
					f.Fatal(err)
				}
				f.Add(raw)
			}
		}
	}
	f.Add([]byte(`{"version":1,"undo":[{"kind":"entry-added","where":{"entry":1,"selector":{"matchExpressions":[{"key":"rke.cattle.io/control-plane-role","operator":"In","values":["true"]}]},"nth":1,"of":2},"key":"kube-controller-manager-arg","added":[{"at":0,"value":"enable-leader-migration"},{"at":1,"value":"enable-leader-migration"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		inv, err := ParseInverse(raw)
		if err != nil {
			return
		}
		s := parse(t, fromYAML(t, rke))
		e, err := inv.Edit(s)
		if err != nil {
			return
		}
		if found := foreign(e); len(found) > 0 {
			t.Fatalf("changes %v:\n%s", found, e.Diff())
		}
		if _, err := e.Apply(s); err != nil {
			t.Fatal(err)
		}
	})
}

// An argument of the user's must not be removed by its position alone.
func TestInverse_position_of_another_argument_refused(t *testing.T) {
	args := []any{"tls-min-version=VersionTLS13", config.FlagLeaderMigration}
	s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{config.KeyManagerArg: args}})
	inv := forgedArgs(config.KeyManagerArg, config.FlagLeaderMigration, "")
	for _, at := range []int{0, 7} {
		inv.Undo[0].Digest, inv.Undo[0].Added[0].At = notation.Digest(args), at
		_, err := stored(t, inv).Edit(s)
		wantFault(t, err, fault.Stale, "EditMoved")
	}
}
