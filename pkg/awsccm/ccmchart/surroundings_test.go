package ccmchart

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ccmSurroundings holds a rendered CCM's variables, with the content of Secrets, and the
// host's path by mount path.
type ccmSurroundings struct {
	env, host map[string]string
	secret    []string // names of variables whose value is only in a Secret
}

// surroundingsInCCM renders the chart and follows references.
func surroundingsInCCM(t *testing.T, in Inputs) (ccmSurroundings, ChartValues) {
	t.Helper()
	if in.Chart == nil {
		in.Chart = ownChartForTest(t)
	}
	values, err := Values(in)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Render(in.Chart, values.Values, in.KubernetesVersion)
	if err != nil {
		t.Fatal(err)
	}
	set, err := DaemonSetOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	return follow(t, set, objects), values
}

func follow(t *testing.T, set *appsv1.DaemonSet, objects []unstructured.Unstructured) ccmSurroundings {
	t.Helper()
	got := ccmSurroundings{env: map[string]string{}, host: map[string]string{}}
	pod := set.Spec.Template.Spec
	for _, v := range pod.Containers[0].Env {
		got.env[v.Name] = v.Value
		if v.ValueFrom == nil {
			continue
		}
		got.secret = append(got.secret, v.Name)
		for i := range objects {
			if o := &objects[i]; o.GetKind() == "Secret" && o.GetName() == v.ValueFrom.SecretKeyRef.Name {
				text, _, _ := unstructured.NestedString(o.Object, "data", v.ValueFrom.SecretKeyRef.Key)
				raw, err := base64.StdEncoding.DecodeString(text)
				if err != nil {
					t.Fatal(err)
				}
				got.env[v.Name] = string(raw)
			}
		}
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if source := pod.Volumes[i].HostPath; source != nil {
			if got.host[m.MountPath] = source.Path; !m.ReadOnly {
				t.Errorf("%s can be written", m.MountPath)
			}
		}
	}
	return got
}

func inputsWith(s Surroundings) Inputs {
	return Inputs{Distribution: wellknown.RKE, KubernetesVersion: "v1.26.15-rancher1-1", LeaderMigration: true, Surroundings: s}
}

