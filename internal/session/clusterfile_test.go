package session

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// rke's kubeconfig names one control plane. While its API server is away, another one of
// cluster.yml answers; a worker's address is never tried.
func TestFileConfig_ownServerAway_another(t *testing.T) {
	const own, worker, second = "127.78.0.1", "127.78.0.2", "127.78.0.3"
	for _, test := range []struct {
		name, answers string
		want          string // in the error
	}{
		{"a control plane", second, ""},
		{"a worker", worker, "connection refused"},
	} {
		listener, err := net.Listen("tcp", test.answers+":0")
		if err != nil {
			t.Fatal(err)
		}
		api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		api.Listener = listener
		api.StartTLS()
		t.Cleanup(api.Close)
		file := filepath.Join(t.TempDir(), "cluster.yml")
		nodes := "nodes:\n- {address: " + own + ", role: [controlplane, etcd]}\n- {address: " + worker + ", role: [worker]}\n- {address: " + second + ", role: [controlplane, etcd]}\n"
		if err := os.WriteFile(file, []byte(nodes), 0o600); err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server := Server{Config: &rest.Config{Host: "https://" + net.JoinHostPort(own, port), TLSClientConfig: rest.TLSClientConfig{Insecure: true}}}
		target := Target{Kind: ClusterFile, File: file, Server: server}
		config, err := target.fileConfig(serverDialer{time.Minute, ReadOnly, clock.RealClock{}})
		if err != nil {
			t.Fatal(err)
		}
		connection, err := config.Dial(t.Context(), "tcp", net.JoinHostPort(own, port))
		if err == nil {
			connection.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s answers: %v, wanted %q", test.name, err, test.want)
		}
	}
}
