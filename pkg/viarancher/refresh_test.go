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

// proxy is Rancher's, of one cluster, under a path: it knows one token, takes what is
// created, and keeps what it was asked.
type proxy struct {
	*httptest.Server
	mu     sync.Mutex
	token  string
	under  string
	asked  []string // method, path and body of what was let through
	denied int
}

func newProxy(t *testing.T, under, token string) *proxy {
	t.Helper()
	p := &proxy{token: token, under: under}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = log.New(io.Discard, "", 0) // says that a client refused the certificate
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
		p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
		_, _ = w.Write([]byte(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system"}}`))
	}
}

func (p *proxy) only(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token = token
}

func (p *proxy) count() (let, denied int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked), p.denied
}

// rotated is a management cluster whose Secret can be replaced.
type rotated struct {
	*fake.Clientset
	t     *testing.T
	clock clustertest.Clock
}

func newRotated(t *testing.T) *rotated {
	return &rotated{Clientset: fake.NewClientset(), t: t, clock: clustertest.Clock{FakeClock: clocktesting.NewFakeClock(time.Unix(1000, 0))}}
}

// keep has Rancher make the Secret anew.
func (r *rotated) keep(p *proxy, token string) {
	r.t.Helper()
	config := plainKubeconfig(p.URL + p.under + "/k8s/clusters/c-m-1")
	config.AuthInfos[0].AuthInfo.Token = token
	config.Clusters[0].Cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	r.put(encoded(r.t, config))
}

