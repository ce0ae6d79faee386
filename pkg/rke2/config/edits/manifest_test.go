package edits

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	k8syaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

func ccm() Chart { return Chart{Namespace: "kube-system", Name: "aws-cloud-controller-manager"} }

const chartDoc = `apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata:
  name: aws-cloud-controller-manager
  namespace: kube-system
spec:
  bootstrap: true
  chartContent: H4sIAAAA<&>
`

const chartDocWithout = `apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata:
  name: aws-cloud-controller-manager
  namespace: kube-system
spec:
  bootstrap: false
`

func withManifest(t testing.TB, text string, there bool) (map[string]any, config.Spec) {
	t.Helper()
	rke := map[string]any{}
	if there {
		rke["additionalManifest"] = text
	}
	return rke, parse(t, rke)
}

func TestSetChartManifest(t *testing.T) {
	user := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, before string
		absent       bool
		want         string
	}{
		{name: "absent", absent: true, want: chartDoc},
		{name: "empty", want: chartDoc},
		{name: "blank", before: "\n", want: "\n" + chartDoc},
		{name: "one document", before: user, want: user + "---\n" + chartDoc},
		{name: "no last line break", before: strings.TrimSuffix(user, "\n"), want: user + "---\n" + chartDoc},
		{name: "separator at the end", before: user + "---\n", want: user + "---\n" + chartDoc},
		{name: "separator without line break at the end", before: user + "---", want: user + "---\n---\n" + chartDoc},
		{name: "CRLF", before: "a: 1\r\n---\r\nb: 2\r\n", want: "a: 1\r\n---\r\nb: 2\r\n---\r\n" + chartDoc},
		{name: "CRLF, no last line break", before: "a: 1\r\nb: 2", want: "a: 1\r\nb: 2\r\n---\r\n" + chartDoc},
		{name: "comments", before: "# mine\n---\n# only words\n", want: "# mine\n---\n# only words\n---\n" + chartDoc},
		{name: "dashes inside a block", before: "a: |\n  ---\n  b\n", want: "a: |\n  ---\n  b\n---\n" + chartDoc},
		{name: "a chart of another name", before: strings.Replace(chartDoc, "name: aws-", "name: my-aws-", 1), want: strings.Replace(chartDoc, "name: aws-", "name: my-aws-", 1) + "---\n" + chartDoc},
		{name: "a chart of another namespace", before: strings.Replace(chartDoc, "kube-system", "other", 1), want: strings.Replace(chartDoc, "kube-system", "other", 1) + "---\n" + chartDoc},
	} {
		t.Run(c.name, func(t *testing.T) {
			rke, s := withManifest(t, c.before, !c.absent)
			e, err := SetChartManifest(s, ccm(), "# a comment that is not written\n"+chartDoc)
			if err != nil {
				t.Fatal(err)
			}
			after, err := e.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			if after.AdditionalManifest != c.want {
				t.Errorf("got %q\nwant %q", after.AdditionalManifest, c.want)
			}
			checkEdit(t, rke, s, e)
			if strings.Contains(e.Diff(), "ConfigMap") {
				t.Errorf("the diff shows the user's documents: %s", e.Diff())
			}
			again, err := SetChartManifest(after, ccm(), chartDoc)
			if err != nil || !again.Empty() {
				t.Errorf("a second time changes %q, error %v", again.Diff(), err)
			}
		})
	}
}

func TestReplaceChartManifest(t *testing.T) {
	for _, c := range []struct{ name, head, tail string }{
		{"alone", "", ""},
		{"in the middle", "a: 1\n---\n# before\n\n", "\n# after\n---\nb: 2"},
		{"first, CRLF behind", "# head\n", "---\r\nb: 2\r\n"},
		{"indented comments around", "a: 1\n---   # note\n  # before\n", "# after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, s := withManifest(t, c.head+chartDoc+c.tail, true)
			e, err := SetChartManifest(s, ccm(), chartDocWithout)
			if err != nil {
				t.Fatal(err)
			}
			after, err := e.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.head + chartDocWithout + c.tail; after.AdditionalManifest != want {
				t.Errorf("got %q\nwant %q", after.AdditionalManifest, want)
			}
			got, found, err := ChartManifest(after, ccm())
			if err != nil || !found || got != chartDocWithout {
				t.Errorf("found %v, error %v: %q", found, err, got)
			}
			_, err = e.Inverse().Edit(after)
			wantFault(t, err, fault.Check, "NeedsDocument")
			restored, err := SetChartManifest(after, ccm(), chartDoc)
			if err != nil {
				t.Fatal(err)
			}
			back, err := restored.Apply(after)
			if err != nil || back.AdditionalManifest != s.AdditionalManifest {
				t.Errorf("back: %q, error %v", back.AdditionalManifest, err)
			}
			if twice, err := e.Inverse().Edit(back); err != nil || !twice.Empty() {
				t.Errorf("inverse when the old document is back: %v, error %v", twice.Diff(), err)
			}
		})
	}
}

