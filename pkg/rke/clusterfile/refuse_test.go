package clusterfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

const goodText = "services:\n  kube-controller:\n    extra_args:\n      v: \"2\"\ncloud_provider:\n  name: aws\n"

// refused parses and edits a text, and returns the resulting error.
func refused(t *testing.T, text string, changes ...yamltext.Change) *fault.Error {
	t.Helper()
	f, err := clusterfile.Parse("cluster.yml", []byte(text))
	if err == nil {
		var e clusterfile.Edit
		if e, err = f.Edit(changes...); err == nil {
			t.Fatalf("not refused; the edit is\n%s", e.Diff())
		}
		if e.After != nil {
			t.Error("refused, and yet an edit with a text")
		}
	}
	bad, ok := fault.As(err)
	if !ok {
		t.Fatalf("%v is no fault", err)
	}
	if bad.Class != fault.Usage || bad.Seen == "" || bad.Wanted == "" {
		t.Errorf("class %d, seen %q, wanted %q", bad.Class, bad.Seen, bad.Wanted)
	}
	if strings.Contains(bad.Error(), "\n") {
		t.Errorf("more than a line: %q", bad.Error())
	}
	return bad
}

func TestRefused(t *testing.T) {
	set := []yamltext.Change{enable()}
	name := []yamltext.Change{yamltext.Set("external-aws", yamltext.Plain, "cloud_provider", "name")}
	noAWS := []yamltext.Change{yamltext.Delete("cloud_provider", "awsCloudProvider")}
	for _, c := range []struct {
		what, text string
		changes    []yamltext.Change
		reason     string
		line       int // 0 for the whole file
	}{
		{"empty", "", set, clusterfile.ReasonEmpty, 0},
		{"blank", "\n \n", set, clusterfile.ReasonEmpty, 0},
		{"mark alone", "\ufeff", set, clusterfile.ReasonEmpty, 0},
		{"comments alone", "# a\n# b\n", set, clusterfile.ReasonEmpty, 0},
		{"null", "---\n~\n", set, clusterfile.ReasonEmpty, 0},
		{"empty mapping", "{}\n", set, clusterfile.ReasonEmpty, 0},
		{"document start alone", "---\n", set, clusterfile.ReasonEmpty, 0},

		{"a list", "- a\n- b\n", set, clusterfile.ReasonWrongKind, 1},
		{"one word", "services\n", set, clusterfile.ReasonWrongKind, 1},
		{"no YAML", "services:\n  a: [\n", set, clusterfile.ReasonNotYAML, 2},
		{"bad indentation", "services:\n    a: 1\n  b: 2\nc: 3\n", set, clusterfile.ReasonNotYAML, 3},
		{"unclosed quote", "services:\n  a: \"x\n", set, clusterfile.ReasonNotYAML, 2},
		{"latin 1", "services: {}\nname: caf\xe9\n", set, clusterfile.ReasonNotYAML, 2},
		{"UTF-16", "\xff\xfea\x00:\x00 \x001\x00", set, clusterfile.ReasonNotYAML, 1},
		{"NUL", "services: {}\na: \"\x00\"\n", set, clusterfile.ReasonNotYAML, 2},
		{"too long", "services: {}\n#" + strings.Repeat("x", 5<<20), set, clusterfile.ReasonNotYAML, 0},
		{"undefined alias", "services: *a\n", set, clusterfile.ReasonNotYAML, 1},
		{"undefined alias below", "a: 1\nservices: *a\n", set, clusterfile.ReasonNotYAML, 2},
		{"control character", "a: b\nc: d\x01\n", set, clusterfile.ReasonNotYAML, 2},
		{"another YAML", "# x\n%YAML 1.2\n---\na: b\n", set, clusterfile.ReasonNotYAML, 2},
		{"a mapping as a key", "a: b\n? {x: y}\n: z\n", set, clusterfile.ReasonNotYAML, 2},
		{"a merge of text", "a: b\n<<: x\n", set, clusterfile.ReasonNotYAML, 2},
		{"a wrong tag", "a: b\nc: !!float x\n", set, clusterfile.ReasonNotYAML, 2},
		{"a bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f]\n", set, clusterfile.ReasonNotYAML, 0},
		{"a word of a template", "# x\nnodes:\n- address: %master_ip%\n", set, clusterfile.ReasonTemplate, 3},
		{"a word on the first line", "a: %master_ip%\n", set, clusterfile.ReasonTemplate, 1},
		{"a word in place of a list", "a: b\nnodes: __NODES__\n", set, clusterfile.ReasonTemplate, 2},
		{"a placeholder for the version", "a: b\nkubernetes_version: ${K8S}\n", set, clusterfile.ReasonTemplate, 2},
		{"a tab before a comment", "cloud_provider:\n  name: aws\n\t# old\n", set, clusterfile.ReasonTabs, 3},
		{"a tab on a blank line", "a:\n  b: c\n  d: e\n\t\nnodes: []\n", set, clusterfile.ReasonTabs, 4},
		{"a tab below a list", "a:\n- b\n# x\n\t# x\n- c\n", set, clusterfile.ReasonTabs, 4},
		{"a tab in a block", "a:\n  b: |\n    x\n\t# y\nc: d\n", set, clusterfile.ReasonTabs, 4},

		{"tab before a key", "services:\n\tkube-controller: {}\n", set, clusterfile.ReasonTabs, 2},
		{"tab after spaces", "services:\n  kube-controller:\n  \textra_args: {}\n", set, clusterfile.ReasonTabs, 3},

		{"Jinja value", "services: {}\ncluster_name: {{ name }}\n", set, clusterfile.ReasonTemplate, 2},
		{"Jinja block", "services:\n{% if x %}\n  etcd: {}\n{% endif %}\n", set, clusterfile.ReasonTemplate, 2},
		{"Jinja line", "services: {}\n{{ more }}\n", set, clusterfile.ReasonTemplate, 2},
		{"Jinja list item", "nodes:\n  - {{ node }}\n", set, clusterfile.ReasonTemplate, 2},
		{"Jinja in quotes on the path", "cloud_provider:\n  name: \"{{ cloud }}\"\n", name, clusterfile.ReasonTemplate, 2},
		{"shell marker on the path", "cloud_provider:\n  name: ${CLOUD}\n", name, clusterfile.ReasonTemplate, 2},
		{"shell marker as a key", "services: {}\nx: {${A}: ${B}, [c\n", set, clusterfile.ReasonTemplate, 2},
		{"shell marker above the path", "services: ${SERVICES}\n", set, clusterfile.ReasonTemplate, 1},

		{"two documents", goodText + "---\n" + goodText, set, clusterfile.ReasonSeveralDocuments, 7},
		{"a second, empty document", goodText + "---\n", set, clusterfile.ReasonSeveralDocuments, 7},
		{"an empty document first", "---\n---\n" + goodText, set, clusterfile.ReasonSeveralDocuments, 2},

		{"services twice", goodText + "services: {}\n", set, clusterfile.ReasonDuplicateKey, 7},
		{"service twice", "services:\n  kube-controller: {}\n  etcd: {}\n  kube-controller: {}\n", set, clusterfile.ReasonDuplicateKey, 4},
		{"extra_args twice", "services:\n  kube-controller:\n    extra_args: {}\n    'extra_args': {}\n", set, clusterfile.ReasonDuplicateKey, 4},
		{"flag twice", "services:\n  kube-controller:\n    extra_args: {enable-leader-migration: 'false',\n      enable-leader-migration: 'true'}\n", set, clusterfile.ReasonDuplicateKey, 4},
		{"deleted key twice", "cloud_provider:\n  awsCloudProvider: {}\n  awsCloudProvider: {}\n", noAWS, clusterfile.ReasonDuplicateKey, 3},

		{"alias on the path", "x: &x {}\nservices:\n  kube-controller: *x\n", set, clusterfile.ReasonAlias, 3},
		{"alias as the value", "x: &x aws\ncloud_provider:\n  name: *x\n", name, clusterfile.ReasonAlias, 3},
		{"alias as a key", "x: &x etcd\nservices:\n  *x : {}\n", set, clusterfile.ReasonAlias, 3},
		{"merge key on the path", "x: &x {v: '2'}\nservices:\n  kube-controller:\n    extra_args:\n      <<: *x\n", set, clusterfile.ReasonMergeKey, 5},
		{"merge key at the top", "x: &x {a: b}\n<<: *x\ncloud_provider: {}\n", name, clusterfile.ReasonMergeKey, 2},
		{"anchor in use on the path", "services:\n  kube-controller: &kc\n    image: x\n  scheduler: *kc\n", set, clusterfile.ReasonAlias, 2},
		{"anchor in use as the value", "cloud_provider:\n  name: &n aws\n  x: *n\n", name, clusterfile.ReasonForm, 2},
		{"anchor in use in a deleted block", "cloud_provider:\n  awsCloudProvider:\n    global: &g {vpc: x}\n  x: *g\n", noAWS, clusterfile.ReasonAlias, 3},

		{"Rancher's YAML", "docker_root_dir: /x\nrancher_kubernetes_engine_config:\n  services: {}\n", set, clusterfile.ReasonRancherYAML, 2},

		{"services is a list", "services:\n- a\n", set, clusterfile.ReasonNotForRKE, 2},
		{"extra_args is a list", "services:\n  kube-controller:\n    extra_args:\n    - v=2\n", set, clusterfile.ReasonNotForRKE, 4},
		{"quoted boolean", "cloud_provider:\n  useInstanceMetadataHostname: \"true\"\n", name, clusterfile.ReasonNotForRKE, 2},
		{"two wrong kinds", "cloud_provider:\n  useInstanceMetadataHostname: \"true\"\nnodes: x\n", name, clusterfile.ReasonNotForRKE, 2},
		{
			"wrong kind with a custom encryption configuration",
			"services:\n  kube-api:\n    secrets_encryption_config:\n      custom_config: {a: b}\ncloud_provider: x\n", name, clusterfile.ReasonNotForRKE, 0,
		},
		{"value is a mapping", goodText, []yamltext.Change{yamltext.Set("x", yamltext.Plain, "services", "kube-controller")}, clusterfile.ReasonWrongKind, 3},
		{"value on the path is text", goodText, []yamltext.Change{yamltext.Set("x", yamltext.Plain, "cloud_provider", "name", "x")}, clusterfile.ReasonWrongKind, 6},

		{"plain text over two lines", "cloud_provider:\n  name: aws\n    and more\n", name, clusterfile.ReasonMultiLine, 2},
		{"tagged value", "cloud_provider:\n  name: !!str aws\n", name, clusterfile.ReasonForm, 2},
		{"explicit key", "? services\n: kube-controller: {}\n", set, clusterfile.ReasonForm, 1},
		{"tagged key", "!!str services:\n  kube-controller: {}\n", set, clusterfile.ReasonForm, 1},
		{"last key of the file", "cloud_provider: {}\n", []yamltext.Change{yamltext.Delete("cloud_provider")}, clusterfile.ReasonEmpty, 1},
		{"no path", goodText, []yamltext.Change{yamltext.Set("x", yamltext.Plain)}, clusterfile.ReasonForm, 0},
		{"plain value that means something else", goodText, []yamltext.Change{yamltext.Set("a: b", yamltext.Plain, "cloud_provider", "name")}, clusterfile.ReasonNotProven, 6},
		{"plain value that is a comment", goodText, []yamltext.Change{yamltext.Set("a #b", yamltext.Plain, "cloud_provider", "name")}, clusterfile.ReasonNotProven, 6},
		{"plain value of two lines", goodText, []yamltext.Change{yamltext.Set("a\nname: b", yamltext.Plain, "cloud_provider", "x")}, clusterfile.ReasonNotProven, 5},
	} {
		t.Run(c.what, func(t *testing.T) {
			bad := refused(t, c.text, c.changes...)
			object := "cluster.yml"
			if c.line > 0 {
				object = fmt.Sprintf("cluster.yml:%d", c.line)
			}
			if bad.Reason != c.reason || bad.Object != object {
				t.Errorf("%s at %s, wanted %s at %s\n%v", bad.Reason, bad.Object, c.reason, object, bad)
			}
		})
	}
}

