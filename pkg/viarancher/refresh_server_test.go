package viarancher

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// newRancherProxy returns Rancher's proxy for a real API server, over HTTP/2. It strips the
// path and replaces the one token that it accepts by the API server's credentials.
func newRancherProxy(t *testing.T, server *apiserver.Server, known *atomic.Value) *httptest.Server {
	t.Helper()
	config := server.Config()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	behind := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/k8s/clusters/c-m-1")
		r.Out.Header.Del("Authorization")
	}}
	p := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+known.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		behind.ServeHTTP(w, r)
	}))
	p.EnableHTTP2 = true
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

// Reads, writes and patches of a real API server survive repeated rotations, and each is made
// once.
func TestRefreshTransport_realServer_survivesRotations(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	var known atomic.Value
	known.Store("first")
	p := newRancherProxy(t, server, &known)
	management := kubernetes.NewForConfigOrDie(server.Config())
	rotate := func(token string) {
		file := plainKubeconfig(p.URL + "/k8s/clusters/c-m-1")
		file.AuthInfos[0].AuthInfo.Token = token
		file.Clusters[0].Cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
		_ = management.CoreV1().Secrets("default").Delete(t.Context(), "demo-kubeconfig", metav1.DeleteOptions{}) // may not exist
		_, err := management.CoreV1().Secrets("default").Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "demo-kubeconfig"},
			Data: map[string][]byte{"value": encoded(t, file)}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		known.Store(token)
	}
	rotate("first")
	config, err := StoredKubeconfig{Kube: management, Namespace: "default", Name: "demo", ID: "c-m-1", Clock: clock.RealClock{}}.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "journal"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	rotate("second")
	if _, err := maps.Patch(t.Context(), "journal", types.MergePatchType, []byte(`{"data":{"a":"1"}}`), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	rotate("third")
	made, err := maps.Get(t.Context(), "journal", metav1.GetOptions{})
	if err != nil || made.Data["a"] != "1" {
		t.Fatalf("%v, %v", made, err)
	}
	rotate("fourth")
	made.Data["b"] = strings.Repeat("x", 500<<10)
	after, err := maps.Update(t.Context(), made, metav1.UpdateOptions{})
	if err != nil || len(after.Data["b"]) != 500<<10 {
		t.Error(err)
	}
	rotate("fifth")
	if list, err := maps.List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=journal"}); err != nil || len(list.Items) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