// Each variable and each mount of kube-controller-manager's AWS client reaches the CCM.
func TestValues_surroundings_reachTheCCM(t *testing.T) {
	keys := Bind{Host: "/etc/kubernetes", Path: "/etc/kubernetes"}
	for name, tt := range map[string]struct {
		env    string // NAME=value
		binds  []Bind
		want   string // the value in the CCM, or empty: the same
		host   map[string]string
		secret bool
	}{
		"HTTPS_PROXY":               {env: "HTTPS_PROXY=http://proxy:3128"},
		"HTTP_PROXY":                {env: "HTTP_PROXY=http://proxy:3128"},
		"https_proxy":               {env: "https_proxy=http://proxy:3128"},
		"http_proxy":                {env: "http_proxy=http://proxy:3128"},
		"a proxy's password":        {env: "HTTPS_PROXY=http://user:seCret@proxy:3128", secret: true},
		"access key":                {env: "AWS_ACCESS_KEY_ID=seCret", secret: true},
		"older access key":          {env: "AWS_ACCESS_KEY=seCret", secret: true},
		"secret key":                {env: "AWS_SECRET_ACCESS_KEY=seCret", secret: true},
		"older secret key":          {env: "AWS_SECRET_KEY=seCret", secret: true},
		"session token":             {env: "AWS_SESSION_TOKEN=seCret", secret: true},
		"an unknown token":          {env: "AWS_SOME_TOKEN=seCret", secret: true},
		"AWS_CA_BUNDLE":             {env: "AWS_CA_BUNDLE=/etc/pki/region-ca.pem", binds: []Bind{{Host: "/host/tls.pem", Path: "/etc/pki/region-ca.pem"}}, host: map[string]string{"/etc/pki/region-ca.pem": "/host/tls.pem"}},
		"its directory":             {env: "AWS_CA_BUNDLE=/ca/region/ca.pem", binds: []Bind{{Host: "/host", Path: "/ca"}}, host: map[string]string{"/ca/region": "/host/region"}},
		"only the file":             {env: "AWS_CA_BUNDLE=/etc/kubernetes/ca.pem", binds: []Bind{keys}, host: map[string]string{"/etc/kubernetes/ca.pem": "/etc/kubernetes/ca.pem"}},
		"SSL_CERT_FILE":             {env: "SSL_CERT_FILE=/ca/ca.pem", binds: []Bind{{Host: "/host", Path: "/ca"}}, host: map[string]string{"/ca": "/host"}},
		"SSL_CERT_DIR":              {env: "SSL_CERT_DIR=/ca/a:/ca/b", binds: []Bind{{Host: "/host", Path: "/ca"}}, host: map[string]string{"/ca/a": "/host/a", "/ca/b": "/host/b"}},
		"of the image":              {env: "SSL_CERT_DIR=/etc/ssl/certs"},
		"credentials":               {env: "AWS_SHARED_CREDENTIALS_FILE=/root/.aws/credentials", binds: []Bind{{Host: "/root/.aws", Path: "/root/.aws"}}, want: "/etc/awsmigrate/root/.aws/credentials", host: map[string]string{"/etc/awsmigrate/root/.aws": "/root/.aws"}},
		"older switch":              {env: "AWS_SDK_LOAD_CONFIG=1"},
		"AWS_CONFIG_FILE":           {env: "AWS_CONFIG_FILE=/cfg/config", binds: []Bind{{Host: "/host", Path: "/cfg"}}, host: map[string]string{"/cfg": "/host"}},
		"a token":                   {env: "AWS_WEB_IDENTITY_TOKEN_FILE=/tok/token", binds: []Bind{{Host: "/host", Path: "/tok"}}, host: map[string]string{"/tok": "/host"}},
		"AWS_PROFILE":               {env: "AWS_PROFILE=cluster"},
		"AWS_ROLE_ARN":              {env: "AWS_ROLE_ARN=arn:aws:iam::1:role/a"},
		"AWS_REGION":                {env: "AWS_REGION=eu-west-1"},
		"AWS_STS_REGIONAL":          {env: "AWS_STS_REGIONAL_ENDPOINTS=regional"},
		"AWS_USE_FIPS_ENDPOINT":     {env: "AWS_USE_FIPS_ENDPOINT=true"},
		"AWS_USE_DUALSTACK":         {env: "AWS_USE_DUALSTACK_ENDPOINT=true"},
		"AWS_ENDPOINT_URL_EC2":      {env: "AWS_ENDPOINT_URL_EC2=https://ec2.example"},
		"AWS_EC2_METADATA":          {env: "AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:1"},
		"a reference is no text":    {env: "AWS_PROFILE=$(A)", want: "$$(A)"},
		"the trust store":           {binds: []Bind{{Host: "/host/certs", Path: "/etc/ssl/certs"}}, host: map[string]string{"/etc/ssl/certs": "/host/certs"}},
		"~/.aws without a variable": {binds: []Bind{{Host: "/home/a/.aws", Path: "/root/.aws"}}, host: map[string]string{"/etc/awsmigrate/root/.aws": "/home/a/.aws"}},
	} {
		t.Run(name, func(t *testing.T) {
			variable, value, _ := strings.Cut(tt.env, "=")
			s := Surroundings{Binds: append(tt.binds, Bind{Host: "/var/log", Path: "/var/log"}), Literal: true}
			if variable != "" {
				s.Env = []Variable{{variable, value}, {"FILE_HASH", "x"}, {"EMPTY", ""}}
			}
			got, values := surroundingsInCCM(t, inputsWith(s))
			if tt.want != "" {
				value = tt.want
			}
			if variable != "" && got.env[variable] != value || slices.Contains(got.secret, variable) != tt.secret {
				t.Errorf("%s is %q; only in a Secret: %v", variable, got.env[variable], got.secret)
			}
			if fmt.Sprint(got.host) != fmt.Sprint(tt.host) && len(got.host)+len(tt.host) > 0 {
				t.Errorf("host paths %v", got.host)
			}
			if _, found := got.env["FILE_HASH"]; found || len(values.Carried) == 0 || strings.Contains(fmt.Sprintf("%v %+v %#v", values.Carried, values.Concerns, s), "seCret") {
				t.Errorf("%v %q %v", got.env, values.Carried, values.Concerns)
			}
		})
	}
}