func TestRemoveChartManifest(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"not there", "a: 1\n", "a: 1\n"},
		{"alone", chartDoc, ""},
		{"last", "a: 1\n---\n" + chartDoc, "a: 1\n"},
		{"in the middle", "a: 1\n---\n" + chartDoc + "---\nb: 2", "a: 1\n---\nb: 2"},
		{"first", chartDoc + "---\nb: 2\n", "---\nb: 2\n"},
		{"with comments of the user", "a: 1\n---\n# mine\n" + chartDoc + "# too\n", "a: 1\n---\n# mine\n# too\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, s := withManifest(t, c.before, true)
			e, err := RemoveChartManifest(s, ccm())
			if err != nil {
				t.Fatal(err)
			}
			after, err := e.Apply(s)
			if err != nil || after.AdditionalManifest != c.want {
				t.Errorf("got %q, error %v\nwant %q", after.AdditionalManifest, err, c.want)
			}
			if ok, missing := e.AppliedIn(after); !ok {
				t.Errorf("missing %v", missing)
			}
		})
	}
}

func TestManifestRefusals(t *testing.T) {
	for _, c := range []struct{ name, before, reason string }{
		{"twice", chartDoc + "---\n" + chartDoc, "ChartTwice"},
		{"in a list", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: helm.cattle.io/v1\n  kind: HelmChart\n  metadata: {name: aws-cloud-controller-manager}\n", "ChartInList"},
		{"not YAML", "a: [\n", "UnreadableManifest"},
		{"text after the separator", "a: 1\n--- b: 2\n", "UnreadableManifest"},
		{"a scalar", "just words\n", "UnreadableManifest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, s := withManifest(t, c.before, true)
			_, err := SetChartManifest(s, ccm(), chartDoc)
			wantFault(t, err, fault.Check, c.reason)
			_, err = RemoveChartManifest(s, ccm())
			wantFault(t, err, fault.Check, c.reason)
		})
	}
	_, s := withManifest(t, "", true)
	for _, bad := range []string{"", "a: 1\n", chartDoc + "---\na: 1\n", "a: 1\n---\n" + chartDoc} {
		_, err := SetChartManifest(s, ccm(), bad)
		wantFault(t, err, fault.Unexpected, "BadChartDocument")
	}
}

// TestUndoManifestMeanwhile undoes an edit of a manifest that another writer changed.
func TestUndoManifestMeanwhile(t *testing.T) {
	_, s := withManifest(t, "a: 1", true)
	e, err := SetChartManifest(s, ccm(), chartDoc)
	if err != nil {
		t.Fatal(err)
	}
	inv := stored(t, e.Inverse())
	for _, c := range []struct{ name, now, want, reason string }{
		{name: "as written", now: "a: 1\n---\n" + chartDoc, want: "a: 1"},
		{name: "a document behind ours", now: "a: 1\n---\n" + chartDoc + "---\nb: 2\n", want: "a: 1\n---\nb: 2\n"},
		{name: "a document before ours", now: "z: 0\n---\na: 1\n---\n" + chartDoc, want: "z: 0\n---\na: 1"},
		{name: "a comment behind ours", now: "a: 1\n---\n" + chartDoc + "# mine\n", want: "a: 1\n---\n# mine\n"},
		{name: "gone already", now: "a: 1\n", want: "a: 1\n"},
		{name: "ours was edited", now: "a: 1\n---\n" + strings.Replace(chartDoc, "true", "false", 1), reason: "EditMoved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, now := withManifest(t, c.now, true)
			back, err := inv.Edit(now)
			if c.reason != "" {
				wantFault(t, err, fault.Stale, c.reason)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after, err := back.Apply(now)
			if err != nil || after.AdditionalManifest != c.want {
				t.Errorf("got %q, error %v\nwant %q", after.AdditionalManifest, err, c.want)
			}
		})
	}
}

// contents returns a manifest without the empty documents at its end.
func contents(manifest string) string {
	lines := strings.Split(manifest, "\n")
	for len(lines) > 0 && strings.TrimSpace(strings.TrimPrefix(lines[len(lines)-1], "---")) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\r")
}

