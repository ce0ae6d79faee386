package rollouts_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// A manifest that the API server would refuse or change is refused before any request.
func TestPlan_badManifest_refused(t *testing.T) {
	const valid = `
apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: eu}
spec:
  waves:
  - name: first
    deadline: 2h
`
	for name, tt := range map[string]struct{ text, says string }{
		"unknown field":       {strings.Replace(valid, "deadline:", "dedline:", 1), `unknown field "spec.waves[0].dedline"`},
		"unknown in metadata": {strings.Replace(valid, "name: eu", "nme: eu", 1), `unknown field "metadata.nme"`},
		"duplicate field":     {valid + "    name: second\n", `key "name" already set`},
		"wrong type":          {strings.Replace(valid, "deadline: 2h", "maxConcurrent: many", 1), "maxConcurrent"},
		"invalid value":       {strings.Replace(valid, "2h", "2d", 1), "spec.waves[0].deadline: Invalid value"},
		"no wave":             {strings.Split(valid, "  waves:")[0] + "  waves: []\n", "spec.waves: Required value"},
		"invalid selector":    {valid + "    selector: {matchLabels: {env: \"a b\"}}\n", "spec.waves[0].selector.matchLabels"},
		"no name":             {strings.Replace(valid, "name: eu", "labels: {}", 1), "metadata.name: Required value"},
		"two documents":       {valid + "---" + valid, "it has several documents"},
		"empty":               {"# nothing\n---\n", "it is empty"},
		"another kind":        {strings.Replace(valid, "MigrationRollout", "ClusterMigration", 1), "its kind is ClusterMigration"},
		"another version":     {strings.Replace(valid, "v1alpha1", "v9", 1), `no kind "MigrationRollout" is registered for version "awsmigrate.io/v9"`},
		"a list":              {strings.Replace(valid, "MigrationRollout", "MigrationRolloutList", 1), "its kind is MigrationRolloutList"},
		"no kind":             {strings.Replace(valid, "kind: MigrationRollout\n", "", 1), "Kind"},
		"no YAML":             {"\tno: yaml", "yaml"},
		"aliases":             {"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n", "values"},
		"too large":           {"# " + strings.Repeat("x", 1<<20), "at most"},
	} {
		file := filepath.Join(t.TempDir(), "rollout.yaml")
		if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, said := plan(t, filepath.Join(t.TempDir(), "none"), "--file", file)
		if code != 2 || !strings.Contains(said, tt.says) || !strings.Contains(said, file) {
			t.Errorf("%s: exit %d, wanted %q:\n%s", name, code, tt.says, said)
		}
	}
	if code, said := plan(t, "none", "--file", filepath.Join(t.TempDir(), "none.yaml")); code != 2 || !strings.Contains(said, "cannot be read") {
		t.Errorf("exit %d: %s", code, said)
	}
}

func plan(t *testing.T, kubeconfig string, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	code = cli.Main(t.Context(), append([]string{"rollout", "plan", "--kubeconfig", kubeconfig}, args...), console.Streams{Out: &out, Err: &out})
	return code, out.String()
}

// A management cluster without the kind is not one without the rollout.
func TestPlan_kindNotServed_says(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":"` + server.URL + `"}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{}}],"current-context":"a"}`
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := plan(t, kubeconfig, "--name", "eu"); code != 2 || !strings.Contains(said, "kind MigrationRollout: is not installed") || !strings.Contains(said, "migrationrollouts.awsmigrate.io") {
		t.Errorf("exit %d: %s", code, said)
	}
}
