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
)

// A pod's token is taken from its file, which kubelet renews, and not remembered from
// when the configuration was made; also behind the guard of whoever only looks.
// client-go reads the file again every minute
// (kubernetes/client-go:transport/token_source.go@v0.37.2, NewCachedFileTokenSource).
func TestTokenOfAPodIsThatOfItsFile(t *testing.T) {
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
		// As rest.InClusterConfig makes it: the token of that moment, and its file.
		config, err := reach{time.Minute, may, clock.RealClock{}}.config(Server{Config: &rest.Config{Host: server.URL, BearerToken: "of the start", BearerTokenFile: file}})
		if err != nil {
			t.Fatal(err)
		}
		client := kubernetes.NewForConfigOrDie(config).CoreV1().Nodes()
		if _, err := client.List(t.Context(), metav1.ListOptions{}); err != nil || config.BearerTokenFile != file {
			t.Errorf("%v: by token file %q", err, config.BearerTokenFile)
		}
	}
}