// kube-controller-manager reads both files of ~/.aws without being asked to.
func TestValues_awsDirectory_bothFiles(t *testing.T) {
	home := Bind{Host: "/home/a/.aws", Path: "/root/.aws"}
	for name, tt := range map[string]struct {
		env  []Variable
		bind Bind
		want [2]string // credentials, config
	}{
		"a directory":        {nil, home, [2]string{"/etc/awsmigrate/root/.aws/credentials", "/etc/awsmigrate/root/.aws/config"}},
		"another config":     {[]Variable{{"AWS_CONFIG_FILE", "/etc/ssl/aws"}}, home, [2]string{"/etc/awsmigrate/root/.aws/credentials", "/etc/ssl/aws"}},
		"other credentials":  {[]Variable{{"AWS_SHARED_CREDENTIALS_FILE", "/etc/ssl/aws"}}, home, [2]string{"/etc/ssl/aws", "/etc/awsmigrate/root/.aws/config"}},
		"only a credentials": {nil, Bind{Host: "/k", Path: "/root/.aws/credentials"}, [2]string{"/etc/awsmigrate/root/.aws/credentials", ""}},
	} {
		got, _ := surroundingsInCCM(t, inputsWith(Surroundings{Env: tt.env, Binds: []Bind{tt.bind}}))
		if have := [2]string{got.env["AWS_SHARED_CREDENTIALS_FILE"], got.env["AWS_CONFIG_FILE"]}; have != tt.want {
			t.Errorf("%s: %q", name, have)
		}
	}
}

// The CCM reaches the API server by its Service, which a proxy may not serve.
func TestValues_proxy_exemptsAPIServer(t *testing.T) {
	for name, tt := range map[string]struct {
		env  []Variable
		user []any
		want map[string]string
	}{
		"no exceptions":   {[]Variable{{"HTTPS_PROXY", "p"}}, nil, map[string]string{"NO_PROXY": "$(KUBERNETES_SERVICE_HOST)"}},
		"exceptions":      {[]Variable{{"HTTPS_PROXY", "p"}, {"NO_PROXY", "a"}}, nil, map[string]string{"NO_PROXY": "a,$(KUBERNETES_SERVICE_HOST)"}},
		"lower case":      {[]Variable{{"https_proxy", "p"}, {"no_proxy", "a"}}, nil, map[string]string{"no_proxy": "a,$(KUBERNETES_SERVICE_HOST)", "NO_PROXY": ""}},
		"no proxy":        {[]Variable{{"NO_PROXY", "a"}}, nil, map[string]string{"NO_PROXY": ""}},
		"the user's":      {[]Variable{{"HTTPS_PROXY", "p"}}, []any{map[string]any{"name": "NO_PROXY", "value": "u"}}, map[string]string{"NO_PROXY": "u", "HTTPS_PROXY": "p"}},
		"the user's own":  {[]Variable{{"HTTPS_PROXY", "p"}}, []any{map[string]any{"name": "HTTPS_PROXY", "value": "u"}}, map[string]string{"HTTPS_PROXY": "u", "NO_PROXY": ""}},
		"the user's more": {[]Variable{{"AWS_PROFILE", "p"}}, []any{map[string]any{"name": "A", "value": "u"}}, map[string]string{"AWS_PROFILE": "p", "A": "u"}},
	} {
		in := inputsWith(Surroundings{Env: tt.env})
		if tt.user != nil {
			in.UserValues = map[string]any{"env": tt.user}
		}
		got, _ := surroundingsInCCM(t, in)
		for variable, want := range tt.want {
			if got.env[variable] != want {
				t.Errorf("%s: %s is %q", name, variable, got.env[variable])
			}
		}
	}
}

