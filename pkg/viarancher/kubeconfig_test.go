package viarancher

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// configFromSecret returns the configuration from a Secret that holds value.
func configFromSecret(t *testing.T, value []byte) (*rest.Config, error) {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "demo-kubeconfig"}, Data: map[string][]byte{"value": value}}
	return StoredKubeconfig{Kube: fake.NewClientset(secret), Namespace: "fleet-default", Name: "demo", ID: "c-m-1", Clock: clock.RealClock{}}.Config(t.Context())
}

// rancherKubeconfig returns the kubeconfig of the Secret as Rancher writes it
// (rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go@v2.8.5).
func rancherKubeconfig(t *testing.T, server string, ca []byte) []byte {
	t.Helper()
	raw, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"cluster": {Server: server, CertificateAuthorityData: ca}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {Token: "kubeconfig-u-1:secret"}},
		Contexts:       map[string]*clientcmdapi.Context{"default": {Cluster: "cluster", AuthInfo: "user"}},
		CurrentContext: "default",
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func plainKubeconfig(server string) clientcmdv1.Config {
	return clientcmdv1.Config{
		Kind: "Config", APIVersion: "v1", CurrentContext: "default",
		Clusters:  []clientcmdv1.NamedCluster{{Name: "cluster", Cluster: clientcmdv1.Cluster{Server: server}}},
		AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: "user", AuthInfo: clientcmdv1.AuthInfo{Token: "kubeconfig-u-1:secret"}}},
		Contexts:  []clientcmdv1.NamedContext{{Name: "default", Context: clientcmdv1.Context{Cluster: "cluster", AuthInfo: "user"}}},
	}
}