func (r *rotated) put(value []byte) {
	r.t.Helper()
	secrets := r.CoreV1().Secrets("fleet-default")
	_ = secrets.Delete(r.t.Context(), "demo-kubeconfig", metav1.DeleteOptions{}) // there may be none
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "demo-kubeconfig"}, Data: map[string][]byte{"value": value}}
	if _, err := secrets.Create(r.t.Context(), secret, metav1.CreateOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rotated) config() *rest.Config {
	r.t.Helper()
	config, err := Kept{Kube: r, Namespace: "fleet-default", Name: "demo", ID: "c-m-1", Clock: r.clock}.Config(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// kept is the kubeconfig in the Secret.
func kept(r *rotated) []byte {
	r.t.Helper()
	secret, err := r.CoreV1().Secrets("fleet-default").Get(r.t.Context(), "demo-kubeconfig", metav1.GetOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return secret.Data["value"]
}

// looks is how often the Secret was read.
func (r *rotated) looks() int {
	n := 0
	for _, a := range r.Actions() {
		if a.Matches("get", "secrets") {
			n++
		}
	}
	return n
}

func system(config *rest.Config) error {
	_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Get(context.Background(), "kube-system", metav1.GetOptions{})
	return err
}

// A run goes on with the token that Rancher puts in the place of the one that it
// revoked: what it asks and what it writes, by every client of the configuration, with
// one look for all of them.
func TestTokenIsReplaced(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotated(t)
	r.keep(p, "first")
	config := r.config()
	if err := system(config); err != nil {
		t.Fatal(err)
	}
	for round, token := range []string{"second", "third"} {
		p.only(token)
		r.keep(p, token)
		before := r.looks()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := system(rest.CopyConfig(config)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("x").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written"}}, metav1.CreateOptions{})
		if err != nil {
			t.Error(err)
		}
		if n := r.looks() - before; n != 1 {
			t.Errorf("round %d: %d looks at the Secret", round, n)
		}
	}
	writes := 0
	for _, one := range p.asked {
		if strings.HasPrefix(one, "POST /api/v1/namespaces/x/configmaps") && strings.Contains(one, "written") {
			writes++
		}
	}
	if writes != 2 {
		t.Errorf("%d writes arrived whole: %v", writes, p.asked)
	}
}

// A write that was refused arrives once, with its body; one whose body cannot be had
// again is not repeated.
func TestRefusedWritesAreRepeated(t *testing.T) {
	for name, tt := range map[string]struct {
		body func() io.Reader
		let  int
	}{
		"its body can be had again": {func() io.Reader { return bytes.NewReader([]byte("text")) }, 1},
		"no body":                   {func() io.Reader { return nil }, 1},
		"a stream":                  {func() io.Reader { return io.NopCloser(strings.NewReader("text")) }, 0},
	} {
		p, r := newProxy(t, "", "second"), newRotated(t)
		r.keep(p, "first")
		client, err := rest.HTTPClientFor(r.config())
		if err != nil {
			t.Fatal(err)
		}
		r.keep(p, "second")
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
			t.Errorf("%s: %d, %d let through, %d refused", name, resp.StatusCode, let, denied)
		}
		if want := strings.TrimSpace("POST /api/v1/x " + map[bool]string{true: "text"}[tt.body() != nil]); tt.let == 1 && p.asked[0] != want {
			t.Errorf("%s: %q arrived", name, p.asked[0])
		}
	}
}

// Where Rancher has moved, the run goes there: another address, another certificate,
// another path before the cluster's.
func TestRancherHasMoved(t *testing.T) {
	old, moved, r := newProxy(t, "", "first"), newProxy(t, "/rancher", "second"), newRotated(t)
	r.keep(old, "first")
	config := r.config()
	if err := system(config); err != nil {
		t.Fatal(err)
	}
	old.only("nobody's")
	r.keep(moved, "second")
	for range 2 {
		if err := system(config); err != nil {
			t.Error(err)
		}
	}
	if let, denied := moved.count(); let != 2 || denied != 0 || moved.asked[0] != "GET /api/v1/namespaces/kube-system" {
		t.Errorf("%d let through, %d refused: %v", let, denied, moved.asked)
	}
	if _, denied := old.count(); denied != 1 {
		t.Errorf("%d requests went to the old address after that", denied-1)
	}
}

// A certificate that is not of the CA in the Secret is a reason to read it again, as a
// refused token is.
func TestRanchersCertificateIsAnother(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotated(t)
	config := plainKubeconfig(p.URL + "/k8s/clusters/c-m-1")
	config.AuthInfos[0].AuthInfo.Token = "first"
	config.Clusters[0].Cluster.CertificateAuthorityData = anotherCA(t)
	r.put(encoded(t, config))
	reached := r.config()
	r.keep(p, "first")
	if err := system(reached); err != nil {
		t.Error(err)
	}
}

// anotherCA is a CA that has signed nothing.
func anotherCA(t *testing.T) []byte {
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

// Nothing new in the Secret, or nothing that may be used, leaves the refusal as it was:
// the run ends as for any token that was revoked. The wait for Rancher has an end, and
// is not made again by every request after that.
func TestNothingNewIsARefusal(t *testing.T) {
	for name, change := range map[string]func(r *rotated, p *proxy){
		"the same":       func(*rotated, *proxy) {},
		"as bad a token": func(r *rotated, p *proxy) { r.keep(p, "as bad") },
		"deleted for good": func(r *rotated, _ *proxy) {
			_ = r.CoreV1().Secrets("fleet-default").Delete(t.Context(), "demo-kubeconfig", metav1.DeleteOptions{})
		},
		"another cluster's": func(r *rotated, _ *proxy) { r.put([]byte(strings.ReplaceAll(string(kept(r)), "c-m-1", "c-m-2"))) },
		"with a command in it": func(r *rotated, _ *proxy) {
			r.put([]byte(strings.ReplaceAll(string(kept(r)), "token: first", "tokenFile: /etc/passwd")))
		},
		"may not be read": func(r *rotated, _ *proxy) {
			r.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "demo-kubeconfig", nil)
			})
		},
	} {
		p, r := newProxy(t, "", "first"), newRotated(t)
		r.keep(p, "first")
		config := r.config()
		p.only("other")
		change(r, p)
		before, began := r.looks(), r.clock.Now()
		for range 3 {
			if err := system(config); !apierrors.IsUnauthorized(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n, waited := r.looks()-before, r.clock.Since(began); n > 24 || waited > 3*patience {
			t.Errorf("%s: %d looks in %s", name, n, waited)
		}
		if let, _ := p.count(); let != 0 {
			t.Errorf("%s: %d requests were let through", name, let)
		}
	}
}

// The Secret that Rancher makes a moment later is waited for.
func TestSecretComesLater(t *testing.T) {
	p, r := newProxy(t, "", "first"), newRotated(t)
	r.keep(p, "first")
	config := r.config()
	p.only("second")
	missing := 3
	r.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		if missing--; missing >= 0 {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "demo-kubeconfig")
		}
		return false, nil, nil
	})
	r.keep(p, "second")
	if err := system(config); err != nil || missing >= 0 {
		t.Errorf("%v, %d answers left", err, missing)
	}
}

// The guard of whoever only looks stays in the chain, and nobody else's credentials
// are replaced.
func TestGuardAndOthersCredentialsStay(t *testing.T) {
	p, r := newProxy(t, "", "second"), newRotated(t)
	r.keep(p, "first")
	config := r.config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	r.keep(p, "second")
	err := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces().Delete(t.Context(), "x", metav1.DeleteOptions{})
	if err == nil || !strings.Contains(fmt.Sprint(err), "only reads") {
		t.Errorf("a write: %v", err)
	}
	if err := system(config); err != nil {
		t.Error(err)
	}
	others := rest.CopyConfig(config)
	others.BearerToken = "somebody else's"
	before := r.looks()
	if err := system(others); !apierrors.IsUnauthorized(err) || r.looks() != before {
		t.Errorf("somebody else's token: %v, %d looks", err, r.looks()-before)
	}
}
