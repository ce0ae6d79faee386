package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func nodeArgs(t testing.TB, args ...string) NodeArgs {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	n, err := ParseNodeArgs(string(b))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestParseNodeArgs(t *testing.T) {
	n := nodeArgs(t, "server", "--cni", "calico", "--debug", "--kubelet-arg", "--v=2", "--kubelet-arg", "cloud-provider=external",
		"--token", "********", "--node-name=a=b", "--selinux")
	if n.Command != "server" {
		t.Errorf("command %q", n.Command)
	}
	if got := n.All("kubelet-arg"); !slices.Equal(got, []string{"--v=2", "cloud-provider=external"}) {
		t.Errorf("kubelet-arg %q", got)
	}
	for flag, want := range map[string]string{"cni": "calico", "debug": "true", "selinux": "true", "node-name": "a=b", "token": "********"} {
		if got, ok := n.Last(flag); !ok || got != want {
			t.Errorf("%s is %q, want %q", flag, got, want)
		}
	}
	if !n.HasNodeName("a=b") || n.HasNodeName("a") || nodeArgs(t, "agent").HasNodeName("") {
		t.Error("HasNodeName")
	}
	for first, args := range map[string][]string{"": {"--v=2", "server"}, "server": {"server", "stray"}, "agent": {"agent", "--v=2", "server"}} {
		if got := nodeArgs(t, args...); got.Command != first {
			t.Errorf("%q: command %q", args, got.Command)
		}
	}
	for _, bad := range []string{"", "null", "{}", `"server"`, "[1]", "[", `["a", null`} {
		_, err := ParseNodeArgs(bad)
		wantFault(t, err, fault.Check, "BadNodeArgs")
	}
}

func TestExplained(t *testing.T) {
	s := parse(t, fromYAML(t, `
machineGlobalConfig: {cloud-provider-name: aws, cloud-provider-config: "[Global]", kubelet-arg: [max-pods=250, v=2], kube-controller-manager-arg: enable-leader-migration, disable-cloud-controller: true}
`))
	server := []string{"server", "--cloud-provider-name", "aws", "--cloud-provider-config", "/var/lib/rancher/rke2/etc/config-files/cloud-provider-config",
		"--kubelet-arg", "v=2", "--kubelet-arg", "max-pods=250", "--disable-cloud-controller", "true",
		"--kube-controller-manager-arg", "enable-leader-migration", "--kube-controller-manager-arg", "cert-dir=/x", "--kube-controller-manager-arg", "secure-port=10257"}
	for _, c := range []struct {
		name string
		args []string
		m    Machine
		want []string
	}{
		{"a server as configured", server, machine("cp", "ce"), nil},
		{"a worker as configured", []string{"agent", "--cloud-provider-name", "aws", "--cloud-provider-config", "/f", "--kubelet-arg", "v=2", "--kubelet-arg", "max-pods=250"}, machine("w", "w"), nil},
		{"another provider comes later", append(slices.Clone(server), "--cloud-provider-name", "external"), machine("cp", "ce"), []string{KeyProvider}},
		{"a kubelet argument of its own", append(slices.Clone(server), "--kubelet-arg", "cloud-provider=external"), machine("cp", "ce"), []string{KeyKubeletArg}},
		{"nothing at all", []string{"server"}, machine("cp", "ce"), []string{KeyProvider, KeyCloudConfig, KeyDisableCCM, KeyKubeletArg, KeyManagerArg}},
		{"a server key on a worker", []string{"agent", "--cloud-provider-name", "aws", "--cloud-provider-config", "/f", "--kubelet-arg", "v=2", "--kubelet-arg", "max-pods=250", "--disable-cloud-controller", "true"}, machine("w", "w"), []string{KeyDisableCCM}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range Explained(nodeArgs(t, c.args...), Effective(s, c.m)) {
				got = append(got, d.Key)
				if !strings.Contains(d.String(), d.Key) {
					t.Errorf("no key in %s", d)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("unexplained %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzNodeArgs checks that every list of strings can be read, and that pairs of flag and value
// survive RKE2's encoding.
func FuzzNodeArgs(f *testing.F) {
	f.Add(`["server","--a","b"]`, "kubelet-arg", "v=2")
	f.Add(`[]`, "cloud-provider-config", "")
	f.Add(`["--","-","--=","=","---x"]`, "x", "--y")
	f.Fuzz(func(t *testing.T, annotation, name, value string) {
		if n, err := ParseNodeArgs(annotation); err == nil {
			Explained(n, Config{})
			n.HasNodeName(value)
		}
		if name == "" || strings.ContainsAny(name, "=-\x00") || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return
		}
		n := nodeArgs(t, "server", "--"+name+"-arg", value, "--last", "end")
		if got := n.All(name + "-arg"); !slices.Equal(got, []string{value}) {
			t.Errorf("--%s-arg %q was read as %q", name, value, got)
		}
		if got, _ := n.Last("last"); got != "end" {
			t.Errorf("what follows was read as %q", got)
		}
	})
}
