package node

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type fakeCloud struct {
	instance Instance
	err      error
}

func (f fakeCloud) Self(context.Context) (Instance, error) { return f.instance, f.err }

// TestNames tries every setting that names nodes, on a machine of a node driver (OS host name =
// machine name) and on one of a stock image.
func TestNames(t *testing.T) {
	driver, stock := facts(), facts()
	stock.OSHostname, stock.HostnameFQDN = "ip-10-0-1-10", "ip-10-0-1-10.ec2.internal"
	const dns, metadata = "ip-10-0-1-10.ec2.internal", "IP-10-0-1-10.corp.example"
	for _, test := range []struct {
		name, config   string
		facts          Facts
		metadata       string
		node, hostname string
	}{
		{"in-tree: private DNS name whatever the host name", `{"cloud-provider-name":"aws"}`, driver, metadata, dns, "ip-10-0-1-10.corp.example"},
		{"in-tree, IMDSv2 only", `{"cloud-provider-name":"aws"}`, driver, "", dns, "demo-cp-0.local"},
		{"in-tree, node-name", `{"cloud-provider-name":"aws","node-name":"Given"}`, driver, metadata, dns, "given"},
		{"overrides: metadata name", `{"cloud-provider-name":"aws","kubelet-arg":["cloud-provider=external"]}`, driver, dns, dns, dns},
		{"overrides, IMDSv2 only: hostname -f, a rename", `{"cloud-provider-name":"aws","kubelet-arg":["cloud-provider=external"]}`, driver, "", "demo-cp-0.local", "demo-cp-0.local"},
		{"external: OS host name, a rename", `{"cloud-provider-name":"external"}`, driver, dns, "demo-cp-0", "demo-cp-0"},
		{"external on a stock image: short name, a rename too", `{"cloud-provider-name":"external"}`, stock, dns, "ip-10-0-1-10", "ip-10-0-1-10"},
		{"external, node-name", `{"cloud-provider-name":"external","node-name":"ip-10-0-1-10.ec2.internal"}`, driver, "", dns, dns},
		{"no provider", `{}`, driver, dns, "demo-cp-0", "demo-cp-0"},
		{"a user's hostname-override wins", `{"cloud-provider-name":"external","kubelet-arg":["hostname-override=mine"]}`, driver, "", "mine", "mine"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := config(t, test.config)
			name := rke2NodeName(c, test.facts, rke2Version, func() string { return test.metadata })
			r, err := Render(c, test.facts, name, rke2Version)
			if err != nil {
				t.Fatal(err)
			}
			id, err := kubeletIdentity(t.Context(), r.Kubelet, test.facts, fakeCloud{instance: Instance{ID: "i-0123", PrivateDNSName: dns}})
			if err != nil {
				t.Fatal(err)
			}
			if id.Name != test.node || id.Hostname != test.hostname {
				t.Errorf("node %q hostname %q, wanted %q and %q", id.Name, id.Hostname, test.node, test.hostname)
			}
		})
	}
}

func TestKubeletWithoutCloudDoesNotStart(t *testing.T) {
	for _, test := range []struct {
		provider string
		cloud    fakeCloud
		want     string
	}{
		{"aws", fakeCloud{err: errors.New("UnauthorizedOperation")}, "UnauthorizedOperation"},
		{"aws", fakeCloud{}, "no private DNS name"},
		{"gce", fakeCloud{}, "unknown cloud provider"},
	} {
		_, err := kubeletIdentity(t.Context(), []string{"--cloud-provider=" + test.provider}, facts(), test.cloud)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, wanted one with %q", test.provider, err, test.want)
		}
	}
}

func TestMetadataHostname(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-aws-ec2-metadata-token") != "" {
			t.Error("RKE2 1.26 uses IMDSv1")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(r.URL.Path + "\n"))
	}))
	defer server.Close()
	if got := metadataHostname(t.Context(), server.URL, rke2Version); got != "/latest/meta-data/local-hostname" {
		t.Errorf("got %q", got)
	}
	status = http.StatusUnauthorized
	if got := metadataHostname(t.Context(), server.URL, rke2Version); got != "" {
		t.Errorf("a 401 page became the name %q", got)
	}
}
