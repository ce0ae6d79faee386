package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDeployCertificates(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) string {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	environment := []string{"KUBE_CA=one", "KUBECFG_KUBE_PROXY=a=b", "PATH=/bin", "KUBERNETES=x"}
	if err := deployCertificates(environment, dir); err != nil {
		t.Fatal(err)
	}
	if read("kube-ca.pem") != "one\n" || read("kubecfg-kube-proxy.yaml") != "a=b\n" {
		t.Errorf("kube-ca.pem %q, kubecfg-kube-proxy.yaml %q", read("kube-ca.pem"), read("kubecfg-kube-proxy.yaml"))
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("%d files (%v), wanted 2", len(files), err)
	}
	for _, test := range []struct{ force, want string }{{"", "one\n"}, {"true", "two\n"}} {
		if err := deployCertificates([]string{"KUBE_CA=two", "FORCE_DEPLOY=" + test.force}, dir); err != nil {
			t.Fatal(err)
		}
		if got := read("kube-ca.pem"); got != test.want {
			t.Errorf("FORCE_DEPLOY=%q leaves %q, wanted %q", test.force, got, test.want)
		}
	}
}

func TestBundleOf(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--log", "x", "create", "--bundle", "/b", "id"}, "/b"},
		{[]string{"create", "--bundle=/b", "id"}, "/b"},
		{[]string{"create", "-b", "/b", "id"}, "/b"},
		{[]string{"start", "id"}, ""},
		{[]string{"create", "--bundle"}, ""},
	} {
		if got := bundleOf(test.args); got != test.want {
			t.Errorf("%q: bundle %q, wanted %q", test.args, got, test.want)
		}
	}
}

// A container of rke asks for every capability, and a sandbox for a negative score. Limits beyond
// a float64 stay as they are.
func TestWeaken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	before := `{"process":{"oomScoreAdj":-998,"rlimits":[{"hard":18446744073709551615}],
		"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],"effective":["CAP_SYS_RESOURCE"]}},"other":{"a":1}}`
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := weaken(file); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var after struct {
		Process struct {
			OOMScoreAdj  int
			Rlimits      []struct{ Hard uint64 }
			Capabilities map[string][]string
		}
		Other map[string]int
	}
	if err := json.Unmarshal(raw, &after); err != nil {
		t.Fatal(err)
	}
	p := after.Process
	if p.OOMScoreAdj != 0 || p.Rlimits[0].Hard != 1<<64-1 || after.Other["a"] != 1 ||
		!slices.Equal(p.Capabilities["bounding"], []string{"CAP_CHOWN"}) || len(p.Capabilities["effective"]) != 0 {
		t.Errorf("config.json is %s", raw)
	}
	if err := weaken(filepath.Join(t.TempDir(), "config.json")); err != nil {
		t.Errorf("without a file: %v", err)
	}
}

func TestNetcat(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := netcat([]string{"-w", "5", "-z", host, port}); err != nil {
		t.Errorf("an open port: %v", err)
	}
	listener.Close()
	if err := netcat([]string{"-w", "5", "-z", host, port}); err == nil {
		t.Error("a closed port counts as open")
	}
	if err := netcat([]string{"x"}); err == nil {
		t.Error("unknown arguments are accepted")
	}
}

func TestNamed(t *testing.T) {
	if named([]string{"kubelet", "--v=2"}) || !named([]string{"kubelet", "--hostname-override=a"}) {
		t.Error("--hostname-override is not recognised")
	}
}
