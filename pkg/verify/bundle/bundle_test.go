package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// planted is a secret without a known pattern: only the rules remove it.
const planted = "hunter-two-planted"

// patterned are secrets that a pattern recognizes anywhere.
var patterned = []string{
	"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
	"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----", "https://admin:s3cr3tpass@registry.example/v2",
	"password=correcthorse", "Bearer abcdefghij",
}

func full() Bundle {
	node := downstream.Node{Name: "ip-10-0-0-1.ec2.internal", ProviderID: "aws:///us-east-1a/i-00000001",
		Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true", downstream.LabelHostname: "ip-10-0-0-1.ec2.internal", downstream.LabelZone: "us-east-1a"},
		Annotations: map[string]string{downstream.AnnotationArgs: `["server","--token","` + planted + `","--cloud-provider-name","aws","--kubelet-arg","cloud-provider=aws","--kubelet-arg","whatever=` + planted +
			`","--kube-controller-manager-arg=feature-gates=A=true","--etcd-arg","` + planted + `","--node-name=ip-10-0-0-1.ec2.internal"]`},
		Ready: downstream.Condition{Status: "False", Message: strings.Join(patterned, " ")}}
	container := downstream.Container{Name: "kube-controller-manager", Image: "rancher/hardened-kubernetes:v1.26.13",
		Command: []string{"kube-controller-manager", planted, "/bin/sh", "-c", "exec kube-controller-manager --x " + planted + " --cloud-provider aws"},
		Args:    []string{"--cloud-provider=aws", "--enable-leader-migration", "--some-flag=" + planted, "--other", planted, "--v", "2"}}
	in := evidence.Input{Distribution: wellknown.RKE2, Position: position.Result{Position: position.P2, Summary: position.P2.Summary()}}
	in.Version, in.Nodes = verify.Got("v1.26.13+rke2r1"), verify.Got([]downstream.Node{node})
	in.StaticPods = verify.Got([]downstream.Pod{{Namespace: wellknown.System, Name: "kube-controller-manager-a", Node: node.Name, Mirror: true, Ready: true, Containers: []downstream.Container{container}},
		{Namespace: wellknown.System, Name: "kube-controller-manager-elsewhere", Node: "elsewhere", Mirror: true, PodHash: true}})
	in.LoosePods = verify.Got([]downstream.Pod{{Namespace: "web", Name: "stray", Containers: []downstream.Container{{Image: "busybox",
		Command: []string{"sh", "-c", "exec aws-cloud-controller-manager --cloud-provider=aws --kubeconfig=/k/a.conf --leader-elect=false --x=" + planted}, Mounts: []downstream.Mount{{Path: "/k", Kind: "Secret", Name: "a"}}}}}})
	in.Workloads, in.DaemonSets, in.CCMPods = verify.Got[[]downstream.Workload](nil), verify.Got[[]downstream.DaemonSet](nil), verify.Got[[]downstream.Pod](nil)
	in.Migration = verify.Got(map[string]downstream.MigrationConfig{"/etc/f": {ConfigMap: "kube-system/f", Text: "apiVersion: v1\nmyfield: " + planted + "\nleaderName: x\n"}})
	in.Events = verify.Got([]downstream.Event{{Object: "Service a/b", Reason: "SyncLoadBalancerFailed", Message: strings.Join(patterned, " "), Warning: true}})
	in.Rights = verify.Failed[downstream.Rights](errors.New("forbidden: " + strings.Join(patterned, " ")))
	in.Cloud = cloud.Facts{On: true, Region: "us-east-1", Instances: verify.Got(map[string]cloud.Instance{"i-00000001": {ID: "i-00000001", State: "stopped", Zone: "us-east-1a", HTTPTokens: "required",
		Tags: cloud.Tags{"kubernetes.io/cluster/demo": "owned", "db": planted}}})}
	in.Unread = errors.New("ConfigMap fleet-default/awsmigrate-demo: forbidden")
	in.Planned = &downstream.DaemonSet{Containers: []downstream.Container{container}}
	return Bundle{At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Header: []string{"demo"}, Input: in, Target: Target{Kind: "rke2", Name: "demo"},
		Own: []verify.Recorded{{ID: "AWSM-111", Findings: []verify.Finding{{Status: verify.Fail, Object: "Machine a", Seen: "kubelet-arg: foo=" + planted + " HttpTokens=required", Wanted: "foo=" + planted + " cloud-provider=aws", Fix: strings.Join(patterned, " ")}}}}}
}

