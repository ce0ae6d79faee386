package target

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// mirroring is a Rancher whose Cluster c-7kq2x of the newer kind mirrors one of the older kind,
// or nothing. It keeps the requests, and returns nothing of the cluster.
type mirroring struct {
	driver string // of the older one, or empty without one
	mu     sync.Mutex
	asked  []string
}

func (m *mirroring) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, _ := strings.CutPrefix(r.URL.Path, "/k8s/clusters/local")
	m.mu.Lock()
	m.asked = append(m.asked, path)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	older := ""
	if m.driver != "" {
		older = `{"apiVersion":"management.cattle.io/v3","kind":"Cluster","metadata":{"name":"c-7kq2x"},"spec":{"displayName":"demo","rancherKubernetesEngineConfig":{}},"status":{"driver":"` + m.driver + `"}}`
	}
	switch path {
	case "/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/c-7kq2x":
		fmt.Fprint(w, `{"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster","metadata":{"namespace":"fleet-default","name":"c-7kq2x"},"spec":{},"status":{"clusterName":"c-7kq2x"}}`)
	case "/apis/management.cattle.io/v3/clusters":
		fmt.Fprint(w, `{"apiVersion":"management.cattle.io/v3","kind":"ClusterList","items":[`+older+`]}`)
	case "/apis/management.cattle.io/v3/clusters/c-7kq2x":
		fmt.Fprint(w, older)
	case "/apis/management.cattle.io/v3/namespaces/c-7kq2x/nodes":
		fmt.Fprint(w, `{"apiVersion":"management.cattle.io/v3","kind":"NodeList","items":[]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// The id of a cluster that Rancher runs rke for names that cluster, although Rancher also has a
// Cluster of the newer kind by that name, without a configuration.
func TestAuditSeesPastAMirror(t *testing.T) {
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
		flags, audited := pflag.NewFlagSet("verify", pflag.ContinueOnError), &Audited{}
		audited.Register(flags)
		if err := flags.Parse([]string{"--cluster", "c-7kq2x", "--kubeconfig", file, "--aws", "off"}); err != nil {
			t.Fatal(err)
		}
		out := Output{Err: io.Discard}
		options, err := audited.Options(true)
		if err != nil {
			t.Fatal(err)
		}
		_, err = audited.Open(t.Context(), out, options)
		reached := slices.ContainsFunc(m.asked, func(path string) bool { return strings.HasPrefix(path, "/k8s/clusters/c-7kq2x/") })
		if reached != tt.reached || err == nil {
			t.Errorf("%s: reached %t, %v", name, reached, err)
		}
		if !tt.reached && !fault.HasReason(err, config.ReasonNotProvisioned) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
