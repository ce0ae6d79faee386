package job

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// documents decodes the printed documents.
func documents(t *testing.T, text []byte) []unstructured.Unstructured {
	t.Helper()
	var all []unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var one unstructured.Unstructured
		err := decoder.Decode(&one.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if one.Object != nil { // else comments alone
			all = append(all, one)
		}
	}
}

// same reports whether the printed documents match o: the names of the objects, and the arguments
// that the kubelet passes to the run.
func same(t *testing.T, o Options, text []byte) bool {
	t.Helper()
	got, want := documents(t, text), Objects(o)
	if len(got) != len(want) {
		return false
	}
	for _, one := range got[:len(got)-1] {
		if ns := one.GetNamespace(); ns != "" && ns != o.Namespace && ns != o.home() && ns != o.CloudConfig.Namespace {
			return false
		}
	}
	run := got[len(got)-1]
	containers, _, err := unstructured.NestedSlice(run.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 || run.GetName() != o.jobName() || run.GetNamespace() != o.Namespace {
		return false
	}
	container, _ := containers[0].(map[string]any)
	args, _, _ := unstructured.NestedStringSlice(container, "args")
	if container["image"] != o.Image || len(args) < len(o.Args) {
		return false
	}
	for i, arg := range args[len(args)-len(o.Args):] {
		if expanded(arg) != o.Args[i] {
			return false
		}
	}
	return true
}

// expanded returns an argument as a kubelet passes it, if all variables are defined
// (kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go@v1.26.13).
func expanded(arg string) string {
	var out strings.Builder
	for i := 0; i < len(arg); i++ {
		rest := arg[i+1:]
		switch {
		case arg[i] != '$' || rest == "":
			out.WriteByte(arg[i])
		case rest[0] == '$':
			out.WriteByte('$')
			i++
		case rest[0] == '(' && strings.Contains(rest, ")"):
			out.WriteString("expanded")
			i += strings.IndexByte(rest, ')') + 1
		default:
			out.WriteByte('$')
		}
	}
	return out.String()
}

func TestValidate(t *testing.T) {
	good := Options{Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", Image: "registry.example:5000/a/b_c:v1@sha256:" + strings.Repeat("ab", 32)}
	for name, tt := range map[string]struct {
		change func(*Options)
		flag   string // or empty if it is accepted
	}{
		"as it is":                      {func(*Options) {}, ""},
		"cluster/with dots":             {func(o *Options) { o.Cluster = "prod.eu" }, ""},
		"cluster/upper case":            {func(o *Options) { o.Cluster = "Prod" }, "--cluster"},
		"cluster/dot where it is cut":   {func(o *Options) { o.Cluster = strings.Repeat("x", 42) + "." + strings.Repeat("x", 40) }, ""},
		"cluster/as long as the plan's": {func(o *Options) { o.Cluster = strings.Repeat("x", 250) }, "--cluster"},
		"namespace/another document":    {func(o *Options) { o.Namespace = "a\n---\nkind: ClusterRoleBinding" }, "--namespace"},
		"namespace/with a dot":          {func(o *Options) { o.Namespace = "a.b" }, "--namespace"},
		"namespace/none":                {func(o *Options) { o.Namespace = "" }, "--namespace"},
		"image/blank":                   {func(o *Options) { o.Image = " i:1" }, "--image"},
		"image/upper case":              {func(o *Options) { o.Image = "Registry/Image" }, "--image"},
		"image/scheme":                  {func(o *Options) { o.Image = "https://registry/image" }, "--image"},
		"image/line":                    {func(o *Options) { o.Image = "i:1\n" }, "--image"},
		"image/IPv6":                    {func(o *Options) { o.Image = "[::1]:5000/i:1" }, ""},
		"account/colon":                 {func(o *Options) { o.ServiceAccount = "a:b" }, "--service-account-name"},
		"AWS/slash":                     {func(o *Options) { o.AWSSecret = "a/b" }, "--aws-secret"},
		"downstream/blank":              {func(o *Options) { o.DownstreamSecret = " " }, "--downstream-secret"},
		"cloud config/namespace":        {func(o *Options) { o.CloudConfig = SecretReference{"a.b", "c"} }, "--cloud-config-secret"},
		"cloud config/name":             {func(o *Options) { o.CloudConfig = SecretReference{"a", "C"} }, "--cloud-config-secret"},
		"argument/variable":             {func(o *Options) { o.Args = []string{"--skip", "A=$(POD_NAME) $$ $", "\x1b\u2028\n---\n"} }, ""},
		"argument/not UTF-8":            {func(o *Options) { o.Args = []string{"\xff"} }, "after --"},
		"argument/NUL":                  {func(o *Options) { o.Args = []string{"a\x00"} }, "after --"},
		"distribution":                  {func(o *Options) { o.Distribution = "k3s" }, "--distribution"},
	} {
		o := good
		tt.change(&o)
		text, err := YAML(o)
		f, _ := fault.As(err)
		switch {
		case tt.flag != "" && (f == nil || f.Class != fault.Usage || f.Object != "flag "+tt.flag || f.Wanted == "" || strings.Contains(f.Wanted, "regex") || text != nil):
			t.Errorf("%s: %v, printed %q", name, err, text)
		case tt.flag == "" && (err != nil || !same(t, o, text)):
			t.Errorf("%s: %v, printed\n%s", name, err, text)
		}
	}
}

// FuzzYAML checks that any input is either refused or printed as exactly its objects.
func FuzzYAML(f *testing.F) {
	f.Add("prod", "fleet-default", "i:1", "", "", "", "", "", "$(X)", false)
	f.Add("c-7kq2x", "a\n---\nb", "i:1\n---", "x: y", "&a", "*a", "{}", "[", "\u0085- |", true)
	f.Add("true", "1e3", "null", "0x1", "on", "no", "~", "y", "$$(X)", false)
	f.Fuzz(func(t *testing.T, cluster, namespace, image, account, secret, downstream, cloudNamespace, cloudName, arg string, rke bool) {
		o := Options{Distribution: wellknown.RKE2, Cluster: cluster, Namespace: namespace, Image: image, ServiceAccount: account, AWSSecret: secret,
			DownstreamSecret: downstream, CloudConfig: SecretReference{cloudNamespace, cloudName}, Args: []string{arg}, Plan: []byte(arg), Exits: exits()}
		if rke {
			o.Distribution, o.CloudConfig = wellknown.RKE, SecretReference{}
		}
		text, err := YAML(o)
		if err == nil && !same(t, o, text) || err != nil && (text != nil || fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%v, printed\n%s", err, text)
		}
	})
}