// A bundle contains no secret of the cluster, and the reading itself is unchanged.
func TestEncode_plantedSecrets_removed(t *testing.T) {
	b, before := full(), full()
	text, err := Encode(b, NewRedactor())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range append([]string{planted, "MIIEpAIBAAKCAQEA", "s3cr3tpass", "correcthorse", "abcdefghij", "RSA PRIVATE"}, patterned[:3]...) {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is in the bundle", secret)
		}
	}
	for _, kept := range []string{"--cloud-provider=aws", "--enable-leader-migration", `\"--node-name=ip-10-0-0-1.ec2.internal\"`, `\"cloud-provider=aws\"`, "kubernetes.io/cluster/demo", "leaderName: x", "HttpTokens=required"} {
		if !bytes.Contains(text, []byte(kept)) {
			t.Errorf("%q, which checks judge, is not in the bundle", kept)
		}
	}
	if diff := cmp.Diff(before.Input.StaticPods.Value, b.Input.StaticPods.Value); diff != "" {
		t.Errorf("the reading itself was changed:\n%s", diff)
	}
}

// A bundle of a version that did not read pods without a workload proves nothing about them.
func TestDecode_earlierBundle_loosePodsUnknown(t *testing.T) {
	text, err := Encode(full(), NewRedactor())
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	input, ok := document["input"].(map[string]any)
	if _, has := input["LoosePods"]; !ok || !has {
		t.Fatalf("the bundle has no LoosePods: %v", input)
	}
	delete(input, "LoosePods")
	if text, err = json.Marshal(document); err != nil {
		t.Fatal(err)
	}
	back, err := Decode("file x", text)
	if err != nil {
		t.Fatal(err)
	}
	report := verify.RunAll(t.Context(), checks.Bind(back.Input), verify.Options{Position: position.P2, Only: []string{"AWSM-205", "AWSM-215"}})
	if report.Counts[verify.Unknown] != 2 {
		t.Errorf("%+v", report.Results)
	}
}

// The programs of containers are the same from a bundle, whatever its command lines omit.
func TestEncode_commandLines_programsKept(t *testing.T) {
	sh := func(script string) downstream.Container {
		return downstream.Container{Name: "x", Image: "busybox", Command: []string{"/bin/sh", "-ec"}, Args: []string{script}}
	}
	all := []downstream.Container{
		sh("helm upgrade x " + planted + "; exec kube-controller-manager --a=" + planted), sh(`cp /a /b&&"/b/aws-cloud-controller-manager" --cloud-provider=aws`),
		sh("sleep 5\nkube-controller-manager|tee /x"), sh("helm upgrade aws-cloud-controller-manager"), sh("while true; do sleep 60; done"),
		{Image: "alpine/helm:3", Args: []string{"upgrade", "aws-cloud-controller-manager"}}, {Image: "a", Command: []string{"helm", "install", "aws-cloud-controller-manager"}},
		{Image: "r/kube-controller-manager-amd64:v1", Command: []string{"/bin/sleep", "3600"}}, {Image: "r/hyperkube:v1", Command: []string{"/hyperkube", "controller-manager"}},
		{Image: "r/kube-controller-manager:v1", Command: []string{"sh", "-ec", "sleep 3600"}},
		{Image: "a", Command: []string{"tini", "--", "kube-controller-manager"}}, {Image: "a", Command: []string{"/x/kube-controller-manager-arm64"}},
		{Image: "a", Command: []string{"/ccm"}, Args: []string{"--cloud-provider=aws", "--concurrent-service-syncs=" + planted}},
	}
	b := full()
	b.Input.LoosePods = verify.Got([]downstream.Pod{{Containers: all}})
	text, err := Encode(b, NewRedactor())
	if err != nil || bytes.Contains(text, []byte(planted)) {
		t.Fatalf("%v, or a secret is in the bundle", err)
	}
	back, err := Decode("file x", text)
	if err != nil {
		t.Fatal(err)
	}
	for i, now := range back.Input.LoosePods.Value[0].Containers {
		for _, runs := range []func([]downstream.Container) (downstream.Container, bool){downstream.RunsKCM, downstream.RunsCCM} {
			_, before := runs(all[i : i+1])
			if _, after := runs([]downstream.Container{now}); before != after {
				t.Errorf("%q %q is %t, and %t from a bundle: %q %q", all[i].Command, all[i].Args, before, after, now.Command, now.Args)
			}
		}
	}
}

