package yamltext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

const withAWS = `services:
  kube-controller:
    extra_args:
      enable-leader-migration: "true"
      v: "2"

# the cloud
cloud_provider:
  name: aws
  # options
  awsCloudProvider:
    global:
      vpc: vpc-1   # ours
  # end of options
network:
  plugin: canal
addons_include: []
`

func TestUndo_otherChanges_kept(t *testing.T) {
	e := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	for what, change := range map[string]func(string) string{
		"a line at the end":     func(s string) string { return s + "cluster_name: x\n" },
		"a line at the head":    func(s string) string { return "cluster_name: x\n" + s },
		"another value changed": func(s string) string { return strings.Replace(s, "plugin: canal", "plugin: calico", 1) },
		"a block in between": func(s string) string {
			return strings.Replace(s, "\n# the cloud", "ingress:\n  provider: none\n\n# the cloud", 1)
		},
	} {
		t.Run(what, func(t *testing.T) {
			back, err := parse(t, []byte(change(string(e.After)))).Undo(e.Receipt(), e.Before)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "undone", back.After, []byte(change(withAWS)))
		})
	}
}

// The edge of the file does not belong to the edit: lines may be added above its first line
// and below its last.
func TestUndo_linesAtEdges_kept(t *testing.T) {
	const rest = "nodes: [{address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}]\nkubernetes_version: v1.26.9-rancher1-1\n"
	for what, text := range map[string]string{
		"first, over lines": "cloud_provider:\n  name: aws\n" + rest,
		"first, on a line":  "cloud_provider: {name: aws}\n" + rest,
		"second":            "# x\ncloud_provider: {name: aws, awsCloudProvider: {}}\n" + rest,
		"last, over lines":  rest + "cloud_provider:\n  name: aws\n",
		"last, on a line":   rest + "cloud_provider: {name: aws}\n",
		"alone":             "cloud_provider: {name: aws}\n",
		"CRLF":              strings.ReplaceAll("cloud_provider:\n  name: aws\n"+rest, "\n", "\r\n"),
	} {
		for where, add := range map[string]func(string) string{
			"above": func(s string) string { return "# later\n" + s },
			"below": func(s string) string { return s + "# later\n" },
			"both":  func(s string) string { return "# later\ncluster_name: x\n" + s + "# and later\n" },
		} {
			t.Run(what+" "+where, func(t *testing.T) {
				e := edit(t, []byte(text), switchTo(yamltext.Made{})...)
				back, err := parse(t, []byte(add(string(e.After)))).Undo(e.Receipt(), e.Before)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "undone", back.After, []byte(add(text)))
			})
		}
	}
}

