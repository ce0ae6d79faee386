package cluster

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// An option of the stand-ins would change nothing on real machines, so it is refused.
func TestValidateReal(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"defaults":      {func(*Options) {}, ""},
		"workers":       {func(o *Options) { o.Workers = 1 }, ""},
		"layout":        {func(o *Options) { o.Layout = Single }, ""},
		"rke1":          {func(o *Options) { o.Distro = RKE1 }, "only --distro rke2 and rke"},
		"another rke":   {func(o *Options) { o.RKEVersion = "v1.4.14" }, "no other option"},
		"short leases":  {func(o *Options) { o.Leases = Leases{6, 4, 1} }, "no other option"},
		"slow restarts": {func(o *Options) { o.APIServerDown++ }, "no other option"},
		"RKE2":          {func(o *Options) { *o = DefaultsReal(RKE2) }, ""},
		"RKE2, IMDSv2":  {func(o *Options) { *o = DefaultsReal(RKE2); o.IMDS = "required" }, ""},
		"RKE2, split":   {func(o *Options) { *o = DefaultsReal(RKE2); o.Layout = Split }, "etcd of its own"},
		"RKE2, Nodes":   {func(o *Options) { *o = DefaultsReal(RKE2); o.Nodes = 2 }, "no other option"},
	} {
		o := DefaultsReal(RKE)
		test.change(&o)
		err := o.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, wanted %q", name, err, test.want)
		}
	}
}

// containerd and the kernel would take a part of the folder's name for an option, and a machine's
// first mount would fail for ever.
func TestUp_realInFolderWithSeparator_refused(t *testing.T) {
	for _, name := range []string{"a,b", "a:b"} {
		dir := filepath.Join(t.TempDir(), name)
		_, err := Up(t.Context(), dir, []string{"false"}, DefaultsReal(RKE2), func(string) {})
		if err == nil || !strings.Contains(err.Error(), name+": a comma or colon") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made: %v", dir, err)
		}
	}
}

// rke itself would accept the file, and finds the address of AWS in it.
func TestRealClusterFile(t *testing.T) {
	nodes := []rkeNode{{Name: "a", Address: "10.0.0.4", Internal: "10.0.0.4", Roles: []string{"controlplane", "etcd"}}}
	text, err := clusterYAML(DefaultsReal(RKE), "/key", nodes)
	if err != nil {
		t.Fatal(err)
	}
	config, err := rke.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "URL=http://10.0.0.1:8700/as/rke/") || !strings.Contains(string(text), "user: root") || config.Version != DefaultsReal(RKE).Version {
		t.Errorf("cluster.yml:\n%s", text)
	}
}

// All components share a URL, so AWS's record names the machine that a call came from. Other
// callers keep their own name.
func TestByMachine(t *testing.T) {
	l := &Lab{machines: &machines{byID: map[string]*machine{"a": {Machine: rancher.Machine{Name: "demo-cp-0"}, Facts: node.Facts{PrivateIP: "10.0.0.4"}}}}}
	var got string
	handler := l.byMachine(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL.Path }))
	for _, test := range []struct{ from, path, want string }{
		{"10.0.0.4:1234", "/as/rke/", "/as/demo-cp-0/"},
		{"10.0.0.9:1234", "/as/rke/", "/as/rke/"},
		{"10.0.0.4:1234", "/", "/as/demo-cp-0/"},
		{"10.0.0.4:1234", "/as/awsmigrate/", "/as/awsmigrate/"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path, nil)
		r.RemoteAddr = test.from
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if got != test.want {
			t.Errorf("%s from %s is %s, wanted %s", test.path, test.from, got, test.want)
		}
	}
}
