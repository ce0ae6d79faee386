package fault

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestServer_secrets_removed(t *testing.T) {
	for address, want := range map[string]string{
		"https://rancher.example:6443/k8s/clusters/local":         "https://rancher.example:6443/k8s/clusters/local",
		"https://user:hunter2@rancher.example/k8s/clusters/local": "https://rancher.example/k8s/clusters/local",
		"https://hunter2@h":                            "https://h",
		"https://u:hunt%40er2@h?token=hunter2#hunter2": "https://h",
		"https://u:hunter2@h:port":                     "https://h:port",
		"https://u:hunter2%zz@h":                       "https://h",
		"10.0.0.1:6443":                                "10.0.0.1:6443",
		"rancher.example":                              "rancher.example",
		"":                                             "",
	} {
		if got := Server(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestShown_secrets_removed(t *testing.T) {
	_, cause := url.Parse("https://user:hunter2@host:port") //nolint:staticcheck // invalid URL on purpose
	err := Shown(fmt.Errorf("client: %w", cause))
	if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "host:port") || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if Shown(nil) != nil {
		t.Error("nil became an error")
	}
}
