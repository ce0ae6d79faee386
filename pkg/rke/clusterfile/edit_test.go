package clusterfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
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

func flagPath() []string {
	return []string{"services", "kube-controller", "extra_args", "enable-leader-migration"}
}

func enable() yamltext.Change { return yamltext.Set("true", yamltext.Quoted, flagPath()...) }

func switchTo(made yamltext.Made) []yamltext.Change {
	return []yamltext.Change{
		yamltext.Set("external-aws", yamltext.Plain, "cloud_provider", "name"),
		yamltext.Set("true", yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname"),
		yamltext.Delete("cloud_provider", "awsCloudProvider"),
		yamltext.Delete(flagPath()...).Pruning(made),
	}
}

func parse(t testing.TB, text []byte) *clusterfile.File {
	t.Helper()
	f, err := clusterfile.Parse("cluster.yml", text)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	return f
}

func edit(t testing.TB, text []byte, changes ...yamltext.Change) clusterfile.Edit {
	t.Helper()
	e, err := parse(t, text).Edit(changes...)
	if err != nil {
		t.Fatalf("Edit: %v\n%s", err, text)
	}
	return e
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")))
	}
}

// samples returns texts of cluster.yml in many styles.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("yamltext/testdata/golden/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("samples: %d, %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(raw), "=== ")[1:] {
			_, text, _ := strings.Cut(part, "\n")
			all[filepath.Base(f)+" "+string(rune('0'+i))] = []byte(text)
		}
	}
	return all
}

// requireReadable checks that rke reads the result of an edit as intended, and that the edit
// can be undone.
func requireReadable(t testing.TB, e clusterfile.Edit) *clusterfile.File {
	t.Helper()
	after := parse(t, e.After)
	back, err := e.Invert(after)
	if err != nil {
		t.Fatalf("%v\n%s", err, e.Diff())
	}
	same(t, "undone", back.After, e.Before)
	return after
}

func TestEdit_samples_readByRKE(t *testing.T) {
	for name, text := range samples(t) {
		first := edit(t, text, enable())
		if c := requireReadable(t, first).Config(); c.Services.KubeController.ExtraArgs["enable-leader-migration"] != "true" {
			t.Errorf("%s: %+v", name, c.Services.KubeController)
		}
		second := edit(t, first.After, switchTo(first.Made)...)
		c := requireReadable(t, second).Config()
		_, flagged := c.Services.KubeController.ExtraArgs["enable-leader-migration"]
		if metadata := c.CloudProvider.UseInstanceMetadataHostname; flagged || c.CloudProvider.Name != "external-aws" || c.CloudProvider.AWS != nil || metadata == nil || !*metadata {
			t.Errorf("%s: %+v", name, c.CloudProvider)
		}
	}
}

// Valid YAML may still be a text that rke rejects.
func TestEdit_unreadableForRKE_refused(t *testing.T) {
	_, err := parse(t, []byte(withAWS)).Edit(yamltext.Set("x", yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname"))
	if bad, is := fault.As(err); !is || bad.Reason != clusterfile.ReasonNotForRKE || !strings.HasPrefix(bad.Object, "cluster.yml") {
		t.Errorf("%v", err)
	}
}

// FuzzFile reads any text, and makes a migration's edits if it can be edited.
func FuzzFile(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := clusterfile.Parse("cluster.yml", text)
		if err != nil {
			isRefusal(t, err)
			return
		}
		for _, changes := range [][]yamltext.Change{{enable()}, switchTo(yamltext.Made{})} {
			e, err := file.Edit(changes...)
			if err != nil {
				isRefusal(t, err)
				continue
			}
			requireReadable(t, e)
		}
	})
}

func isRefusal(t *testing.T, err error) {
	t.Helper()
	bad, ok := fault.As(err)
	if !ok || bad.Class != fault.Usage || bad.Seen == "" || !strings.HasPrefix(bad.Reason, "ClusterFile") || !strings.HasPrefix(bad.Object, "cluster.yml") {
		t.Errorf("no refusal: %#v", err)
	}
}
