package yamltext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// requireDeletable checks that deleting the flag that an edit wrote, with only the edit's
// receipt, restores the file to the byte.
func requireDeletable(t *testing.T, text []byte) {
	t.Helper()
	e := edit(t, text, enable())
	raw, err := json.Marshal(e.Receipt())
	if err != nil {
		t.Fatal(err)
	}
	var r yamltext.Receipt
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	without := edit(t, e.After, yamltext.Delete(flagPath()...).Pruning(r.Made))
	same(t, "the flag taken out", without.After, text)
	holds(t, without)
	undoWithLaterLines(t, without)
}

func TestDelete_ownFlag_restoresBytes(t *testing.T) {
	const rest = "cloud_provider:\n  name: aws\n"
	for _, services := range []string{
		"services:\n", "services: ~\n", "services:   # later\n", "services: {}\n", "services:  { }  # none \n", "services: null \n",
		"services:\n  kube-controller:\n", "services:\n  kube-controller: ~ # none\n  kubelet: ~\n", "services:\n  kube-controller: Null  \n",
		"services:\n  kube-controller: {}\n", "services:\n  kube-controller:\t{ }\t# tab\n",
		"services:\n  kube-controller:\n    extra_args:\n", "services:\n  kube-controller:\n    extra_args: NULL # x \n    image: y\n",
		"services:\n  kube-controller: {extra_args: ~}\n", "services:\n  kube-controller: {image: x, extra_args: , extra_binds: []}\n",
		"services: {kube-controller: ~}\n", "services: {kube-controller: , kubelet: ~}\n", "services: {kube-controller: {extra_args: { } } } # c\n",
		"\"services\": {\"kube-controller\":{\"extra_args\":{}}}\n", "services: {kube-controller: {extra_args: null, image: x}}\n",
	} {
		for _, text := range []string{services + rest, rest + services, strings.TrimSuffix(rest+services, "\n"), strings.ReplaceAll(services+rest, "\n", "\r\n")} {
			requireDeletable(t, []byte(text))
			if t.Failed() {
				t.Fatalf("%q", text)
			}
		}
	}
}

// If another writer gave the mapping an anchor, or several lines, it remains a mapping.
func TestDelete_changedMapping_keptEmpty(t *testing.T) {
	for _, c := range []struct{ before, later, after string }{
		{"services:\n  kube-controller: ~\nx: 1\n", "services:\n  kube-controller: &a\n", "services:\n  kube-controller: &a {}\nx: 1\n"},
		{"services: {kube-controller: ~, x: 1}\n", "", ""},
	} {
		e := edit(t, []byte(c.before), enable())
		if c.later == "" {
			lines := strings.Replace(string(e.After), "extra_args", "# mine\n extra_args", 1)
			out := edit(t, []byte(lines), yamltext.Delete(flagPath()...).Pruning(e.Made))
			if !strings.Contains(string(out.After), "# mine") {
				t.Errorf("a comment went:\n%s", out.After)
			}
			requireReversible(t, out)
			continue
		}
		text := strings.Replace(string(e.After), "services:\n  kube-controller:\n", c.later, 1)
		out := edit(t, []byte(text), yamltext.Delete(flagPath()...).Pruning(e.Made))
		same(t, c.before, out.After, []byte(c.after))
		requireReversible(t, out)
	}
}

func requireReversible(t *testing.T, e yamltext.Edit) {
	t.Helper()
	back, err := e.Invert(parse(t, e.After))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "undone", back.After, e.Before)
}
