package kube

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// While the kubeconfig's server is away, another control plane answers, if its certificate is also
// that server's. A server that is no control plane has no substitute.
func TestDialOthers(t *testing.T) {
	const own, second, balancer = "127.77.0.1", "127.77.0.2", "127.77.0.3"
	listener, err := net.Listen("tcp", second+":0")
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	api.Listener = listener
	api.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the test wants to fail
	api.StartTLS()
	t.Cleanup(api.Close)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	unchecked := rest.TLSClientConfig{Insecure: true}
	named := rest.TLSClientConfig{CAData: authority, ServerName: "example.com"} // a name of the test's certificate
	foreign := rest.TLSClientConfig{CAData: authority}                          // which is not for own
	for _, test := range []struct {
		name, server string
		hosts        []string
		tls          rest.TLSClientConfig
		want         string // in the error
	}{
		{"another answers", own, []string{own, second}, unchecked, ""},
		{"only the last answers", own, []string{own, balancer, second}, unchecked, ""},
		{"another proves the name", own, []string{own, second}, named, ""},
		{"another has its own name alone", own, []string{own, second}, foreign, own + ":" + port + ": connect: connection refused"},
		{"its own answers", second, []string{own, second}, unchecked, ""},
		{"none answers", own, []string{own, balancer}, unchecked, own + ":" + port},
		{"no control plane", balancer, []string{own, second}, unchecked, balancer + ":" + port},
		{"a cluster.yml without control planes", own, nil, unchecked, own + ":" + port},
	} {
		config := &rest.Config{Host: "https://" + net.JoinHostPort(test.server, port), TLSClientConfig: test.tls}
		DialOthers(config, test.hosts)
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err == nil {
			answer.Body.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, wanted %q", test.name, err, test.want)
		}
	}
}
