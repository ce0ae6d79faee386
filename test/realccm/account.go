package realccm

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// Account is the lab's AWS under its public names, with metadata services and a proxy.
type Account struct {
	Cloud *aws.Cloud
	CA    *pki.CA // signs the certificate of all AWS names

	mu       sync.Mutex
	caller   string
	instance string
	hosts    map[string]bool // names of the AWS endpoints that were called
	proxied  map[string]bool // targets that the proxy was asked for
	metadata map[string]bool // addresses of the metadata services that were called
	calls    []aws.Call
}

// names holds the AWS names of the stand-in's certificate.
func names() []string {
	return []string{"*.amazonaws.com", "*.us-east-1.amazonaws.com", "*.us-east-1.api.aws", "*.private.example"}
}

// NewAccount starts AWS. It stops when the test ends.
func NewAccount(tb testing.TB) *Account {
	tb.Helper()
	a := &Account{}
	a.Begin("none", "")
	a.Cloud = aws.New(aws.Options{Record: a})
	if err := a.serve(tb); err != nil {
		tb.Fatalf("starting AWS: %v", err)
	}
	return a
}

func (a *Account) serve(tb testing.TB) (err error) {
	if a.CA, err = pki.NewCA("private"); err != nil {
		return err
	}
	pair, err := a.CA.Server("aws", names()...)
	if err != nil {
		return err
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return err
	}
	for address, server := range map[string]*http.Server{
		awsIP + ":443":     {Handler: http.HandlerFunc(a.serveAPI), TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}},
		proxyIP + ":3128":  {Handler: http.HandlerFunc(a.serveProxy)},
		metadataIP + ":80": {Handler: http.HandlerFunc(a.serveMetadata)},
		otherIP + ":80":    {Handler: http.HandlerFunc(a.serveMetadata)},
	} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		tb.Cleanup(func() { _ = server.Close() }) // ends with the test
		if server.TLSConfig != nil {
			l = tls.NewListener(l, server.TLSConfig)
		}
		go func() { _ = server.Serve(l) }()
	}
	return nil
}

// Begin forgets the calls so far, and names the next caller and its instance.
func (a *Account) Begin(caller, instance string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.caller, a.instance, a.calls = caller, instance, nil
	a.hosts, a.proxied, a.metadata = map[string]bool{}, map[string]bool{}, map[string]bool{}
}

// Write records a call of the account.
func (a *Account) Write(line []byte) (int, error) {
	var call aws.Call
	if err := json.Unmarshal(bytes.TrimSpace(line), &call); err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, call)
	return len(line), nil
}

// Refusals returns the errors that AWS answered, with their actions. A CCM asks for load balancers
// that may not exist yet.
func (a *Account) Refusals() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []string
	for _, call := range a.calls {
		if text := call.Action + ": " + call.Error; call.Error != "" && !strings.HasSuffix(call.Error, "NotFound") && call.Service != "imds" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Calls returns the number of calls of AWS's APIs.
func (a *Account) Calls() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, call := range a.calls {
		if call.Service != "imds" {
			n++
		}
	}
	return n
}

func (a *Account) note(set map[string]bool, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	set[key] = true
}

func (a *Account) current() (caller, instance string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.caller, a.instance
}

func (a *Account) serveAPI(w http.ResponseWriter, r *http.Request) {
	a.note(a.hosts, r.Host)
	caller, _ := a.current()
	r.URL.Path = "/as/" + caller + "/"
	a.Cloud.Handler().ServeHTTP(w, r)
}

func (a *Account) serveMetadata(w http.ResponseWriter, r *http.Request) {
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	host, _, err := net.SplitHostPort(address.String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	a.note(a.metadata, host)
	_, instance := a.current()
	a.Cloud.Metadata(instance).ServeHTTP(w, r)
}

// serveProxy connects to AWS, and to nothing else.
func (a *Account) serveProxy(w http.ResponseWriter, r *http.Request) {
	a.note(a.proxied, r.Host)
	hijacker, ok := w.(http.Hijacker)
	if r.Method != http.MethodConnect || !ok {
		http.Error(w, "only CONNECT", http.StatusBadGateway)
		return
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = fmt.Fprint(buffered, "HTTP/1.1 200 Connection established\r\n\r\n") // a client that is gone ends the connection
	_ = buffered.Flush()
	join(conn, awsIP+":443")
}
