package kubeconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// A server is found on demand: in the named file, or else as kubectl does; either may name a
// context.
func TestKubeconfigIsFoundAsByKubectl(t *testing.T) {
	folder := t.TempDir()
	write := func(name, host string) string {
		path := filepath.Join(folder, name)
		text := `{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"u"}},{"name":"b","context":{"cluster":"b","user":"u"}}],` +
			`"clusters":[{"name":"a","cluster":{"server":"https://` + host + `"}},{"name":"b","cluster":{"server":"https://b.` + host + `"}}],"users":[{"name":"u","user":{"token":"t"}}]}`
		if host == "" {
			text = ""
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	named, usual, empty := write("named", "named.example"), write("usual", "usual.example"), write("empty", "")
	t.Setenv("KUBECONFIG", usual)
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1") // as in a pod
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	for name, tt := range map[string]struct{ path, context, host string }{
		"named":                         {named, "", "https://named.example"},
		"named, another context":        {named, "b", "https://b.named.example"},
		"of the environment":            {"", "", "https://usual.example"},
		"of the environment, a context": {"", "b", "https://b.usual.example"},
		"no such context":               {named, "c", ""},
		"no such file":                  {filepath.Join(folder, "none"), "", ""},
		"a file that says nothing":      {empty, "", ""},
	} {
		config, err := Server(tt.path, tt.context).Load()
		if tt.host == "" {
			if f, ok := fault.As(err); !ok || f.Class != fault.Usage || f.Reason != "NoKubeconfig" || !strings.Contains(f.Object, tt.path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || config.Host != tt.host {
			t.Errorf("%s: %+v, %v", name, config, err)
		}
	}
	if Downstream("").Named() || !Server("", "").Named() {
		t.Error("without flags there is the usual server alone")
	}
}

// The error names the files that were read and the contexts that exist, in no words of client-go.
func TestKubeconfig_unusable_namesFilesAndContexts(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const contexts = "contexts:\n- {name: prod, context: {cluster: c, user: u}}\n- {name: stage, context: {cluster: c, user: u}}\nclusters:\n- {name: c, cluster: {server: https://x}}\nusers:\n- {name: u, user: {token: t}}\n"
	const head = "apiVersion: v1\nkind: Config\n"
	one, two := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	for name, tt := range map[string]struct {
		env, path, context string
		says               []string
	}{
		"two that do not exist":      {one + ":" + two, "", "", []string{one, two, "does not exist", "--kubeconfig", "$KUBECONFIG"}},
		"a named one":                {"", one, "", []string{one + ": does not exist"}},
		"an empty one":               {write("empty", ""), "", "", []string{"empty: has no contexts", "--kubeconfig"}},
		"without current-context":    {write("none", head+contexts), "", "", []string{"none: has no current-context", "one of prod, stage", "--context"}},
		"an unknown current-context": {write("gone", head+"current-context: prdo\n"+contexts), "", "", []string{`has no context "prdo", its current-context`, "one of prod, stage"}},
		"an unknown context":         {write("ctx", head+contexts), "", "prdo", []string{`has no context "prdo"`, "one of prod, stage", "did you mean prod?"}},
		"a text":                     {write("text", "hello"), "", "", []string{"text: is no kubeconfig"}},
		"no YAML":                    {write("tab", "a: b: c\n"), "", "", []string{"tab: is no kubeconfig", "mapping values"}},
		"a context without cluster":  {write("half", head+"current-context: x\ncontexts:\n- {name: x, context: {cluster: c, user: u}}\n"), "", "", []string{`half: has no cluster "c", which its context "x" names`}},
	} {
		t.Setenv("KUBECONFIG", tt.env)
		t.Setenv("KUBERNETES_SERVICE_HOST", "")
		_, err := Server(tt.path, tt.context).Load()
		if f, ok := fault.As(err); !ok || f.Class != fault.Usage || f.Reason != "NoKubeconfig" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, word := range tt.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: no %q in %v", name, word, err)
			}
		}
		if strings.Contains(err.Error(), "KUBERNETES_MASTER") || strings.Contains(err.Error(), "Go value") {
			t.Errorf("%s: words of a library: %v", name, err)
		}
	}
	_, err := Downstream(one).Load()
	if err == nil || !strings.Contains(err.Error(), "--downstream-kubeconfig") || strings.Contains(err.Error(), "--context") {
		t.Errorf("of the cluster itself: %v", err)
	}
}
