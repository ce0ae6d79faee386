package ccmchecks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// The finding names source and target of the copy, or nothing if the image already names the
// registry.
func TestRegistrySaysWhere(t *testing.T) {
	const upstream = "registry.k8s.io/provider-aws/ccm:v1.26.14"
	mirrored := []downstream.Mirror{{Of: "registry.k8s.io", Endpoints: []string{"https://harbor.local/v2/k8s"}, Rewrites: map[string]string{"^provider-aws/": "aws/"}}}
	for name, tt := range map[string]struct {
		image  string
		r      downstream.Registry
		wanted string // empty if there is no finding
	}{
		"no registry":            {upstream, downstream.Registry{}, ""},
		"default":                {upstream, downstream.Registry{Default: "harbor.local:5000"}, "harbor.local:5000/provider-aws/ccm:v1.26.14"},
		"default with a path":    {upstream, downstream.Registry{Default: "harbor.local/rancher/"}, "harbor.local/rancher/provider-aws/ccm:v1.26.14"},
		"by digest":              {"registry.k8s.io/ccm@sha256:01", downstream.Registry{Default: "harbor.local"}, "harbor.local/ccm@sha256:01"},
		"mirrored":               {upstream, downstream.Registry{Default: "harbor.local", Mirrors: mirrored}, "the image at harbor.local/k8s/aws/ccm:v1.26.14"},
		"named in it":            {"harbor.local:5000/aws/ccm:v1", downstream.Registry{Default: "harbor.local:5000/rancher"}, ""},
		"named at the mirror":    {"harbor.local/k8s/ccm:v1", downstream.Registry{Mirrors: mirrored}, ""},
		"mirrors of others only": {upstream, downstream.Registry{Mirrors: []downstream.Mirror{{Of: "docker.io", Endpoints: []string{"https://harbor.local"}}}}, ""},
	} {
		in := evidence.Input{Planned: &downstream.DaemonSet{Containers: []downstream.Container{{Image: tt.image}}}, Registries: []downstream.Registry{tt.r}}
		found := registry(in)
		switch {
		case len(found) == 0 && tt.wanted == "":
		case len(found) != 1 || found[0].Status != verify.Warn || found[0].Wanted != tt.wanted:
			t.Errorf("%s: %+v, wanted %q", name, found, tt.wanted)
		case strings.HasPrefix(tt.wanted, "the image") == strings.Contains(found[0].Fix, "give --ccm-image "):
			t.Errorf("%s: %s", name, found[0].Fix)
		}
	}
}

// Without a registry of the cluster, no image must be known.
func TestNoRegistryNeedsNoImage(t *testing.T) {
	if found := registry(evidence.Input{Registries: []downstream.Registry{{Object: "Cluster a/b"}}}); len(found) > 0 {
		t.Errorf("no registry: %+v", found)
	}
	for name, in := range map[string]evidence.Input{"not read": {}, "a registry, no image": {Registries: []downstream.Registry{{Default: "harbor.local"}}}} {
		if found := registry(in); len(found) != 1 || found[0].Status != verify.Skip {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
