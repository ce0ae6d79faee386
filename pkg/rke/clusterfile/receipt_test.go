package clusterfile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

func receiptOf(t testing.TB, e clusterfile.Edit) yamltext.Receipt {
	t.Helper()
	raw, err := json.Marshal(e.Receipt())
	if err != nil {
		t.Fatal(err)
	}
	r, err := clusterfile.ParseReceipt(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return r
}

func TestParseReceipt_own_edits_accepted(t *testing.T) {
	for name, text := range map[string]string{
		"the flag and a block":   withAWS,
		"no services":            "cloud_provider: {name: aws}\nnodes: []\n",
		"empty services":         "services:\ncloud_provider:\n  name: aws\n  awsCloudProvider: {}\n",
		"an empty mapping":       "services:\n  kube-controller: { }\ncloud_provider:\n  awsCloudProvider:\n    global: {vpc: x}\n",
		"a null mapping":         "services:\n  kube-controller:\n    extra_args: ~\ncloud_provider:\n  name: aws\n",
		"without cloud_provider": "nodes: []\n",
	} {
		first := edit(t, []byte(text), enable())
		second := edit(t, first.After, switchTo(first.Made)...)
		for _, e := range []clusterfile.Edit{first, second} {
			r := receiptOf(t, e)
			if diff := cmp.Diff(e.Receipt(), r); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
			back, err := parse(t, e.After).Undo(r, e.Before)
			if err != nil {
				t.Fatal(name, err)
			}
			same(t, name, back.After, e.Before)
			receiptOf(t, back)
		}
	}
}

func TestParseReceipt_forged_refused(t *testing.T) {
	honest := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	value := func(s string) *string { return &s }
	for name, tt := range map[string]struct {
		change func(*yamltext.Receipt)
		seen   string
	}{
		"another file":           {func(r *yamltext.Receipt) { r.Before = "../../etc/x" }, "SHA-256"},
		"no digest":              {func(r *yamltext.Receipt) { r.After = "" }, "SHA-256"},
		"another key":            {func(r *yamltext.Receipt) { r.Changes[0].Path = []string{"services", "kubelet", "image"} }, "services.kubelet.image"},
		"the version":            {func(r *yamltext.Receipt) { r.Changes[0].Path = []string{"kubernetes_version"} }, "kubernetes_version"},
		"another provider":       {func(r *yamltext.Receipt) { r.Changes[0].Value = value("vsphere") }, "cloud_provider.name"},
		"the provider is gone":   {func(r *yamltext.Receipt) { r.Changes[0].Value, r.Changes[0].Style = nil, "" }, "cloud_provider.name"},
		"a block is written":     {func(r *yamltext.Receipt) { r.Changes[2].Value = value("x") }, "awsCloudProvider"},
		"a hidden value":         {func(r *yamltext.Receipt) { r.Changes[0].Digest = r.Before }, "hidden"},
		"another style":          {func(r *yamltext.Receipt) { r.Changes[0].Style = yamltext.Literal }, "cloud_provider.name"},
		"twice":                  {func(r *yamltext.Receipt) { r.Changes = append(r.Changes, r.Changes[0]) }, "twice"},
		"another mapping goes":   {func(r *yamltext.Receipt) { r.Changes[3].Prune = [][]string{{"services", "kubelet"}} }, "services.kubelet"},
		"another mapping":        {func(r *yamltext.Receipt) { r.Created = [][]string{{"nodes"}} }, "nodes"},
		"a mapping with text":    {func(r *yamltext.Receipt) { r.Filled = []yamltext.Blank{{Path: []string{"services"}, Text: " {a: b}"}} }, "services"},
		"a mapping below a leaf": {func(r *yamltext.Receipt) { r.Filled = []yamltext.Blank{{Path: flagPath()}} }, "enable-leader-migration"},
		"no path":                {func(r *yamltext.Receipt) { r.Changes[0].Path = nil }, "do not change"},
	} {
		r := honest.Receipt()
		tt.change(&r)
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := clusterfile.ParseReceipt(raw); err == nil || !strings.Contains(err.Error(), tt.seen) {
			t.Errorf("%s: error %v, want %q", name, err, tt.seen)
		}
	}
	for name, raw := range map[string]string{"nothing": "", "null": "null", "a list": "[]", "an unknown key": `{"path": "/etc/passwd"}`,
		"a large text": `{"before": "` + strings.Repeat("0", 1<<16) + `"}`} {
		if _, err := clusterfile.ParseReceipt(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FuzzParseReceipt checks that an accepted receipt restores only lines of our keys, or nothing.
func FuzzParseReceipt(f *testing.F) {
	e := edit(f, []byte(withAWS), switchTo(yamltext.Made{})...)
	raw, err := json.Marshal(e.Receipt())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"before": "x", "after": "y", "changes": [{"path": ["nodes"]}]}`))
	later := strings.Replace(string(e.After), "plugin: canal", "plugin: calico", 1)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := clusterfile.ParseReceipt(raw)
		if err != nil {
			return
		}
		back, err := parse(t, []byte(later)).Undo(r, []byte(withAWS))
		if err == nil && !back.Empty() && !strings.Contains(string(back.After), "plugin: calico") {
			t.Fatalf("another line was put back:\n%s", back.Diff())
		}
	})
}

func TestWithBackup(t *testing.T) {
	e := edit(t, []byte(withAWS), switchTo(yamltext.Made{})...)
	later := strings.ReplaceAll(string(e.After), "\n", "\r\n")
	_, err := parse(t, []byte(later)).Undo(e.Receipt(), e.Before)
	path := clusterfile.BackupPath("/home/u/cluster.yml", e.Receipt().Before)
	bad, is := fault.As(clusterfile.WithBackup(err, path))
	if !is || bad.Reason != clusterfile.ReasonUndo || !strings.HasSuffix(bad.Fix, path) || !strings.Contains(bad.Seen, "line ends are CRLF now") {
		t.Errorf("%v", bad)
	}
	if other := errors.New("x"); clusterfile.WithBackup(nil, path) != nil || !errors.Is(clusterfile.WithBackup(other, path), other) {
		t.Error("another error was changed")
	}
}