// The usual directories of RKE2 are mounted only if the image's trust store cannot be enough.
func TestValues_usualTrustStore_onlyIfNeeded(t *testing.T) {
	usual := []Bind{{Host: "/etc/ssl/certs", Path: "/etc/ssl/certs", Usual: true}}
	for name, tt := range map[string]struct {
		change func(*Inputs)
		want   bool
	}{
		"every cluster":     {func(*Inputs) {}, false},
		"a private region":  {func(in *Inputs) { in.TrustHost = true }, true},
		"a proxy":           {func(in *Inputs) { in.Surroundings.Env = []Variable{{"HTTPS_PROXY", "p"}} }, true},
		"another endpoint":  {func(in *Inputs) { in.CloudConfig = "[Global]\n[ServiceOverride \"1\"]\nService = ec2\n" }, true},
		"an ordinary value": {func(in *Inputs) { in.Surroundings.Env = []Variable{{"AWS_PROFILE", "p"}} }, false},
	} {
		in := inputsWith(Surroundings{Binds: usual})
		tt.change(&in)
		got, _ := surroundingsInCCM(t, in)
		if (got.host["/etc/ssl/certs"] != "") != tt.want {
			t.Errorf("%s: %v", name, got.host)
		}
	}
}

// Surroundings that cannot be carried over are findings, which stop a run before its first write.
func TestValues_surroundings_concerns(t *testing.T) {
	for name, tt := range map[string]struct {
		env   []Variable
		in    func(*Inputs)
		block bool
		says  string // of a concern, or empty if there is no concern
	}{
		"none":                       {env: []Variable{{"AWS_REGION", "a"}}},
		"a file that no mount has":   {env: []Variable{{"AWS_CA_BUNDLE", "/ca.pem"}}, block: true, says: "no host path"},
		"a value in a document":      {env: []Variable{{"AWS_SECRET_ACCESS_KEY", "seCret"}}, in: func(in *Inputs) { in.Document = true }, block: true, says: "additional manifest"},
		"control planes that differ": {in: func(in *Inputs) { in.Differ = []string{"HTTPS_PROXY"} }, block: true, says: "differs"},
		"the user decides": {in: func(in *Inputs) {
			in.Differ = []string{"A"}
			in.UserValues = map[string]any{"env": []any{map[string]any{"name": "A"}}}
		}},
		"a file of root":              {env: []Variable{{"AWS_SHARED_CREDENTIALS_FILE", "/c/credentials"}}, in: func(in *Inputs) { in.Surroundings.Binds = []Bind{{Host: "/c", Path: "/c"}} }, says: "65532"},
		"only SDK v1, image with v1":  {env: []Variable{{"AWS_STS_REGIONAL_ENDPOINTS", "regional"}}, in: func(in *Inputs) { in.KubernetesVersion, in.Image = "v1.29.9+rke2r1", "v1.29.8" }},
		"only SDK v1, image with v2":  {env: []Variable{{"AWS_STS_REGIONAL_ENDPOINTS", "regional"}}, in: func(in *Inputs) { in.KubernetesVersion, in.Image = "v1.29.9+rke2r1", "v1.29.9" }, says: "which ignores it"},
		"only SDK v2, image with v1":  {env: []Variable{{"AWS_ENDPOINT_URL_EC2", "https://e"}}, says: "images with AWS SDK v2 follow it"},
		"only SDK v2, image with v2":  {env: []Variable{{"AWS_ENDPOINT_URL_EC2", "https://e"}}, in: func(in *Inputs) { in.KubernetesVersion = "v1.33.1+rke2r1" }, says: "which follows it"},
		"read by both, image with v2": {env: []Variable{{"AWS_CA_BUNDLE", "/etc/ssl/certs/a.pem"}}, in: func(in *Inputs) { in.KubernetesVersion = "v1.33.1+rke2r1" }},
	} {
		in := inputsWith(Surroundings{Env: tt.env})
		if tt.in != nil {
			tt.in(&in)
		}
		out, err := Values(in)
		text := fmt.Sprintf("%+v", out.Concerns)
		if (err != nil) != tt.block || !strings.Contains(text, tt.says) || tt.says == "" && len(out.Concerns) > 0 {
			t.Errorf("%s: %v %s", name, err, text)
		}
		if f, ok := fault.As(err); ok && (f.Fix == "" || strings.Contains(f.Fix, "take out")) || strings.Contains(text+fmt.Sprint(err), "seCret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStaticPodSurroundings(t *testing.T) {
	got := StaticPodSurroundings(downstream.Container{Env: []downstream.Variable{{Name: "HTTPS_PROXY", Value: "p"}}, Mounts: []downstream.Mount{
		{Path: "/etc/ssl/certs", Kind: "HostPath", Name: "/etc/ssl/certs"}, {Path: "/etc/ssl/certs", Kind: "HostPath", Name: "/opt/certs"},
		{Path: "/ca", Kind: "HostPath", Name: "/ca"}, {Path: "/x", Kind: "Secret", Name: "x"}}})
	want := Surroundings{Env: []Variable{{Name: "HTTPS_PROXY", Value: "p"}}, Binds: []Bind{
		{Host: "/etc/ssl/certs", Path: "/etc/ssl/certs", Usual: true}, {Host: "/opt/certs", Path: "/etc/ssl/certs"}, {Host: "/ca", Path: "/ca"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A variable with the same value everywhere does not differ, and one that no AWS client reads may.
func TestMerge_twoManagers(t *testing.T) {
	one := Surroundings{Env: []Variable{{"HTTPS_PROXY", "a"}, {"FILE_HASH", "1"}}, Binds: []Bind{{Host: "/a", Path: "/a"}}}
	two := Surroundings{Env: []Variable{{"HTTPS_PROXY", "b"}, {"FILE_HASH", "2"}, {"AWS_REGION", "r"}}, Binds: []Bind{{Host: "/a", Path: "/a"}, {Host: "/b", Path: "/b"}}}
	merged, differ := one.Merge(two)
	if len(merged.Env) != 3 || merged.Env[0].Value != "a" || len(merged.Binds) != 2 || fmt.Sprint(differ) != "[HTTPS_PROXY]" {
		t.Errorf("%v %v", merged, differ)
	}
	if same, differ := one.Merge(one); len(differ) > 0 || len(same.Env) != 2 {
		t.Errorf("%v %v", same, differ)
	}
}

// The plan of an installation shows the names of secret variables, and no value.
func TestDiff_secretEnvironment_hidden(t *testing.T) {
	in := inputsWith(Surroundings{Env: []Variable{{"AWS_SECRET_ACCESS_KEY", "seCret"}, {"HTTPS_PROXY", "http://u:seCret@p"}}})
	in.Chart = ownChartForTest(t)
	values, err := Values(in)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Render(in.Chart, values.Values, in.KubernetesVersion)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := Diff(nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(changes)
	if err != nil || strings.Contains(string(text), "seCret") || strings.Contains(string(text), base64.StdEncoding.EncodeToString([]byte("seCret"))) || !strings.Contains(string(text), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("%v %s", err, text)
	}
}