// The report from a bundle equals the report from the cluster.
func TestDecode_encodedBundle_sameReport(t *testing.T) {
	b := full()
	b.Input.Rights = verify.Failed[downstream.Rights](errors.New("forbidden"))
	b.Input.Workloads.Value = []downstream.Workload{
		{Object: downstream.Object{Kind: "Deployment", Namespace: "tenant", Name: "plane"}, Replicas: 1, Containers: []downstream.Container{
			{Image: "a", Command: []string{"kube-apiserver", "--secret=" + planted}}, {Image: "a", Command: []string{"kube-controller-manager", "--kubeconfig=/k/a.conf"},
				Mounts: []downstream.Mount{{Path: "/k", Kind: "Secret", Name: "a"}}}}},
		{Object: downstream.Object{Kind: "StatefulSet", Namespace: "web", Name: "idle"}, Containers: []downstream.Container{{Image: "r/hyperkube:v1", Command: []string{"/hyperkube", "controller-manager"}}}},
		{Object: downstream.Object{Kind: "DaemonSet", Namespace: "web", Name: "fetches"}, Replicas: 3, Containers: []downstream.Container{{Image: "r/kube-controller-manager:v1", Command: []string{"/bin/sleep", "3600"}}}},
	}
	b.Input.Events.Value[0].Message = "AccessDenied"
	b.Input.Nodes.Value[0].Ready.Message = ""
	text, err := Encode(b, NewRedactor())
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode("file x", text)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(in evidence.Input) string {
		in.ImageAllowed = func(string, string, string) error { return nil }
		report, err := json.MarshalIndent(verify.RunAll(t.Context(), checks.Bind(in), verify.Options{Position: position.Unknown}), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(report)
	}
	live := judge(b.Input)
	if diff := cmp.Diff(live, judge(back.Input)); diff != "" {
		t.Errorf("of the cluster (-), of the bundle (+):\n%s", diff)
	}
	for _, part := range []string{"forbidden", "not checked", "stopped", "and waits for no lease", "taken for another cluster's", "would run"} {
		if !strings.Contains(live, part) {
			t.Errorf("the report does not say %q, and proves little", part)
		}
	}
	if pods := back.Input.StaticPods.Value; pods[0].PodHash || !pods[1].PodHash {
		t.Error("the sign of frozen arguments is lost")
	}
	if !back.At.Equal(b.At) || back.Target != b.Target {
		t.Errorf("came back as %+v", back)
	}
}

func TestDecode_invalidBundle_refused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "x", "another kind": `{"apiVersion":"awsmigrate.io/v1","kind":"Plan","schema":1}`,
		"a newer schema": `{"apiVersion":"awsmigrate.io/v1","kind":"AuditBundle","schema":2}`,
		"bad content":    `{"apiVersion":"awsmigrate.io/v1","kind":"AuditBundle","schema":1,"at":5}`, "empty": "", "null": "null",
	} {
		if _, err := Decode("file x", []byte(text)); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	text, err := Encode(full(), NewRedactor())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Decode("file x", text)
		if err != nil {
			return
		}
		report := verify.RunAll(t.Context(), checks.Bind(b.Input), verify.Options{Position: b.Input.Position.Position})
		for _, r := range report.Results {
			if strings.Contains(r.Reason, "the check itself failed") {
				t.Errorf("%s: %s", r.ID, r.Reason)
			}
		}
	})
}
