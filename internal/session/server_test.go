package session

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// A pod's token is read from its file, which kubelet renews, also through the read-only
// transport. client-go reads the file again every minute
// (kubernetes/client-go:transport/token_source.go@v0.37.2, NewCachedFileTokenSource).
func TestServerConfig_podToken_readFromFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("renewed"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&standin.Nodes{Count: 1, Before: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer renewed" {
			return false
		}
		standin.Refuse(w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
		return true
	}})
	defer server.Close()
	for _, may := range []Access{ReadOnly, ReadWrite} {
		// as rest.InClusterConfig returns it: the current token and its file
		config, err := serverDialer{time.Minute, may, clock.RealClock{}}.config(Server{Config: &rest.Config{Host: server.URL, BearerToken: "of the start", BearerTokenFile: file}})
		if err != nil {
			t.Fatal(err)
		}
		client := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes()
		if _, err := client.List(t.Context(), metav1.ListOptions{}); err != nil || config.BearerTokenFile != file {
			t.Errorf("%v: by token file %q", err, config.BearerTokenFile)
		}
	}
}

// LookOnly requires a timeout and cannot write, like Open.
func TestLookOnly(t *testing.T) {
	if _, err := LookOnly(Server{Config: &rest.Config{}}, 0); fault.ClassOf(err) != fault.Usage {
		t.Errorf("without a bound: %v", err)
	}
	if _, err := LookOnly(Server{}, time.Second); fault.ClassOf(err) != fault.Usage {
		t.Errorf("without a server: %v", err)
	}
	asked := 0
	server := httptest.NewServer(&standin.Nodes{Count: 1, Before: func(http.ResponseWriter, *http.Request) bool { asked++; return false }})
	defer server.Close()
	config, err := LookOnly(Server{Config: &rest.Config{Host: server.URL}}, time.Minute)
	if err != nil || config.Timeout != time.Minute {
		t.Fatalf("%+v, %v", config, err)
	}
	nodes := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes()
	if err := nodes.Delete(t.Context(), "a", metav1.DeleteOptions{}); err == nil || asked != 0 {
		t.Errorf("a write: %v, after %d requests", err, asked)
	}
	if _, err := nodes.List(t.Context(), metav1.ListOptions{}); err != nil || asked == 0 {
		t.Errorf("a read: %v", err)
	}
}
