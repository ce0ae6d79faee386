package cluster

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/nodedriver"
)

func TestPools(t *testing.T) {
	cp := Pool{Name: "cp", ControlPlane: true, Etcd: true}
	all := Pool{Name: "all", ControlPlane: true, Etcd: true, Worker: true}
	with := func(p Pool, n int) Pool { p.Quantity = n; return p }
	workers := func(n int) Pool { return Pool{Name: "workers", Worker: true, Quantity: n} }
	for _, test := range []struct {
		name         string
		layout       Layout
		cps, workers int
		want         []Pool
		err          string
	}{
		{name: "default", layout: Combined, cps: -1, workers: -1, want: []Pool{with(cp, 3), workers(3)}},
		{name: "counts", layout: Combined, cps: 1, workers: 0, want: []Pool{with(cp, 1)}},
		{name: "split", layout: Split, cps: 2, workers: 1, want: []Pool{
			{Name: "etcd", Etcd: true, Quantity: 2}, {Name: "cp", ControlPlane: true, Quantity: 2}, workers(1)}},
		{name: "all roles", layout: AllRole, cps: -1, workers: -1, want: []Pool{with(all, 3)}},
		{name: "single", layout: Single, cps: -1, workers: -1, want: []Pool{with(all, 1)}},
		{name: "custom", layout: Custom, cps: -1, workers: 2, want: []Pool{with(cp, 3), workers(2)}},
		{name: "unknown layout", layout: "flat", cps: -1, workers: -1, err: `"flat" is none of`},
		{name: "no control plane", layout: Combined, cps: 0, workers: 3, err: "at least one"},
		{name: "too many", layout: Combined, cps: -1, workers: 300, err: "do not fit a lab"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Pools(test.layout, test.cps, test.workers)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, wanted one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClusterObject(t *testing.T) {
	o := Defaults()
	o.ClusterPatch = []byte(`
spec:
  rkeConfig:
    machineGlobalConfig:
      cloud-provider-name: aws
      cni: null
    machineSelectorConfig: []
`)
	object, err := Object(o)
	if err != nil {
		t.Fatal(err)
	}
	global, _, _ := unstructured.NestedMap(object.Object, "spec", "rkeConfig", "machineGlobalConfig")
	if global["cloud-provider-name"] != "aws" || global["cni"] != nil || global["etcd-expose-metrics"] != false {
		t.Errorf("machineGlobalConfig is %v", global)
	}
	if entries, _, _ := unstructured.NestedSlice(object.Object, "spec", "rkeConfig", "machineSelectorConfig"); len(entries) != 0 {
		t.Errorf("machineSelectorConfig is %v", entries)
	}
	if err := setQuantity(object, "workers", 5); err != nil {
		t.Error(err)
	}
	pools, _, _ := unstructured.NestedSlice(object.Object, "spec", "rkeConfig", "machinePools")
	if got := pools[1].(map[string]any)["quantity"]; got != int64(5) {
		t.Errorf("quantity of %v is %v", pools[1], got)
	}
	if err := setQuantity(object, "gpu", 5); err == nil || !strings.Contains(err.Error(), "workers") {
		t.Errorf("scaling an unknown pool: %v", err)
	}

	o.ClusterPatch = []byte("a: [")
	if err := o.Validate(); err == nil {
		t.Error("a patch that is no YAML was accepted")
	}
	o = Defaults()
	o.Layout = Custom
	if object, err = Object(o); err != nil {
		t.Fatal(err)
	}
	if _, found, _ := unstructured.NestedSlice(object.Object, "spec", "rkeConfig", "machinePools"); found {
		t.Error("a custom cluster has machine pools")
	}
}

func TestTemplates(t *testing.T) {
	network := aws.New(aws.Options{ClusterID: ClusterName}).Network()
	o := Defaults()
	o.IMDS = "required"
	got, err := Templates(o, network)
	if err != nil || len(got) != 2 {
		t.Fatalf("templates %v, error %v", got, err)
	}
	for i, role := range []string{aws.RoleControlPlane, aws.RoleWorker} {
		template := nodedriver.ReadTemplate(got[i].Object)
		want := nodedriver.Template{Tags: "kubernetes.io/cluster/demo,owned", Tokens: "required", Endpoint: "enabled", Profile: aws.Profile(role), VPC: network.VpcID}
		if template != want {
			t.Errorf("%s has %+v, wanted %+v", got[i].GetName(), template, want)
		}
	}
	o.Layout = Custom
	if got, err := Templates(o, network); err != nil || len(got) > 0 {
		t.Errorf("a custom cluster has templates %v, error %v", got, err)
	}
}

func TestHostNames(t *testing.T) {
	const dns = "ip-10-0-1-7.ec2.internal"
	for _, test := range []struct {
		layout             Layout
		osName, hostnameF  string
		wantName, wantFQDN string
	}{
		{Combined, "", "", "demo-cp-x", "demo-cp-x"},
		{Custom, "", "", "ip-10-0-1-7", dns},
		{Combined, "", "WRONG", "demo-cp-x", "WRONG"},
		{Combined, "%d", "", dns, "demo-cp-x"},
		{Custom, "", "%m.corp and %d", "ip-10-0-1-7", "demo-cp-x.corp and " + dns},
	} {
		o := Defaults()
		o.Layout, o.OSHostname, o.HostnameF = test.layout, test.osName, test.hostnameF
		if name, fqdn := hostNames(o, "demo-cp-x", "demo-cp-x", dns); name != test.wantName || fqdn != test.wantFQDN {
			t.Errorf("%s, --hostname-f %q: %q and %q, wanted %q and %q", test.layout, test.hostnameF, name, fqdn, test.wantName, test.wantFQDN)
		}
	}
}

func TestParseLeases(t *testing.T) {
	got, err := ParseLeases("6s/4s/1s")
	if want := (Leases{6 * time.Second, 4 * time.Second, time.Second}); err != nil || got != want {
		t.Errorf("read %v, %v", got, err)
	}
	if got, err := ParseLeases(""); err != nil || got != (Leases{}) {
		t.Errorf("read %v, %v from nothing", got, err)
	}
	for _, bad := range []string{"6s", "6s/4s/x", "1/2/3"} {
		if _, err := ParseLeases(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	o := Defaults()
	o.Leases = Leases{4 * time.Second, 6 * time.Second, time.Second}
	if err := o.Validate(); err == nil {
		t.Error("a lease shorter than its renew deadline was accepted")
	}
}

func TestSignalNamed(t *testing.T) {
	for _, name := range []string{"", "kill", "SIGSTOP", "CONT", "15"} {
		if _, err := signalNamed(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := signalNamed("HUP"); err == nil {
		t.Error("HUP was accepted")
	}
}
