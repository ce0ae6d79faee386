package node

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func config(t *testing.T, content string) RKE2Config {
	t.Helper()
	c, err := ParseRKE2Config(File{Path: "50-rancher.yaml", Content: []byte(content)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func facts() Facts {
	return Facts{
		Name: "demo-cp-0", MachineUID: "uid-1", InstanceID: "i-0123", IP: "127.9.1.10", PrivateIP: "10.0.1.10", Zone: "us-east-1a",
		OSHostname: "demo-cp-0", HostnameFQDN: "demo-cp-0.local", PrivateDNSName: "ip-10-0-1-10.ec2.internal",
		Roles: Roles{ControlPlane: true, Etcd: true},
	}
}

func static(t *testing.T, r Rendering, component string) []string {
	t.Helper()
	for _, pod := range r.Static {
		if pod.Component == component {
			return pod.Args
		}
	}
	t.Fatalf("no %s among the static pods", component)
	return nil
}

func TestRenderCloudProvider(t *testing.T) {
	for _, test := range []struct {
		name, config             string
		kcm, kubelet, controller string // last --cloud-provider of each; last --controllers of KCM
		first                    string // first --cloud-provider of KCM
		routes                   string
		builtIn                  bool
	}{
		{"none", `{}`, "", "external", "*,tokencleaner,-service,-route,-cloud-node-lifecycle", "", "false", true},
		{"disabled without provider", `{"disable-cloud-controller":true}`, "", "", "*,tokencleaner", "", "", false},
		{"in-tree", `{"cloud-provider-name":"aws"}`, "aws", "aws", "*,tokencleaner", "aws", "", false},
		{"external", `{"cloud-provider-name":"external","disable-cloud-controller":true}`, "external", "external", "*,tokencleaner", "external", "", false},
		{"overrides", `{"cloud-provider-name":"aws","disable-cloud-controller":true,"kubelet-arg":["cloud-provider=external"],"kube-controller-manager-arg":["cloud-provider=external"]}`,
			"external", "external", "*,tokencleaner", "aws", "", false},
		{"a name through arguments alone", `{"kube-controller-manager-arg":["cloud-provider=aws"]}`,
			"aws", "external", "*,tokencleaner,-service,-route,-cloud-node-lifecycle", "aws", "false", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Render(config(t, test.config), facts(), "n1", rke2Version)
			if err != nil {
				t.Fatal(err)
			}
			kcm := static(t, r, KubeControllerManager)
			for _, check := range []struct {
				what, want string
				args       []string
				flag       string
			}{
				{"KCM's provider", test.kcm, kcm, "cloud-provider"},
				{"the kubelet's provider", test.kubelet, r.Kubelet, "cloud-provider"},
				{"KCM's controllers", test.controller, kcm, "controllers"},
				{"KCM's routes", test.routes, kcm, "configure-cloud-routes"},
			} {
				if got, _ := lastFlag(check.args, check.flag); got != check.want {
					t.Errorf("%s: %q, wanted %q\n%v", check.what, got, check.want, check.args)
				}
			}
			i := slices.IndexFunc(kcm, func(s string) bool { return strings.HasPrefix(s, "--cloud-provider=") })
			if got := ""; i >= 0 {
				if got = strings.TrimPrefix(kcm[i], "--cloud-provider="); got != test.first {
					t.Errorf("first provider of KCM %q, wanted %q", got, test.first)
				}
			}
			if r.BuiltInCCM != test.builtIn {
				t.Errorf("built-in cloud controller %t", r.BuiltInCCM)
			}
		})
	}
}

func TestRenderControllerManagerExactly(t *testing.T) {
	r, err := Render(config(t, `{"cloud-provider-name":"aws","kube-controller-manager-arg":["enable-leader-migration",
		"cert-dir=/var/lib/rancher/rke2/server/tls/kube-controller-manager","secure-port=10257"]}`), facts(), "n1", rke2Version)
	if err != nil {
		t.Fatal(err)
	}
	tls, cred := "/var/lib/rancher/rke2/server/tls/", "/var/lib/rancher/rke2/server/cred/"
	want := []string{
		"--flex-volume-plugin-dir=/var/lib/kubelet/volumeplugins", "--terminated-pod-gc-threshold=1000", "--permit-port-sharing=true",
		"--cloud-provider=aws", "--cloud-config=",
		"--allocate-node-cidrs=true", "--authentication-kubeconfig=" + cred + "controller.kubeconfig",
		"--authorization-kubeconfig=" + cred + "controller.kubeconfig", "--bind-address=127.0.0.1",
		"--cert-dir=" + tls + "kube-controller-manager", "--cluster-cidr=10.42.0.0/16",
		"--cluster-signing-kube-apiserver-client-cert-file=" + tls + "client-ca.nochain.crt",
		"--cluster-signing-kube-apiserver-client-key-file=" + tls + "client-ca.key",
		"--cluster-signing-kubelet-client-cert-file=" + tls + "client-ca.nochain.crt",
		"--cluster-signing-kubelet-client-key-file=" + tls + "client-ca.key",
		"--cluster-signing-kubelet-serving-cert-file=" + tls + "server-ca.nochain.crt",
		"--cluster-signing-kubelet-serving-key-file=" + tls + "server-ca.key",
		"--cluster-signing-legacy-unknown-cert-file=" + tls + "server-ca.nochain.crt",
		"--cluster-signing-legacy-unknown-key-file=" + tls + "server-ca.key",
		"--controllers=*,tokencleaner", "--enable-leader-migration=true", "--kubeconfig=" + cred + "controller.kubeconfig",
		"--profiling=false", "--root-ca-file=" + tls + "server-ca.crt", "--secure-port=10257",
		"--service-account-private-key-file=" + tls + "service.current.key", "--service-cluster-ip-range=10.43.0.0/16",
		"--use-service-account-credentials=true",
	}
	if diff := cmp.Diff(want, static(t, r, KubeControllerManager)); diff != "" {
		t.Errorf("kube-controller-manager (-wanted +got):\n%s", diff)
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, test := range []struct{ name, config, want string }{
		{"external IP", `{"cloud-provider-name":"aws","node-external-ip":"1.2.3.4"}`, "can't set node-external-ip while using cloud provider"},
		{"config without name", `{"cloud-provider-config":"/x"}`, "requires --cloud-provider-name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Render(config(t, test.config), facts(), "n1", rke2Version); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, wanted one with %q", err, test.want)
			}
		})
	}
}

