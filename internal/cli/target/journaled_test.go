package target

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// The journal of a cluster in Rancher is read as RKE2's. If Rancher provisions no such cluster
// but runs rke for one, its journal is read by the name alone.
func TestJournalOfAClusterInRancher(t *testing.T) {
	for name, tt := range map[string]struct {
		driver  string
		reached bool
	}{
		"rke's":    {"rancherKubernetesEngine", true},
		"imported": {"imported", false},
		"none":     {"", false},
	} {
		m := &mirroring{driver: tt.driver}
		server := httptest.NewServer(m)
		defer server.Close()
		file := filepath.Join(t.TempDir(), "kubeconfig")
		text := `{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"clusters":[{"name":"a","cluster":{"server":"` + server.URL + `/k8s/clusters/local"}}],"users":[{"name":"a","user":{"token":"t"}}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags, named := pflag.NewFlagSet("report", pflag.ContinueOnError), &Journaled{}
		named.Register(flags)
		if named.Given() {
			t.Error("a cluster is found without a name")
		}
		if err := flags.Parse([]string{"--cluster", "c-7kq2x", "--kubeconfig", file}); err != nil {
			t.Fatal(err)
		}
		_, err := named.Open(t.Context(), Output{Err: io.Discard})
		reached := slices.ContainsFunc(m.asked, func(path string) bool { return strings.HasPrefix(path, "/k8s/clusters/c-7kq2x/") })
		if reached != tt.reached || err == nil || !named.Given() {
			t.Errorf("%s: reached %t, %v", name, reached, err)
		}
		if !tt.reached && !fault.HasReason(err, config.ReasonNotProvisioned) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// At least one flag must name a cluster, and only one.
func TestJournalOfNoCluster(t *testing.T) {
	for says, words := range map[string][]string{"wanted one of them": {"--cluster", "a", "--config", "b"}, "no cluster is named": {"--kubeconfig", "x"}, "cluster.yml": {"--config", filepath.Join(t.TempDir(), "cluster.yml")}} {
		flags, named := pflag.NewFlagSet("report", pflag.ContinueOnError), &Journaled{}
		named.Register(flags)
		if err := flags.Parse(words); err != nil {
			t.Fatal(err)
		}
		if _, err := named.Open(t.Context(), Output{Err: io.Discard}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", words, err)
		}
	}
}
