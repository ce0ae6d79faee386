package edits

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// TestInverse_changedObject_restores makes one edit, lets another writer change the cluster,
// and undoes the edit on the result.
func TestInverse_changedObject_restores(t *testing.T) {
	const before = `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: max-pods=110}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`
	for _, c := range []struct{ name, edit, before, now, want, reason string }{
		{name: "an entry was put first, arguments were added", edit: "overrides",
			now: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: [v=2, max-pods=110, cloud-provider=external], disable-cloud-controller: true, cni: canal}
machineSelectorConfig:
- config: {selinux: true}
- config: {kube-controller-manager-arg: [cloud-provider=external, v=5]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: [v=2, max-pods=110], cni: canal}
machineSelectorConfig:
- config: {selinux: true}
- config: {kube-controller-manager-arg: [v=5, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`},
		{name: "the user took some of it back", edit: "overrides",
			now: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: [max-pods=110]}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, cloud-provider=external]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: [max-pods=110]}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`},
		{name: "arguments were only taken out, and another entry got the selector", edit: "external",
			now: `
machineGlobalConfig: {cloud-provider-name: external, kubelet-arg: max-pods=110, disable-cloud-controller: true}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
- config: {kube-controller-manager-arg: [v=5]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: max-pods=110}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
- config: {kube-controller-manager-arg: [v=5]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`},
		{name: "arguments were only taken out, and others changed the rest", edit: "external",
			now: `
machineGlobalConfig: {cloud-provider-name: external, kubelet-arg: max-pods=110, disable-cloud-controller: true}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=5, w=1]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: max-pods=110}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=5, w=1, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`},
		{name: "equal arguments were taken out, and others changed the order", edit: "external",
			before: `
machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [enable-leader-migration, v=4, enable-leader-migration, w=1]}
`,
			now: `
machineGlobalConfig: {cloud-provider-name: external, kube-controller-manager-arg: [w=1, v=4], disable-cloud-controller: true}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [w=1, v=4, enable-leader-migration, enable-leader-migration]}
`},
		{name: "equal arguments were taken out, and one came back", edit: "external",
			before: `
machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [enable-leader-migration, enable-leader-migration]}
`,
			now: `
machineGlobalConfig: {cloud-provider-name: external, kube-controller-manager-arg: [enable-leader-migration, v=4], disable-cloud-controller: true}
`, want: `
machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [enable-leader-migration, v=4, enable-leader-migration]}
`},
		{name: "the arguments moved to another place", edit: "overrides",
			now: `
machineGlobalConfig: {cloud-provider-name: aws, disable-cloud-controller: true}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, cloud-provider=external]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
- config: {kubelet-arg: [max-pods=110, cloud-provider=external]}
`, reason: "EditMoved"},
		{name: "the provider is a third one", edit: "external",
			now: `
machineGlobalConfig: {cloud-provider-name: azure, kubelet-arg: max-pods=110, disable-cloud-controller: true}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, reason: "EditMoved"},
		{name: "the list is no longer a list", edit: "overrides",
			now: `
machineGlobalConfig: {cloud-provider-name: aws, kubelet-arg: [cloud-provider=external, null], disable-cloud-controller: true}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4, cloud-provider=external]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`, reason: "EditMoved"},
		{name: "the entry is gone", edit: "external",
			now: `
machineGlobalConfig: {cloud-provider-name: external, kubelet-arg: max-pods=110, disable-cloud-controller: true}
machineSelectorConfig: []
`, reason: "EditMoved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, fromYAML(t, cmp.Or(c.before, before)))
			e, err := compute(c.edit, s, []config.Machine{machine("cp-0", "ce"), machine("w-0", "w")})
			if err != nil {
				t.Fatal(err)
			}
			now := parse(t, fromYAML(t, c.now))
			undo, err := stored(t, e.Inverse()).Edit(now)
			if c.reason != "" {
				wantFault(t, err, fault.Stale, c.reason)
				if !strings.Contains(err.Error(), "machine") {
					t.Errorf("names no place: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after, err := undo.Apply(now)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "after the undo", content(after), fromYAML(t, c.want))
			same(t, "its patch", content(patched(t, fromYAML(t, c.now), undo)), fromYAML(t, c.want))
		})
	}
}

// TestInverse_ownEntry_restores covers an entry that one edit adds and a later one removes.
func TestInverse_ownEntry_restores(t *testing.T) {
	machines := []config.Machine{machine("cp-0", "ce"), machine("w-0", "w")}
	s := parse(t, fromYAML(t, `{machineGlobalConfig: {cloud-provider-name: aws}}`))
	step := func(name string, s config.Spec) (config.Spec, Inverse) {
		t.Helper()
		e, err := compute(name, s, machines)
		if err != nil {
			t.Fatal(err)
		}
		after, err := e.Apply(s)
		if err != nil {
			t.Fatal(err)
		}
		return after, stored(t, e.Inverse())
	}
	undo := func(inv Inverse, s config.Spec) config.Spec {
		t.Helper()
		e, err := inv.Edit(s)
		if err != nil {
			t.Fatal(err)
		}
		after, err := e.Apply(s)
		if err != nil {
			t.Fatal(err)
		}
		return after
	}
	for _, end := range []string{"external", "overrides"} {
		flagged, first := step("enable", s)
		switched, second := step(end, flagged)
		same(t, end+" undone twice", content(undo(first, undo(second, switched))), content(s))

		// Another writer adds a key to our entry: that key remains, and ours is removed.
		shared := clone(flagged)
		shared.Entries[0].Config["kube-scheduler-arg"] = []any{"v=2"}
		left := undo(first, shared)
		same(t, "shared entry", left.Entries[0].Config, map[string]any{"kube-scheduler-arg": []any{"v=2"}})
	}
	flagged, _ := step("enable", s)
	ours := flagged.Entries[0]
	for name, tt := range map[string]struct {
		args  any
		more  bool // the entry has another key
		stays bool
	}{
		"it came back":                  {[]any{config.FlagLeaderMigration}, false, true},
		"it came back with others":      {[]any{"v=9", config.FlagLeaderMigration}, false, true},
		"another in its place":          {[]any{"v=9"}, false, false},
		"it came back with another key": {[]any{config.FlagLeaderMigration}, true, false},
	} {
		switched, second := step("external", flagged)
		entry := ours
		if entry.Config = map[string]any{config.KeyManagerArg: tt.args}; tt.more {
			entry.Config["kube-scheduler-arg"] = []any{"v=2"}
		}
		switched.Entries = []config.Entry{entry}
		e, err := second.Edit(switched)
		if !tt.stays {
			wantFault(t, err, fault.Stale, "EditMoved")
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		after, err := e.Apply(switched)
		if err != nil {
			t.Fatal(name, err)
		}
		same(t, name, after.Entries[0].Config, entry.Config)
	}
	switched, second := step("external", flagged)
	switched.Global[config.KeyManagerArg] = []any{"v=9"}
	_, err := second.Edit(switched)
	wantFault(t, err, fault.Stale, "EditMoved")
}

// TestInverse_userValues_omitted checks the JSON for the journal.
func TestInverse_userValues_omitted(t *testing.T) {
	s := parse(t, fromYAML(t, `
machineGlobalConfig: {cloud-provider-name: aws, cloud-provider-config: "SECRET1", kubelet-arg: [token=SECRET2], kube-apiserver-arg: [oidc=SECRET3]}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [key=SECRET4, enable-leader-migration], tls-san: [SECRET5]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
additionalManifest: "kind: Secret\nstringData: {a: SECRET6}\n"
`))
	machines := []config.Machine{machine("cp-0", "ce"), machine("w-0", "w")}
	var all []Edit
	for _, name := range []string{"disable", "external", "overrides"} {
		e, err := compute(name, s, machines)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	e, err := SetChartManifest(s, ccm(), chartDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(all, e) {
		b, err := json.Marshal(e.Inverse())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "SECRET") || len(b) > 2000 {
			t.Errorf("the inverse says too much: %s", b)
		}
	}
}

func TestInverse_newer_refused(t *testing.T) {
	s := parse(t, map[string]any{})
	_, err := Inverse{Version: 2}.Edit(s)
	wantFault(t, err, fault.Usage, "NewerInverse")
	_, err = Inverse{Version: 1, Undo: []Undo{{Kind: "new"}}}.Edit(s)
	wantFault(t, err, fault.Usage, "UnknownInverse")
}

// TestJSONPatch_changedObject_testFails checks that a patch requires the values that it was
// computed from, and nothing else.
func TestJSONPatch_changedObject_testFails(t *testing.T) {
	rke := `
machineGlobalConfig: {cloud-provider-name: aws, kube-apiserver-arg: [a=1, b=2]}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
`
	s := parse(t, fromYAML(t, rke))
	e, err := EnableLeaderMigration(s, []config.Machine{machine("cp-0", "ce")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, now string
		fits      bool
	}{
		{"as read", rke, true},
		{"the webhook reordered kube-apiserver-arg", strings.Replace(rke, "[a=1, b=2]", "[b=2, a=1]", 1), true},
		{"another key of the entry", strings.Replace(rke, "{kube-controller-manager-arg", "{selinux: true, kube-controller-manager-arg", 1), true},
		{"the list changed", strings.Replace(rke, "[v=4]", "[v=5]", 1), false},
		{"another entry came first", strings.Replace(rke, "- config", "- config: {kube-controller-manager-arg: [v=4]}\n- config", 1), false},
		{"the selector changed", strings.Replace(rke, "control-plane-role", "worker-role", 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := parse(t, fromYAML(t, c.now))
			_, err := e.Apply(now)
			if c.fits != (err == nil) {
				t.Errorf("Apply: %v", err)
			}
			if err != nil {
				wantFault(t, err, fault.Stale, "ConfigMoved")
			}
			doc, err := json.Marshal(cluster(fromYAML(t, c.now)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := applyPatch(doc, e); c.fits != (err == nil) {
				t.Errorf("patch: %v", err)
			}
		})
	}
}

func TestAppliedIn(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [v=4, w=1]}}`))
	e, err := EnableLeaderMigration(s, []config.Machine{machine("cp-0", "ce")})
	if err != nil {
		t.Fatal(err)
	}
	for now, want := range map[string]string{
		"[v=4, w=1, enable-leader-migration]":      "",
		"[enable-leader-migration, x=1, w=1, v=4]": "",
		"[v=4, w=1]":                     "machineGlobalConfig.kube-controller-manager-arg: wanted enable-leader-migration",
		"[v=4, enable-leader-migration]": "machineGlobalConfig.kube-controller-manager-arg: wanted what was there before (w)",
	} {
		got, missing := e.AppliedIn(parse(t, fromYAML(t, "{machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: "+now+"}}")))
		if got != (want == "") || strings.Join(missing, "") != want {
			t.Errorf("%s: %v %q, want %q", now, got, missing, want)
		}
	}
	control := map[string]any{"kind": "RKEControlPlane", "metadata": map[string]any{"name": "demo"}, "spec": fromYAML(t,
		`{machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [v=4, w=1, enable-leader-migration]}}`)}
	copied, err := config.Parse(control)
	if err != nil {
		t.Fatal(err)
	}
	if ok, missing := e.AppliedIn(copied); !ok {
		t.Errorf("in Rancher's copy: %v", missing)
	}
}