// Similar texts that must be accepted.
func TestNotRefused(t *testing.T) {
	for what, text := range map[string]string{
		"template in a block":           goodText + "addons: |\n  {{ .Values.x }}\n  {% if y %}\n",
		"template in quotes elsewhere":  goodText + "cluster_name: \"{{ name }}\"\n",
		"template in a comment":         goodText + "# {{ name }} ${x}\n",
		"tab in a block":                goodText + "addons: |\n  x\n  \ty\n",
		"tab before a comment":          goodText + "cluster_name: a\t# b\n",
		"duplicates off the path":       "services:\n  kubelet:\n    extra_args: {v: '1', v: '2'}\n",
		"duplicate arguments elsewhere": "services:\n  kube-controller:\n    extra_args: {v: '1', v: '2'}\n",
		"Rancher's key deeper":          goodText + "addons: |\n  rancher_kubernetes_engine_config:\n",
		"document start and end":        "---\n" + goodText + "...\n",
		"merge key off the path":        "x: &x {v: '2'}\n" + "services:\n  kubelet:\n    extra_args:\n      <<: *x\n",
		"unknown keys":                  "Cloud_Provider: {}\nx: [1, {a: b}]\n",
		"three dashes inside a block":   goodText + "addons: |\n  ---\n  a: b\n  ---\n",
		"custom tag elsewhere":          "x: !foo bar\n",
		"non-string keys elsewhere":     "1: a\ntrue: b\n" + goodText,
	} {
		t.Run(what, func(t *testing.T) {
			if e := edit(t, []byte(text), enable()); e.Empty() {
				t.Error("nothing was edited")
			}
		})
	}
}

func TestParse_rancherYAML_namesOtherWay(t *testing.T) {
	bad := refused(t, "rancher_kubernetes_engine_config: {}\n")
	if !strings.Contains(bad.Seen, "Rancher manages") || !strings.Contains(bad.Fix, "--cluster") {
		t.Errorf("%v", bad)
	}
}
