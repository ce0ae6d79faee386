package downstream

import (
	"errors"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestParseProviderID(t *testing.T) {
	for id, want := range map[string]bool{
		"aws:///us-east-1a/i-0123456789abcdef0": true, "aws:///us-east-1a/i-01234567": true,
		"": false, "rke2://node": false, "aws:///i-01234567": true, "aws:///us-east-1a/fargate-ip": false, "aws:///us-east-1a/i-0123456": false,
		"aws:///us-east-1a/i-01234567/x": false, "aws://us-east-1a/i-01234567": true,
	} {
		if _, _, got := ParseProviderID(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}

func TestNodeArgs(t *testing.T) {
	cases := []struct{ raw, kubelet, node string }{
		{`["server","--cloud-provider-name","aws","--node-name","n1"]`, "aws", "n1"},
		{`["server","--cloud-provider-name=aws","--kubelet-arg","cloud-provider=external"]`, "external", ""},
		{`["agent","--kubelet-arg=cloud-provider=aws","--kubelet-arg","v=2","--kubelet-arg","cloud-provider=external"]`, "external", ""},
		{`["server","--disable-cloud-controller","--cloud-provider-name","external"]`, "external", ""},
		{`["agent"]`, "", ""},
	}
	for _, tc := range cases {
		n := Node{Annotations: map[string]string{AnnotationArgs: tc.raw}}
		a, ok, err := n.NodeArgs()
		if !ok || err != nil || a.KubeletProvider() != tc.kubelet || a.Last("node-name") != tc.node {
			t.Errorf("%s: provider %q, name %q, %v", tc.raw, a.KubeletProvider(), a.Last("node-name"), err)
		}
	}
	if _, ok, _ := (Node{}).NodeArgs(); ok {
		t.Error("arguments of a node without them")
	}
	if _, _, err := (Node{Annotations: map[string]string{AnnotationArgs: "{"}}).NodeArgs(); err == nil {
		t.Error("bad JSON was read")
	}
}

func TestKeeps(t *testing.T) {
	chart := []Toleration{{"node-role.kubernetes.io/control-plane", "", "", "NoSchedule"}}
	cases := []struct {
		name        string
		tolerations []Toleration
		host        bool
		taint       Taint
		kept        bool
	}{
		{"cordon keeps nothing away", nil, false, Taint{TaintUnschedulable, "", "NoSchedule"}, false},
		{"not ready, no schedule", nil, true, Taint{"node.kubernetes.io/not-ready", "", "NoSchedule"}, true},
		{"not ready, no execute", nil, true, Taint{"node.kubernetes.io/not-ready", "", "NoExecute"}, false},
		{"a machine that does not answer", nil, true, Taint{"node.kubernetes.io/unreachable", "", "NoSchedule"}, false},
		{"a machine that is off", nil, true, Taint{"node.cloudprovider.kubernetes.io/shutdown", "", "NoSchedule"}, false},
		{"a machine out of service", nil, true, Taint{"node.kubernetes.io/out-of-service", "nodeshutdown", "NoExecute"}, false},
		{"network, pod network", nil, false, Taint{"node.kubernetes.io/network-unavailable", "", "NoSchedule"}, true},
		{"network, host network", nil, true, Taint{"node.kubernetes.io/network-unavailable", "", "NoSchedule"}, false},
		{"RKE2's taint, chart's default", chart, true, Taint{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}, false},
		{"RKE's value, chart's default", chart, true, Taint{"node-role.kubernetes.io/control-plane", "true", "NoSchedule"}, true},
		{"etcd taint, chart's default", chart, true, Taint{"node-role.kubernetes.io/etcd", "", "NoExecute"}, true},
		{"everything", []Toleration{{"", "Exists", "", ""}}, true, Taint{"x", "y", "NoExecute"}, false},
		{"a preference", nil, true, Taint{"x", "y", "PreferNoSchedule"}, false},
	}
	for _, tc := range cases {
		d := DaemonSet{Tolerations: tc.tolerations, HostNetwork: tc.host}
		if got := d.Keeps(Node{Taints: []Taint{tc.taint}}); (len(got) > 0) != tc.kept {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestRuns(t *testing.T) {
	cases := []struct {
		name     string
		c        Container
		kcm, ccm bool
	}{
		{"RKE2", Container{Image: "rancher/hardened-kubernetes:v1", Command: []string{"kube-controller-manager"}}, true, false},
		{"hyperkube", Container{Image: "hyperkube:v1", Command: []string{"/hyperkube", "kube-controller-manager"}}, true, false},
		{"image of its own", Container{Image: "r:5000/kube-controller-manager@sha256:1"}, true, false},
		{"shell", Container{Image: "a", Command: []string{"sh", "-c", "exec /usr/bin/kube-controller-manager --v=2"}}, true, false},
		{"metrics", Container{Image: "rancher/pushprox-client", Args: []string{"--proxy-url=http://pushprox-kube-controller-manager-proxy:8080"}}, false, false},
		{"upstream CCM", Container{Name: "aws-cloud-controller-manager", Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"}, false, true},
		{"mirrored CCM", Container{Name: "x", Image: "mirror/cloud-controller-manager:v1", Args: []string{"--cloud-provider=aws"}}, false, true},
		{"RKE2's stub", Container{Name: "cloud-controller-manager", Image: "rancher/rke2-cloud-provider:v1", Command: []string{"cloud-controller-manager"}}, false, false},
		{"another cloud", Container{Name: "x", Image: "openstack-cloud-controller-manager:v1"}, false, false},
	}
	for _, tc := range cases {
		if _, got := RunsKCM([]Container{tc.c}); got != tc.kcm {
			t.Errorf("%s: KCM %v", tc.name, got)
		}
		if _, got := RunsCCM([]Container{tc.c}); got != tc.ccm {
			t.Errorf("%s: CCM %v", tc.name, got)
		}
	}
}

func TestOwner(t *testing.T) {
	o := func(holder, manager string, at time.Duration) lease.Series {
		x := lease.Observation{Exists: true, Holder: holder, Manager: manager}
		s := lease.Series{First: x, Last: x}
		s.Last.At = at
		return s
	}
	alive := func(holder, manager string) lease.Series {
		s := o(holder, manager, 2*time.Second)
		s.Last.Renew = s.First.Renew.Add(2 * time.Second)
		return s
	}
	kcm, ccm := alive("a", "kube-controller-manager"), alive("b", "aws-cloud-controller-manager")
	for name, tc := range map[string]struct {
		leases verify.Read[lease.Leases]
		want   position.Owner
	}{
		"not read":                   {verify.Failed[lease.Leases](errors.New("403")), position.OwnerUnseen},
		"absent":                     {verify.Got(lease.Leases{KCM: kcm}), position.NoLease},
		"empty":                      {verify.Got(lease.Leases{Migration: o("", "x", 0), KCM: kcm}), position.NoHolder},
		"KCM":                        {verify.Got(lease.Leases{Migration: kcm, KCM: kcm}), position.HeldByKCM},
		"dead KCM":                   {verify.Got(lease.Leases{Migration: o("gone", "kube-controller-manager", time.Minute), KCM: kcm}), position.NoHolder},
		"CCM":                        {verify.Got(lease.Leases{Migration: ccm, KCM: kcm, CCM: ccm}), position.HeldByCCM},
		"dead CCM":                   {verify.Got(lease.Leases{Migration: o("gone", "aws-cloud-controller-manager", time.Minute), KCM: kcm, CCM: ccm}), position.NoHolder},
		"CCM, not yet seen renewing": {verify.Got(lease.Leases{Migration: o("b", "aws-cloud-controller-manager", 0), KCM: kcm, CCM: ccm}), position.NoHolder},
		"evidence differs":           {verify.Got(lease.Leases{Migration: alive("a", "aws-cloud-controller-manager"), KCM: kcm, CCM: ccm}), position.OwnerUnseen},
		"dead, evidence differs":     {verify.Got(lease.Leases{Migration: o("a", "aws-cloud-controller-manager", time.Minute), KCM: kcm, CCM: ccm}), position.NoHolder},
		"a stranger that renews":     {verify.Got(lease.Leases{Migration: alive("x", "someone"), KCM: kcm, CCM: ccm}), position.OwnerUnseen},
		"dead stranger":              {verify.Got(lease.Leases{Migration: o("x", "someone", time.Minute), KCM: kcm, CCM: ccm}), position.NoHolder},
	} {
		if got := (Facts{Leases: tc.leases}).owner(); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

func TestEvidence_givenKCMs_replaceVisible(t *testing.T) {
	own := []position.KCM{{Machine: "a", Mode: component.InTree}}
	e := Facts{DaemonSets: verify.Got[[]DaemonSet](nil), Workloads: verify.Got[[]Workload](nil), Rights: verify.Got(Rights{}), Grant: verify.Got(GrantObjects{})}.Evidence(own)
	if got := position.Compute(e); got.Position != position.P0 || got.Mixed {
		t.Errorf("got %+v", got)
	}
}
