package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
)

// A password in a server's address reaches no view, no error and no bundle, whether the server
// answers or not.
func TestServersPasswordIsNotShown(t *testing.T) {
	const secret = "hunter2"
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"major":"1","minor":"26","gitVersion":"v1.26.13"}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer answers.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, address := range map[string]string{"answers": answers.URL, "does not answer": gone.URL, "is no address": "http://[::1"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kubeconfig := kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": strings.Replace(address, "://", "://user:"+secret+"@", 1)})
			for _, format := range verifyview.AuditFormats() {
				var out, errs bytes.Buffer
				dump := filepath.Join(dir, "bundle.json")
				code := Main(t.Context(), []string{"verify", "--kubeconfig", kubeconfig, "--aws", "off", "--request-timeout", "5s", "-o", format, "--dump", dump}, console.Streams{Out: &out, Err: &errs})
				if code == 0 || out.Len()+errs.Len() == 0 {
					t.Errorf("-o %s: exit %d and %d bytes", format, code, out.Len()+errs.Len())
				}
				saved, _ := os.ReadFile(dump)
				for where, text := range map[string]string{"stdout": out.String(), "stderr": errs.String(), "bundle": string(saved)} {
					if strings.Contains(text, secret) {
						t.Errorf("-o %s: the password is on %s:\n%s", format, where, text)
					}
				}
			}
		})
	}
}

// An audit of the cluster that Rancher runs in says so: its clusters have names.
func TestVerify_kubeconfigOfRancher_namesCluster(t *testing.T) {
	for name, rancher := range map[string]bool{"Rancher's own cluster": true, "another cluster": false} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/version":
					fmt.Fprint(w, `{"major":"1","minor":"26","gitVersion":"v1.26.13"}`)
				case rancher && r.URL.Path == "/apis/provisioning.cattle.io/v1":
					fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"provisioning.cattle.io/v1","resources":[{"name":"clusters","kind":"Cluster","namespaced":true,"verbs":["list"]}]}`)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			defer server.Close()
			kubeconfig := kubeconfigFor(t, t.TempDir(), "kubeconfig", map[string]string{"a": server.URL})
			var out, errs bytes.Buffer
			Main(t.Context(), []string{"verify", "--kubeconfig", kubeconfig, "--aws", "off"}, console.Streams{Out: &out, Err: &errs})
			if strings.Contains(out.String(), "this is the cluster that Rancher runs in: --cluster NAME") != rancher ||
				strings.Contains(out.String(), "next   awsmigrate list --kubeconfig "+kubeconfig) != rancher {
				t.Errorf("%s%s", out.String(), errs.String())
			}
		})
	}
}
