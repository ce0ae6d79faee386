package downstream

import (
	"slices"
	"testing"
)

func TestSplitImage(t *testing.T) {
	for image, want := range map[string][3]string{
		"registry.k8s.io/provider-aws/ccm:v1.26.14":    {"registry.k8s.io", "provider-aws/ccm", ":v1.26.14"},
		"harbor.local:5000/a/b@sha256:0123":            {"harbor.local:5000", "a/b", "@sha256:0123"},
		"harbor.local/a/b:v1@sha256:0123":              {"harbor.local", "a/b", ":v1@sha256:0123"},
		"localhost/a":                                  {"localhost", "a", ""},
		"rancher/hardened-aws-cloud-controller-mgr:v1": {"docker.io", "rancher/hardened-aws-cloud-controller-mgr", ":v1"},
	} {
		host, repository, version := SplitImage(image)
		if got := [3]string{host, repository, version}; got != want {
			t.Errorf("%s: %q, wanted %q", image, got, want)
		}
	}
}

func TestMirrored(t *testing.T) {
	const image = "registry.k8s.io/provider-aws/ccm:v1.26.14"
	for name, tt := range map[string]struct {
		mirrors []Mirror
		want    []string
	}{
		"none":            {nil, nil},
		"of another":      {[]Mirror{{Of: "docker.io", Endpoints: []string{"https://harbor.local"}}}, nil},
		"no endpoint":     {[]Mirror{{Of: "registry.k8s.io"}}, nil},
		"plain":           {[]Mirror{{Of: "registry.k8s.io", Endpoints: []string{"https://harbor.local"}}}, []string{"harbor.local/provider-aws/ccm:v1.26.14"}},
		"without scheme":  {[]Mirror{{Of: "registry.k8s.io", Endpoints: []string{"harbor.local:5000/v2"}}}, []string{"harbor.local:5000/provider-aws/ccm:v1.26.14"}},
		"path":            {[]Mirror{{Of: "registry.k8s.io", Endpoints: []string{"https://harbor.local/v2/k8s/"}}}, []string{"harbor.local/k8s/provider-aws/ccm:v1.26.14"}},
		"two endpoints":   {[]Mirror{{Of: "*", Endpoints: []string{"https://a.local", "http://b.local"}}}, []string{"a.local/provider-aws/ccm:v1.26.14", "b.local/provider-aws/ccm:v1.26.14"}},
		"own before any":  {[]Mirror{{Of: "*", Endpoints: []string{"https://a.local"}}, {Of: "registry.k8s.io", Endpoints: []string{"https://b.local"}}}, []string{"b.local/provider-aws/ccm:v1.26.14"}},
		"rewritten":       {[]Mirror{{Of: "registry.k8s.io", Endpoints: []string{"https://a.local"}, Rewrites: map[string]string{"^(.*)": "mirror/k8s/$1"}}}, []string{"a.local/mirror/k8s/provider-aws/ccm:v1.26.14"}},
		"not its rewrite": {[]Mirror{{Of: "registry.k8s.io", Endpoints: []string{"https://a.local"}, Rewrites: map[string]string{"^rancher/(.*)": "r/$1", "(": "x"}}}, []string{"a.local/provider-aws/ccm:v1.26.14"}},
	} {
		if got := (Registry{Mirrors: tt.mirrors}).Mirrored(image); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, wanted %v", name, got, tt.want)
		}
	}
}

func TestPlain_credentials_removed(t *testing.T) {
	if got := Plain("https://robot:secret@harbor.local/v2/p"); got != "https://harbor.local/v2/p" {
		t.Errorf("%q", got)
	}
}
