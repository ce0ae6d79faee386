package yamltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Every edit of every generated file succeeds, has the right meaning, and can be undone to the
// byte.
func TestEdit_generatedFiles_undone(t *testing.T) {
	const files, everySo = 80, 8 // comments with each edit are tested on fewer files
	edits, changed := 0, 0
	for seed := range uint64(files) {
		text := generate(seed)
		f, err := yamltext.Parse("x.yml", text, reader())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for i, changes := range migrationEdits() {
			e, err := f.Edit(changes...)
			if err != nil {
				t.Fatalf("seed %d, order %d: refused: %v\n%s", seed, i, err, text)
			}
			edits++
			if !e.Empty() {
				changed++
			}
			holds(t, e)
			if seed%everySo == 0 {
				undoWithLaterLines(t, e)
				editWithComments(t, e)
			}
			if t.Failed() {
				t.Fatalf("seed %d, order %d:\n%s", seed, i, text)
			}
		}
	}
	t.Logf("%d edits, %d of them changed something", edits, changed)
	if changed < edits/2 {
		t.Errorf("of %d edits only %d changed something", edits, changed)
	}
}

// Makes and undoes whole migrations on generated files, step by step.
func TestEdit_generatedMigrations_undone(t *testing.T) {
	for seed := range uint64(25) {
		before := generate(1_000_000 + seed)
		requireDeletable(t, before)
		first := edit(t, before, enable())
		second := edit(t, first.After, switchTo(first.Made)...)
		third := edit(t, second.After, yamltext.Set("v1.27.16-rancher1-1", yamltext.Plain, "kubernetes_version"))
		for _, e := range []yamltext.Edit{third, second, first} {
			holds(t, e)
		}
		v := meaning(t, third.After)
		switch {
		case reaches(v, flagPath()), reaches(v, []string{"cloud_provider", "awsCloudProvider"}),
			lookup(v, []string{"cloud_provider", "name"}) != "external-aws",
			lookup(v, []string{"cloud_provider", "useInstanceMetadataHostname"}) != true,
			lookup(v, []string{"kubernetes_version"}) != "v1.27.16-rancher1-1":
			t.Fatalf("seed %d:\n%s", seed, third.After)
		}
	}
}

func TestEdit_largeAddons(t *testing.T) {
	var b strings.Builder
	b.WriteString("services:\n  kube-controller:\n    extra_args:\n      v: \"2\"\naddons: |-\n")
	for i := 0; b.Len() < 25<<10; i++ {
		fmt.Fprintf(&b, "  ---\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c%d}\n  # services: {}\n\n  data: {a: '{{ .x }}', b: \"\t\"}\n", i)
	}
	b.WriteString("  cloud_provider:\n    name: gce\n\ncloud_provider:\n  name: aws\n  awsCloudProvider: {}\n")
	first := edit(t, []byte(b.String()), enable())
	second := edit(t, first.After, switchTo(first.Made)...)
	holds(t, first)
	holds(t, second)
	want := strings.Replace(b.String(), "cloud_provider:\n  name: aws\n  awsCloudProvider: {}\n",
		"cloud_provider:\n  useInstanceMetadataHostname: true\n  name: external-aws\n", 1)
	same(t, "migrated", second.After, []byte(want))
	if lines := strings.Count(second.Diff(), "\n"); lines > 25 {
		t.Errorf("a diff of %d lines:\n%s", lines, second.Diff())
	}
}

func TestLiteralValues(t *testing.T) {
	for _, value := range []string{
		"one line", "one line\n", "two\nlines\n", "a\n\nb\n", "trailing\n\n\n", "  leading\nspaces\n", "\nleading break\n",
		"tab\there\n", "é 漢字 \"quotes\" 'x' # {a}\n", "carriage\r\nreturn", "nel\u0085ls\u2028\n", "", " ", "\n", "# comment\n", "---\n...\n", "a: b\n- c\n",
	} {
		for _, text := range []string{
			"cloud_provider:\n  name: aws\n", "cloud_provider: {name: aws}\n", "cloud_provider:\r\n    name: aws", "cloud_provider:",
			"cloud_provider:\n  customCloudProvider: old # c\n  name: aws\n", "cloud_provider:\n  customCloudProvider: >-\n    old\n    # text\n\n  # comment\n  name: aws\n",
			"cloud_provider:\n  name: aws\n  customCloudProvider:", "cloud_provider:\n  customCloudProvider: 'old'", "x: y",
		} {
			e := edit(t, []byte(text), yamltext.Set(value, yamltext.Literal, "cloud_provider", "customCloudProvider"))
			if got := lookup(meaning(t, e.After), []string{"cloud_provider", "customCloudProvider"}); got != value {
				t.Errorf("%q reads %q\n%s", value, got, e.After)
			}
			holds(t, e)
			if strings.Contains(text, "# comment") && !strings.Contains(string(e.After), "\n  # comment\n") {
				t.Errorf("a comment was lost:\n%s", e.Diff())
			}
		}
	}
}
