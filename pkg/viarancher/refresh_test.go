package viarancher

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

// proxy is Rancher's proxy for one cluster, below a path. It accepts one token and records the
// requests.
type proxy struct {
	*httptest.Server
	mu       sync.Mutex
	token    string
	under    string
	requests []string // method, path and body of accepted requests
	denied   int
}

func newProxy(t *testing.T, under, token string) *proxy {
	t.Helper()
	p := &proxy{token: token, under: under}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = log.New(io.Discard, "", 0) // would log rejected certificates
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	path, here := strings.CutPrefix(r.URL.Path, p.under+"/k8s/clusters/c-m-1")
	switch {
	case !here:
		w.WriteHeader(http.StatusNotFound)
	case r.Header.Get("Authorization") != "Bearer "+p.token:
		p.denied++
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"type":"error","status":"401","message":"Unauthorized 401: must authenticate"}`))
	default:
		p.requests = append(p.requests, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
		_, _ = w.Write([]byte(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system"}}`))
	}
}

func (p *proxy) accept(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token = token
}

func (p *proxy) count() (let, denied int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests), p.denied
}

// rotation is a management cluster whose Secret can be replaced.
type rotation struct {
	*fake.Clientset
	t     *testing.T
	clock clustertest.Clock
}

func newRotation(t *testing.T) *rotation {
	return &rotation{Clientset: fake.NewClientset(), t: t, clock: clustertest.Clock{FakeClock: clocktesting.NewFakeClock(time.Unix(1000, 0))}}
}

// store creates the Secret anew, as Rancher does.
func (r *rotation) store(p *proxy, token string) {
	r.t.Helper()
	config := plainKubeconfig(p.URL + p.under + "/k8s/clusters/c-m-1")
	config.AuthInfos[0].AuthInfo.Token = token
	config.Clusters[0].Cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	r.put(encoded(r.t, config))
}

