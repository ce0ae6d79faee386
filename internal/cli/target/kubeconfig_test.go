package target

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
		config, err := kubeconfig(tt.path, tt.context).Load()
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
	if named := (&RKE2{}).rke2(); named.Downstream.Named() || !named.Server.Named() {
		t.Errorf("%+v: a downstream kubeconfig without a flag", named)
	}
}