func TestUndo_changedPlace_refused(t *testing.T) {
	e := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	for what, change := range map[string][2]string{
		"another provider":        {"name: external-aws", "name: external"},
		"another boolean":         {"useInstanceMetadataHostname: true", "useInstanceMetadataHostname: false"},
		"a comment on our line":   {"name: external-aws", "name: external-aws # us"},
		"an options block":        {"# end of options", "awsCloudProvider: {}"},
		"the flag is back":        {"v: \"2\"", "v: \"2\"\n      enable-leader-migration: \"true\""},
		"the parent was renamed":  {"cloud_provider:", "cloud_providers:"},
		"the parent was indented": {"  name: external-aws\n", "  name: external-aws\n  customCloudProvider: x\n"},
	} {
		t.Run(what, func(t *testing.T) {
			text := strings.Replace(string(e.After), change[0], change[1], 1)
			if text == string(e.After) {
				t.Fatal("no change")
			}
			if what == "the parent was indented" {
				text = strings.ReplaceAll(text, "\n  ", "\n   ")
			}
			back, err := parse(t, []byte(text)).Undo(e.Receipt(), e.Before)
			if err == nil {
				t.Fatalf("not refused:\n%s", back.Diff())
			}
			bad, ok := fault.As(err)
			if !ok || bad.Class != fault.Usage || bad.Reason != "Undo" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestUndo_wrongBackup_refused(t *testing.T) {
	e := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	if _, err := parse(t, e.After).Undo(e.Receipt(), []byte(withAWS+"# x\n")); fault.ClassOf(err) != fault.Usage {
		t.Errorf("another backup: %v", err)
	}
	back, err := parse(t, e.Before).Undo(e.Receipt(), e.Before)
	if err != nil || !back.Empty() {
		t.Errorf("a file that is undone already: %v, empty %v", err, back.Empty())
	}
}

func TestUndo_laterEdit(t *testing.T) {
	e := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	later := append([]byte("# later\n"), e.After...)
	for what, spoil := range map[string]func(*yamltext.Receipt){
		"another result":  func(r *yamltext.Receipt) { r.After = r.Before[1:] + "0" },
		"a change less":   func(r *yamltext.Receipt) { r.Changes = r.Changes[:3] },
		"another value":   func(r *yamltext.Receipt) { r.Changes[0].Value = r.Changes[1].Value },
		"without changes": func(r *yamltext.Receipt) { r.Changes = nil },
	} {
		r := e.Receipt()
		spoil(&r)
		_, err := parse(t, later).Undo(r, e.Before)
		if bad, ok := fault.As(err); !ok || bad.Class != fault.Usage {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// If the lines around it changed, two places look like the edit's.
func TestUndo_twoPlaces_refused(t *testing.T) {
	const text = `services:
  kube-controller:
    extra_args:
      enable-leader-migration: "true"
      v: "2"
  kubelet:
    extra_args:
      v: "2"
  etcd: {}
`
	e := edit(t, []byte(text), yamltext.Delete(flagPath()...))
	later := strings.NewReplacer("controller:\n", "controller: # x\n", "kubelet:\n", "kubelet: # y\n", "  etcd", "  # z\n  etcd").Replace(string(e.After))
	_, err := parse(t, []byte(later)).Undo(e.Receipt(), e.Before)
	bad, ok := fault.As(err)
	if !ok || bad.Object != "x.yml:7" || !strings.Contains(bad.Seen, "line 4") {
		t.Errorf("%v", err)
	}
}

// Anyone may read the journal that holds a receipt.
func TestReceipt_secretValue_omitted(t *testing.T) {
	const secret = "AKIA-secret\nvpc-1\n"
	changes := append(switchTo(yamltext.Made{}), yamltext.Set(secret, yamltext.Literal, "cloud_provider", "customCloudProvider"))
	e := edit(t, []byte(withAWS), changes...)
	raw, err := json.Marshal(e.Receipt())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"AKIA", "vpc-1", "canal", "ours"} {
		if strings.Contains(string(raw), word) {
			t.Errorf("holds %q: %s", word, raw)
		}
	}
	if len(raw) > 1500 {
		t.Errorf("%d bytes", len(raw))
	}
	var r yamltext.Receipt
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	back, err := parse(t, e.After).Undo(r, e.Before)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "undone", back.After, []byte(withAWS))

	changed := strings.Replace(string(e.After), "AKIA-secret", "AKIA-other", 1)
	if _, err := parse(t, []byte(changed)).Undo(r, e.Before); fault.ClassOf(err) != fault.Usage {
		t.Errorf("another literal: %v", err)
	}
}

// Made suffices to delete the flag in a later process, without a backup.
func TestPruning_createdMappings_pruned(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"nodes: []\n", "nodes: []\n"},
		{"nodes: []\nservices:\n  kube-controller:\n    extra_args:\n", "nodes: []\nservices:\n  kube-controller:\n    extra_args:\n"},
		{"nodes: []\nservices:\n  kube-controller: {}\n", "nodes: []\nservices:\n  kube-controller: {}\n"},
		{"nodes: []\nservices:\n", "nodes: []\nservices:\n"},
		{"nodes: []\nservices: &a\n  etcd: {}\n", "nodes: []\nservices: &a\n  etcd: {}\n"},
	} {
		e := edit(t, []byte(c.before), enable())
		raw, err := json.Marshal(e.Made)
		if err != nil {
			t.Fatal(err)
		}
		var made yamltext.Made
		if err := json.Unmarshal(raw, &made); err != nil {
			t.Fatal(err)
		}
		back := edit(t, e.After, yamltext.Delete(flagPath()...).Pruning(made))
		same(t, "without the flag", back.After, []byte(c.after))
	}

	// Another argument keeps the mappings that we created.
	e := edit(t, []byte("nodes: []\n"), enable())
	others := strings.Replace(string(e.After), "      enable", "      v: \"2\"\n      enable", 1)
	back := edit(t, []byte(others), yamltext.Delete(flagPath()...).Pruning(e.Made))
	same(t, "next to another argument", back.After, []byte("nodes: []\nservices:\n  kube-controller:\n    extra_args:\n      v: \"2\"\n"))
}

// Three lines of context do not always suffice: entries of a list end alike. More context,
// above or below, distinguishes them.
func TestUndo_entries_that_end_alike(t *testing.T) {
	const nodes = "nodes:\n  - address: 10.0.0.1\n    user: u\n    port: 22\n    role: [worker]\n  - address: 10.0.0.2\n    user: u\n    port: 22\n    role: [worker]\n"
	const flag = "services:\n  kube-controller:\n    extra_args:\n      enable-leader-migration: \"true\"\n"
	args := func(name string) string {
		return "  " + name + ":\n    extra_args:\n      a: b\n      c: d\n      e: f\n"
	}
	made := yamltext.Made{Created: [][]string{{"services"}, {"services", "kube-controller"}, {"services", "kube-controller", "extra_args"}}}
	for name, tt := range map[string]struct {
		before string
		change func(string) string
	}{
		"a line at the end":            {nodes + flag, func(s string) string { return s + "cluster_name: x\n" }},
		"a line at the head":           {flag + nodes, func(s string) string { return "cluster_name: x\n" + s }},
		"a change above, alike":        {"addon_job_timeout: 1\n" + nodes + flag, func(s string) string { return strings.Replace(s, "timeout: 1", "timeout: 2", 1) + "cluster_name: x\n" }},
		"alike above, different below": {"services:\n" + args("kubelet") + args("kube-controller") + "      enable-leader-migration: \"true\"\n      g: h\n      i: j\n      k: l\n" + args("scheduler"), func(s string) string { return strings.Replace(s, "kubelet:", "kubelet: # x", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, []byte(tt.before), yamltext.Delete(flagPath()...).Pruning(made))
			back, err := parse(t, []byte(tt.change(string(e.After)))).Undo(e.Receipt(), e.Before)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "undone", back.After, []byte(tt.change(tt.before)))
		})
	}
}

// The error names a tool that changed every line end.
func TestUndo_line_ends_changed(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	for name, tt := range map[string]struct {
		before string
		change func(string) string
		want   string
	}{
		"CRLF since":                       {withAWS, crlf, "line ends are CRLF now, LF when the edit was made"},
		"LF since":                         {crlf(withAWS), lf, "line ends are LF now, CRLF when the edit was made"},
		"CRLF since, and another line":     {withAWS, func(s string) string { return crlf("cluster_name: x\n" + s) }, "line ends are CRLF now"},
		"CRLF since, and the edit's lines": {withAWS, func(s string) string { return crlf(strings.Replace(s, "external-aws", "external", 1)) }, "the lines that the edit wrote"},
	} {
		e := edit(t, []byte(tt.before), switchTo(yamltext.Made{})...)
		_, err := parse(t, []byte(tt.change(string(e.After)))).Undo(e.Receipt(), e.Before)
		bad, is := fault.As(err)
		if !is || bad.Reason != "Undo" || !strings.Contains(bad.Seen, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