// FuzzManifest checks that any manifest is refused, or that the chart can be added and removed
// and every other byte remains.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{"", "\n", "a: 1", "a: 1\r\n---\r\n", "# c\n---\n", "---\n---\n", "a: |\n  x\n---", "\ufeffa: 1\n",
		chartDoc, "a: 1\n---\n# x\n" + chartDoc + "# y\n---\nb: 2\n", "%YAML 1.2\n---\na: 1\n", "a: 1\n...\n", " # x\n", "--- #\n", "--- \n", "a: &x 1\nb: *x\n", "{}\n", "\x00", "a: 1\r", "\xff\xfe#", "#\n\xff\xfe",
		"---\n \n", "a: 1\n--- \n \r\n", "---\n\u2028\n", "---\v\n", "a: |+\n  x\n  \n---\n\n \n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := config.Spec{Object: "Cluster fleet-default/demo", Root: "/spec/rkeConfig", AdditionalManifest: text, HasManifest: true}
		_, had, err := ChartManifest(s, ccm())
		if err != nil {
			if _, ok := fault.As(err); !ok {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		e, err := SetChartManifest(s, ccm(), chartDoc)
		if err != nil {
			// Unreadable only if our document follows, or readable and changed by it.
			if f, ok := fault.As(err); !ok || f.Class != fault.Check || f.Reason != "ManifestNotSafe" && f.Reason != "UnreadableManifest" {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}
		after, err := e.Apply(s)
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := ChartManifest(after, ccm())
		if err != nil || !found || strings.TrimSuffix(got, "\n") != strings.TrimSuffix(chartDoc, "\n") {
			t.Fatalf("wrote %q, found %v %q, error %v", after.AdditionalManifest, found, got, err)
		}
		if had {
			return
		}
		if !strings.HasPrefix(after.AdditionalManifest, text) || !strings.HasSuffix(after.AdditionalManifest, chartDoc) {
			t.Fatalf("%q became %q", text, after.AdditionalManifest)
		}
		undo, err := e.Inverse().Edit(after)
		if err != nil {
			t.Fatal(err)
		}
		back, err := undo.Apply(after)
		if err != nil || back.AdditionalManifest != text {
			t.Fatalf("%q came back as %q, error %v", text, back.AdditionalManifest, err)
		}
		out, err := RemoveChartManifest(after, ccm())
		if err != nil {
			t.Fatal(err)
		}
		without, err := out.Apply(after)
		if err != nil || contents(without.AdditionalManifest) != contents(text) {
			t.Fatalf("%q without the chart is %q, error %v", text, without.AdditionalManifest, err)
		}
	})
}

// Comments that end in ... are a document only after a separator that RKE2 reads together with
// them.
func TestSetChartManifest_end_marks(t *testing.T) {
	for _, text := range []string{
		"---\n# c\n...\n", "---\n...\n", "--- # x\n# c\n...\n", "---\n---\n---\n# c\n...\n", "kind: A\n---\n---\n# c\n...\n", "kind: A\n...\n", "kind: A\n...\n# c\n", "# c\n",
		"# c\n...\n", "...\n", "\n---\n# c\n...\n", "---\n---\n# c\n...\n", "kind: A\n---\n# c\n...\n", "---\n...\n---\n...\n",
	} {
		s := parse(t, map[string]any{"additionalManifest": text})
		e, err := SetChartManifest(s, ccm(), chartDoc)
		if readable := readsAll(t, text); readable != (err == nil) {
			t.Errorf("%q: RKE2 reads it %t, edit: %v", text, readable, err)
			continue
		}
		if err != nil {
			wantFault(t, err, fault.Check, "UnreadableManifest")
			continue
		}
		after, err := e.Apply(s)
		if err != nil || !readsAll(t, after.AdditionalManifest) {
			t.Errorf("%q: %v, RKE2 cannot read %q", text, err, after.AdditionalManifest)
		}
		checkEdit(t, map[string]any{"additionalManifest": text}, s, e)
	}
}

// readsAll splits and decodes a manifest with the functions that RKE2 uses
// (k3s-io/k3s:pkg/deploy/controller.go).
func readsAll(t testing.TB, text string) bool {
	t.Helper()
	r := k8syaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			t.Fatal(err)
		}
		empty := true
		for _, line := range strings.Split(string(doc), "\n") {
			line = strings.TrimSpace(line)
			empty = empty && (line == "" || line == "---" || line[0] == '#')
		}
		if _, err := k8syaml.ToJSON(doc); err != nil && !empty {
			return false
		}
	}
}