func TestRenderByRole(t *testing.T) {
	for _, test := range []struct {
		name  string
		roles Roles
		want  []string
	}{
		{"combined", Roles{ControlPlane: true, Etcd: true}, []string{Etcd, KubeAPIServer, KubeControllerManager, KubeScheduler, kubeProxy}},
		{"control plane", Roles{ControlPlane: true}, []string{KubeAPIServer, KubeControllerManager, KubeScheduler, kubeProxy}},
		{"etcd", Roles{Etcd: true}, []string{Etcd, kubeProxy}},
		{"worker", Roles{Worker: true}, []string{kubeProxy}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := facts()
			f.Roles = test.roles
			r, err := Render(config(t, `{"cloud-provider-name":"aws"}`), f, "n1", rke2Version)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, pod := range r.Static {
				got = append(got, pod.Component)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMergeArguments(t *testing.T) {
	own := map[string]string{"v": "1", "controllers": "*", "profiling": "false"}
	for _, test := range []struct {
		name string
		user []string
		want []string
	}{
		{"nothing", nil, []string{"--controllers=*", "--profiling=false", "--v=1"}},
		{"bare flag", []string{"enable-leader-migration"}, []string{"--controllers=*", "--enable-leader-migration=true", "--profiling=false", "--v=1"}},
		{"replaces", []string{"v=4"}, []string{"--controllers=*", "--profiling=false", "--v=4"}},
		{"dashes", []string{"--v=4"}, []string{"--controllers=*", "--profiling=false", "--v=4"}},
		{"repeats keep their order", []string{"v=9", "v=2"}, []string{"--controllers=*", "--profiling=false", "--v=9", "--v=2"}},
		{"plus appends", []string{"controllers+=-ttl"}, []string{"--controllers=*", "--controllers=-ttl", "--profiling=false", "--v=1"}},
		{"minus prepends", []string{"controllers-=-ttl"}, []string{"--controllers=-ttl", "--controllers=*", "--profiling=false", "--v=1"}},
		{"values with =", []string{"feature-gates=A=true,B=false"}, []string{"--controllers=*", "--feature-gates=A=true,B=false", "--profiling=false", "--v=1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mergeArguments(own, test.user)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigMerge(t *testing.T) {
	c, err := ParseRKE2Config(
		File{Path: "config.yaml", Content: []byte("kubelet-arg: [a=1]\nnode-label: x=y\ncloud-provider-name: aws\n")},
		File{Path: "50-rancher.yaml", Content: []byte(`{"kubelet-arg+":["b=2"],"cloud-provider-name":"external","max-pods":1000000}`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--cloud-provider-name=external", "--kubelet-arg=a=1", "--kubelet-arg=b=2", "--node-label=x=y", "--max-pods=1000000"}
	if diff := cmp.Diff(want, c.Arguments()); diff != "" {
		t.Error(diff)
	}
	if _, err := ParseRKE2Config(File{Path: "p", Content: []byte(`{"a":{"b":1}}`)}); err == nil || !strings.Contains(err.Error(), "key a") {
		t.Errorf("a map as value: %v", err)
	}
}

func TestNodeArgs(t *testing.T) {
	c := config(t, `{"cloud-provider-name":"aws","disable-cloud-controller":true,"kubelet-arg":["cloud-provider=external"],"token":"s3cret"}`)
	got := nodeConfigAnnotations(c, true)
	want := `["server","--cloud-provider-name","aws","--disable-cloud-controller","true","--kubelet-arg","cloud-provider=external","--token","********"]`
	if got[nodeArgsAnnotation] != want {
		t.Errorf("got  %s\nwant %s", got[nodeArgsAnnotation], want)
	}
	other := nodeConfigAnnotations(config(t, `{"cloud-provider-name":"external","token":"s3cret"}`), true)
	if got[nodeConfigHashAnnotation] == other[nodeConfigHashAnnotation] {
		t.Error("another configuration has the same hash")
	}
	if agent := nodeConfigAnnotations(c, false)[nodeArgsAnnotation]; !strings.HasPrefix(agent, `["agent",`) {
		t.Errorf("an agent's arguments: %s", agent)
	}
}
