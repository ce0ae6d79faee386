package viarancher

import (
	"testing"

	"k8s.io/client-go/rest"
)

func TestOwn(t *testing.T) {
	for _, tt := range []struct{ host, id, want string }{
		{"https://rancher/k8s/clusters/local", "c-m-1", "https://rancher/k8s/clusters/c-m-1"}, {"https://rancher/k8s/clusters/local/", "c-m-1", "https://rancher/k8s/clusters/c-m-1"},
		{"https://rancher/k8s/clusters/local", "", ""}, {"https://rancher/k8s/clusters/c-m-2", "c-m-1", ""}, {"https://10.0.0.1:6443", "c-m-1", ""}, {"https://x/%zz/k8s/clusters/local", "c-m-1", ""},
	} {
		got, ok := Own(&rest.Config{Host: tt.host, BearerToken: "t"}, tt.id)
		if ok != (tt.want != "") || ok && (got.Host != tt.want || got.BearerToken != "t") {
			t.Errorf("%s, %q: %+v", tt.host, tt.id, got)
		}
	}
}