func (r *rotation) put(value []byte) {
	r.t.Helper()
	secrets := r.CoreV1().Secrets("fleet-default")
	_ = secrets.Delete(r.t.Context(), "demo-kubeconfig", metav1.DeleteOptions{}) // may not exist
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "demo-kubeconfig"}, Data: map[string][]byte{"value": value}}
	if _, err := secrets.Create(r.t.Context(), secret, metav1.CreateOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rotation) config() *rest.Config {
	r.t.Helper()
	config, err := StoredKubeconfig{Kube: r, Namespace: "fleet-default", Name: "demo", ID: "c-m-1", Clock: r.clock}.Config(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// storedValue returns the kubeconfig in the Secret.
func storedValue(r *rotation) []byte {
	r.t.Helper()
	secret, err := r.CoreV1().Secrets("fleet-default").Get(r.t.Context(), "demo-kubeconfig", metav1.GetOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return secret.Data["value"]
}

// reads returns how often the Secret was read.
func (r *rotation) reads() int {
	n := 0
	for _, a := range r.Actions() {
		if a.Matches("get", "secrets") {
			n++
		}
	}
	return n
}

func getSystem(config *rest.Config) error {
	_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Get(context.Background(), "kube-system", metav1.GetOptions{})
	return err
}

// After Rancher replaces a revoked token, reads and writes of all clients of the configuration
// continue with one read of the Secret for all.
func TestRefreshTransport_newToken_continues(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotation(t)
	r.store(p, "first")
	config := r.config()
	if err := getSystem(config); err != nil {
		t.Fatal(err)
	}
	for round, token := range []string{"second", "third"} {
		p.accept(token)
		r.store(p, token)
		before := r.reads()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := getSystem(rest.CopyConfig(config)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("x").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written"}}, metav1.CreateOptions{})
		if err != nil {
			t.Error(err)
		}
		if n := r.reads() - before; n != 1 {
			t.Errorf("round %d: %d reads at the Secret", round, n)
		}
	}
	writes := 0
	for _, one := range p.requests {
		if strings.HasPrefix(one, "POST /api/v1/namespaces/x/configmaps") && strings.Contains(one, "written") {
			writes++
		}
	}
	if writes != 2 {
		t.Errorf("%d writes arrived complete: %v", writes, p.requests)
	}
}

// A refused write arrives once, with its body. It is not repeated if its body cannot be read
// again.
func TestRefreshTransport_refusedWrite_repeatedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		body func() io.Reader
		let  int
	}{
		"repeatable body": {func() io.Reader { return bytes.NewReader([]byte("text")) }, 1},
		"no body":         {func() io.Reader { return nil }, 1},
		"a stream":        {func() io.Reader { return io.NopCloser(strings.NewReader("text")) }, 0},
	} {
		p, r := newProxy(t, "", "second"), newRotation(t)
		r.store(p, "first")
		client, err := rest.HTTPClientFor(r.config())
		if err != nil {
			t.Fatal(err)
		}
		r.store(p, "second")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/k8s/clusters/c-m-1/api/v1/x", tt.body())
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		let, denied := p.count()
		if let != tt.let || denied != 1 || (resp.StatusCode == http.StatusOK) != (tt.let == 1) {
			t.Errorf("%s: %d, %d accepted, %d refused", name, resp.StatusCode, let, denied)
		}
		if want := strings.TrimSpace("POST /api/v1/x " + map[bool]string{true: "text"}[tt.body() != nil]); tt.let == 1 && p.requests[0] != want {
			t.Errorf("%s: %q arrived", name, p.requests[0])
		}
	}
}

// Covers another address, another certificate, and another path before the cluster's.
func TestRefreshTransport_newAddress_followed(t *testing.T) {
	old, moved, r := newProxy(t, "", "first"), newProxy(t, "/rancher", "second"), newRotation(t)
	r.store(old, "first")
	config := r.config()
	if err := getSystem(config); err != nil {
		t.Fatal(err)
	}
	old.accept("none")
	r.store(moved, "second")
	for range 2 {
		if err := getSystem(config); err != nil {
			t.Error(err)
		}
	}
	if let, denied := moved.count(); let != 2 || denied != 0 || moved.requests[0] != "GET /api/v1/namespaces/kube-system" {
		t.Errorf("%d accepted, %d refused: %v", let, denied, moved.requests)
	}
	if _, denied := old.count(); denied != 1 {
		t.Errorf("%d requests went to the old address after that", denied-1)
	}
}

// A certificate that the CA in the Secret did not sign makes the client read the Secret
// again, as a refused token does.
func TestRefreshTransport_newCA_followed(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotation(t)
	config := plainKubeconfig(p.URL + "/k8s/clusters/c-m-1")
	config.AuthInfos[0].AuthInfo.Token = "first"
	config.Clusters[0].Cluster.CertificateAuthorityData = newUnusedCA(t)
	r.put(encoded(t, config))
	reached := r.config()
	r.store(p, "first")
	if err := getSystem(reached); err != nil {
		t.Error(err)
	}
}

// newUnusedCA returns a CA that has signed no certificate.
func newUnusedCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

// The refusal is returned unchanged, as for any revoked token. The wait ends, and later
// requests do not start it again.
func TestRefreshTransport_noUsableChange_refused(t *testing.T) {
	for name, change := range map[string]func(r *rotation, p *proxy){
		"unchanged":     func(*rotation, *proxy) {},
		"revoked token": func(r *rotation, p *proxy) { r.store(p, "revoked") },
		"deleted": func(r *rotation, _ *proxy) {
			_ = r.CoreV1().Secrets("fleet-default").Delete(t.Context(), "demo-kubeconfig", metav1.DeleteOptions{})
		},
		"another cluster's": func(r *rotation, _ *proxy) {
			r.put([]byte(strings.ReplaceAll(string(storedValue(r)), "c-m-1", "c-m-2")))
		},
		"with a command in it": func(r *rotation, _ *proxy) {
			r.put([]byte(strings.ReplaceAll(string(storedValue(r)), "token: first", "tokenFile: /etc/passwd")))
		},
		"forbidden": func(r *rotation, _ *proxy) {
			r.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "demo-kubeconfig", nil)
			})
		},
	} {
		p, r := newProxy(t, "", "first"), newRotation(t)
		r.store(p, "first")
		config := r.config()
		p.accept("other")
		change(r, p)
		before, began := r.reads(), r.clock.Now()
		for range 3 {
			if err := getSystem(config); !apierrors.IsUnauthorized(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n, waited := r.reads()-before, r.clock.Since(began); n > 24 || waited > 3*refreshTimeout {
			t.Errorf("%s: %d reads in %s", name, n, waited)
		}
		if let, _ := p.count(); let != 0 {
			t.Errorf("%s: %d requests were accepted", name, let)
		}
	}
}

func TestRefreshTransport_lateSecret_awaited(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotation(t)
	r.store(p, "first")
	config := r.config()
	p.accept("second")
	missing := 3
	r.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		if missing--; missing >= 0 {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "demo-kubeconfig")
		}
		return false, nil, nil
	})
	r.store(p, "second")
	if err := getSystem(config); err != nil || missing >= 0 {
		t.Errorf("%v, %d answers left", err, missing)
	}
}

func TestRefreshTransport_readOnlyAndForeignCredentials_kept(t *testing.T) {
	p, r := newProxy(t, "", "second"), newRotation(t)
	r.store(p, "first")
	config := r.config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	r.store(p, "second")
	err := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Delete(t.Context(), "x", metav1.DeleteOptions{})
	if err == nil || !strings.Contains(fmt.Sprint(err), "only reads") {
		t.Errorf("a write: %v", err)
	}
	if err := getSystem(config); err != nil {
		t.Error(err)
	}
	others := rest.CopyConfig(config)
	others.BearerToken = "foreign"
	before := r.reads()
	if err := getSystem(others); !apierrors.IsUnauthorized(err) || r.reads() != before {
		t.Errorf("foreign token: %v, %d reads", err, r.reads()-before)
	}
}