func encoded(t *testing.T, config any) []byte {
	t.Helper()
	raw, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Rancher's kubeconfigs, with their own CA or with a public certificate, load as clientcmd
// loads them. The environment has no influence.
func TestParseKubeconfig_writtenByRancher_likeClientcmd(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer kubeconfig-u-1:secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"major":"1","minor":"26","gitVersion":"v1.26.15"}`))
	}))
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_MASTER", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "https://other.example:1")
	}
	for name, ca := range map[string][]byte{"own CA": ca, "public certificate": nil} {
		raw := rancherKubeconfig(t, server.URL+"/k8s/clusters/c-m-1", ca)
		got, err := configFromSecret(t, raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := clientcmd.RESTConfigFromKubeConfig(raw)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.CAData) == 0 {
			want.CAData = nil
		}
		bare := rest.CopyConfig(got)
		if bare.WrapTransport = nil; !reflect.DeepEqual(bare, rest.CopyConfig(want)) {
			t.Errorf("%s: %v, clientcmd %v", name, got, want)
		}
		if got.Proxy != nil {
			t.Errorf("%s: the proxy must come from the caller's environment, not from the Secret", name)
		}
		if ca == nil {
			continue
		}
		if version, err := kubernetes.NewForConfigOrDie(got).Discovery().ServerVersion(); err != nil || version.Minor != "26" {
			t.Errorf("%s: %v %v", name, version, err)
		}
	}
}

func TestParseKubeconfig_clientCertificate_accepted(t *testing.T) {
	config := plainKubeconfig("https://rancher.example/k8s/clusters/c-m-1")
	config.AuthInfos[0].AuthInfo = clientcmdv1.AuthInfo{ClientCertificateData: []byte("cert"), ClientKeyData: []byte("key")}
	got, err := configFromSecret(t, encoded(t, config))
	if err != nil || got.Host != "https://rancher.example/k8s/clusters/c-m-1" || string(got.CertData) != "cert" || string(got.KeyData) != "key" {
		t.Errorf("%v %v", got, err)
	}
}

// hostileKubeconfigs returns kubeconfigs that run a command or leak a local file if used
// unchecked.
func hostileKubeconfigs(t *testing.T, server, folder string) map[string]clientcmdv1.Config {
	t.Helper()
	local := filepath.Join(folder, "local")
	if err := os.WriteFile(local, []byte("AWS_SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	exec := &clientcmdv1.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: "/bin/sh", InteractiveMode: clientcmdv1.NeverExecInteractiveMode,
		Args: []string{"-c", "id > " + filepath.Join(folder, "executed")}}
	all := map[string]clientcmdv1.Config{}
	for name, change := range map[string]func(*clientcmdv1.Config){
		"exec":      func(c *clientcmdv1.Config) { c.AuthInfos[0].AuthInfo = clientcmdv1.AuthInfo{Exec: exec} },
		"tokenFile": func(c *clientcmdv1.Config) { c.AuthInfos[0].AuthInfo = clientcmdv1.AuthInfo{TokenFile: local} },
		"exec of another user": func(c *clientcmdv1.Config) {
			c.AuthInfos = append(c.AuthInfos, clientcmdv1.NamedAuthInfo{Name: "other", AuthInfo: clientcmdv1.AuthInfo{Exec: exec}})
		},
	} {
		config := plainKubeconfig(server)
		config.Clusters[0].Cluster.InsecureSkipTLSVerify = true
		change(&config)
		all[name] = config
	}
	return all
}

func TestSecretsKubeconfigRunsNothingAndSendsNothing(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		t.Errorf("a request arrived, with Authorization %q", r.Header.Get("Authorization"))
	}))
	defer server.Close()
	folder := t.TempDir()
	for name, config := range hostileKubeconfigs(t, server.URL+"/k8s/clusters/c-m-1", folder) {
		got, err := configFromSecret(t, encoded(t, config))
		if f, ok := fault.As(err); !ok || f.Reason != ReasonRefused || !strings.Contains(f.Fix, "--downstream-kubeconfig") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil { // the requests show what the configuration would do
			_, _ = kubernetes.NewForConfigOrDie(got).Discovery().ServerVersion()
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "executed")); err == nil {
		t.Error("a command of the Secret was executed")
	}
	if requests.Load() != 0 {
		t.Errorf("%d requests were sent", requests.Load())
	}
}

// acceptedFields lists the fields that a kubeconfig from a cluster may have.
var acceptedFields = []string{
	"kind", "apiVersion", "current-context",
	"clusters.name", "clusters.cluster.server", "clusters.cluster.certificate-authority-data",
	"users.name", "users.user.token", "users.user.client-certificate-data", "users.user.client-key-data",
	"contexts.name", "contexts.context.cluster", "contexts.context.user",
}

// Sets every field of client-go's kubeconfig, one at a time: all but the accepted ones are
// refused by name. Fields of a later client-go are covered too.
func TestSecretsKubeconfigFieldByField(t *testing.T) {
	fields := leaves(reflect.TypeFor[clientcmdv1.Config](), "")
	if len(fields) < 30 {
		t.Fatalf("only %d fields: %v", len(fields), fields)
	}
	for _, want := range acceptedFields {
		if !slices.Contains(fields, want) {
			t.Errorf("client-go's kubeconfig has no %s", want)
		}
	}
	for _, field := range fields {
		config := plainKubeconfig("https://rancher.example/k8s/clusters/c-m-1")
		set(reflect.ValueOf(&config).Elem(), strings.Split(field, "."))
		_, err := configFromSecret(t, encoded(t, config))
		f, _ := fault.As(err)
		refused := f != nil && f.Reason == ReasonRefused
		if accepted := slices.Contains(acceptedFields, field); accepted == refused {
			t.Errorf("%s: %v", field, err)
		}
		name := field[strings.LastIndexByte(field, '.')+1:]
		if refused && (!strings.Contains(f.Seen, name) || !strings.Contains(f.Fix, "--downstream-kubeconfig") || f.Class != fault.CouldNotLook) {
			t.Errorf("%s: the error does not name the field or the fix: %v", field, err)
		}
		if refused && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error holds the token: %v", field, err)
		}
	}
}

// leaves returns the fields of a kubeconfig by their names in the file. An extension, a plugin
// or a map counts as one field.
func leaves(of reflect.Type, path string) []string {
	var all []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		kind := of.Field(i).Type
		if kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Struct && kind != reflect.TypeFor[clientcmdv1.NamedExtension]() {
			all = append(all, leaves(kind, path+name+".")...)
			continue
		}
		all = append(all, path+name)
	}
	return all
}

// set gives the named field of v a value unless it has one.
func set(v reflect.Value, path []string) {
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != path[0] {
			continue
		}
		field := v.Field(i)
		if len(path) > 1 {
			if field.Kind() == reflect.Slice {
				field = field.Index(0)
			}
			set(field, path[1:])
			return
		}
		if !field.IsZero() {
			return
		}
		switch {
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.Kind() == reflect.String:
			field.SetString("x")
		case field.Type() == reflect.TypeFor[[]byte]():
			field.SetBytes([]byte("x"))
			if other, ok := map[string]string{"client-key-data": "ClientCertificateData", "client-certificate-data": "ClientKeyData"}[path[0]]; ok {
				v.FieldByName(other).SetBytes([]byte("x"))
			}
		case field.Kind() == reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
			field.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(field.Type().Elem()))
		default:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		}
		return
	}
}

// Unknown fields, and values that a field may not have.
func TestParseKubeconfig_oddFields_refused(t *testing.T) {
	const address = "https://rancher.example/k8s/clusters/c-m-1"
	with := func(change func(*clientcmdv1.Config)) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			config := plainKubeconfig(address)
			change(&config)
			return encoded(t, config)
		}
	}
	server := func(server string) func(*testing.T) []byte {
		return with(func(c *clientcmdv1.Config) { c.Clusters[0].Cluster.Server = server })
	}
	text := func(old, replacement string) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			raw := string(encoded(t, plainKubeconfig(address)))
			if !strings.Contains(raw, old) {
				t.Fatalf("%q is not in %s", old, raw)
			}
			return []byte(strings.Replace(raw, old, replacement, 1))
		}
	}
	tests := []struct {
		name   string
		value  func(*testing.T) []byte
		reason string // empty if it loads
		says   string
	}{
		{"unchanged", with(func(*clientcmdv1.Config) {}), "", ""},
		{"another context that is harmless", with(func(c *clientcmdv1.Config) {
			c.Clusters = append(c.Clusters, clientcmdv1.NamedCluster{Name: "direct", Cluster: clientcmdv1.Cluster{Server: "https://10.0.0.9:6443"}})
			c.Contexts = append(c.Contexts, clientcmdv1.NamedContext{Name: "direct", Context: clientcmdv1.Context{Cluster: "direct", AuthInfo: "user"}})
		}), "", ""},
		{"another cluster without verification", with(func(c *clientcmdv1.Config) {
			c.Clusters = append(c.Clusters, clientcmdv1.NamedCluster{Name: "x", Cluster: clientcmdv1.Cluster{Server: address, InsecureSkipTLSVerify: true}})
		}), ReasonRefused, "clusters[1].cluster.insecure-skip-tls-verify"},
		{"an empty plugin", with(func(c *clientcmdv1.Config) { c.AuthInfos[0].AuthInfo.Exec = &clientcmdv1.ExecConfig{} }), ReasonRefused, "users[0].user.exec"},
		{"a field of a later client", text("    token:", "    token-command: id\n    token:"), ReasonRefused, "token-command"},
		{"upper case", text("    token:", "    TOKENFILE: /etc/passwd\n    token:"), ReasonRefused, "tokenFile"},
		{"duplicate field", text("    token:", "    token: a\n    token:"), ReasonRefused, "token"},
		{"two users of one name", with(func(c *clientcmdv1.Config) { c.AuthInfos = append(c.AuthInfos, c.AuthInfos[0]) }), ReasonRefused, "users"},
		{"no TLS", server("http://rancher.example"), ReasonRefused, "server"},
		{"no scheme", server("rancher.example:443"), ReasonRefused, "server"},
		{"no host", server("https:///k8s"), ReasonRefused, "server"},
		{"a password in the address", server("https://user:hidden@rancher.example"), ReasonRefused, "server"},
		{"a query in the address", server("https://rancher.example/?x=y"), ReasonRefused, "server"},
		{"path of another cluster", server("https://rancher.example/k8s/clusters/c-m-2"), ReasonRefused, "c-m-2"},
		{"path with this one as its prefix", server("https://rancher.example/k8s/clusters/c-m-1/x"), ReasonRefused, "/k8s/clusters/c-m-1/x"},
		{"path with this one as its suffix", server("https://rancher.example/k8s/clusters/xc-m-1"), ReasonRefused, "xc-m-1"},
		{"an address of its own", server("https://10.0.0.9:6443"), ReasonRefused, "https://10.0.0.9:6443"},
		{"a certificate without its key", with(func(c *clientcmdv1.Config) { c.AuthInfos[0].AuthInfo.ClientCertificateData = []byte("x") }), ReasonRefused, "client-key-data"},
		{"no credentials", with(func(c *clientcmdv1.Config) { c.AuthInfos[0].AuthInfo.Token = "" }), ReasonRefused, "token"},
		{"no current context", with(func(c *clientcmdv1.Config) { c.CurrentContext = "" }), "NoDownstreamKubeconfig", "current-context"},
		{"missing current context", with(func(c *clientcmdv1.Config) { c.CurrentContext = "x" }), "NoDownstreamKubeconfig", "current-context"},
		{"missing user", with(func(c *clientcmdv1.Config) { c.Contexts[0].Context.AuthInfo = "x" }), "NoDownstreamKubeconfig", "user"},
		{"missing cluster", with(func(c *clientcmdv1.Config) { c.Contexts[0].Context.Cluster = "x" }), "NoDownstreamKubeconfig", "cluster"},
		{"nothing", func(*testing.T) []byte { return nil }, "NoDownstreamKubeconfig", ""},
		{"junk", func(*testing.T) []byte { return []byte("\x00\x01") }, "NoDownstreamKubeconfig", ""},
		{"another kind", text("kind: Config", "kind: Secret"), "NoDownstreamKubeconfig", "kind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := configFromSecret(t, tt.value(t))
			if tt.reason == "" {
				if err != nil || got.Host != address || got.BearerToken != "kubeconfig-u-1:secret" {
					t.Errorf("%v %v", got, err)
				}
				return
			}
			f, ok := fault.As(err)
			if !ok || f.Reason != tt.reason || !strings.Contains(fmt.Sprint(err), tt.says) || !strings.Contains(f.Fix, "--downstream-kubeconfig") {
				t.Errorf("%v; wanted %s and %q", err, tt.reason, tt.says)
			}
			if strings.Contains(fmt.Sprint(err), "hidden") {
				t.Errorf("the error holds a password: %v", err)
			}
		})
	}
}

func TestParseKubeconfig_json_accepted(t *testing.T) {
	raw, err := json.Marshal(plainKubeconfig("https://rancher.example/k8s/clusters/c-m-1"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := configFromSecret(t, raw); err != nil || got.Host != "https://rancher.example/k8s/clusters/c-m-1" {
		t.Errorf("%v %v", got, err)
	}
}

func TestCurrentContext(t *testing.T) {
	file := func(change func(*clientcmdv1.Config)) clientcmdv1.Config {
		f := clientcmdv1.Config{Kind: "Config", CurrentContext: "a", Contexts: []clientcmdv1.NamedContext{{Name: "a", Context: clientcmdv1.Context{Cluster: "c", AuthInfo: "u"}}},
			Clusters: []clientcmdv1.NamedCluster{{Name: "c", Cluster: clientcmdv1.Cluster{Server: "https://c"}}}, AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: "u", AuthInfo: clientcmdv1.AuthInfo{Token: "t"}}}}
		change(&f)
		return f
	}
	for name, tt := range map[string]struct {
		change func(*clientcmdv1.Config)
		ok     bool
	}{
		"unchanged":       {func(*clientcmdv1.Config) {}, true},
		"no kind":         {func(f *clientcmdv1.Config) { f.Kind = "" }, true},
		"another kind":    {func(f *clientcmdv1.Config) { f.Kind = "Secret" }, false},
		"two contexts":    {func(f *clientcmdv1.Config) { f.Contexts = append(f.Contexts, f.Contexts[0]) }, false},
		"two clusters":    {func(f *clientcmdv1.Config) { f.Clusters = append(f.Clusters, f.Clusters[0]) }, false},
		"two users":       {func(f *clientcmdv1.Config) { f.AuthInfos = append(f.AuthInfos, f.AuthInfos[0]) }, false},
		"another context": {func(f *clientcmdv1.Config) { f.CurrentContext = "b" }, false},
		"another cluster": {func(f *clientcmdv1.Config) { f.Contexts[0].Context.Cluster = "d" }, false},
		"another user":    {func(f *clientcmdv1.Config) { f.Contexts[0].Context.AuthInfo = "v" }, false},
	} {
		cluster, user, err := currentContext(file(tt.change), "Secret a/b")
		if (err == nil) != tt.ok || tt.ok && (cluster.Server != "https://c" || user.Token != "t") {
			t.Errorf("%s: %+v, %+v, %v", name, cluster, user, err)
		}
	}
}
