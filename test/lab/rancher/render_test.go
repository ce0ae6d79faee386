package rancher

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func secretOf(annotation, cluster string, data map[string]string) secretReader {
	return func(namespace, name string) (*corev1.Secret, error) {
		if name != "known" {
			return nil, errors.New("secrets \"" + namespace + "/" + name + "\" not found")
		}
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation: cluster}}, Data: map[string][]byte{}}
		for k, v := range data {
			s.Data[k] = []byte(v)
		}
		return s, nil
	}
}

func TestRenderAdditions(t *testing.T) {
	role := func(l ...string) target {
		out := target{UID: "u", Labels: map[string]string{}, Join: "https://10.0.0.1:9345"}
		for _, k := range l {
			out.Labels[k] = "true"
		}
		return out
	}
	named := role(labelControlPlane, labelEtcd, labelWorker)
	named.NodeName, named.Join = "mine", "-"
	named.Own = map[string]string{"zone": "a"}
	for _, c := range []struct {
		name   string
		config map[string]any
		target target
		want   map[string]string // key to fmt.Sprint of its value; empty if absent
	}{
		{"control plane", map[string]any{"kube-controller-manager-arg": "v=4"}, role(labelControlPlane), map[string]string{
			"kube-controller-manager-arg": "[v=4 cert-dir=/var/lib/rancher/rke2/server/tls/kube-controller-manager secure-port=10257]",
			"kube-scheduler-arg":          "[cert-dir=/var/lib/rancher/rke2/server/tls/kube-scheduler secure-port=10259]",
			"disable-etcd":                "true", "node-taint": "[node-role.kubernetes.io/control-plane:NoSchedule]", "server": "https://10.0.0.1:9345"}},
		{"own certificate and port", map[string]any{"kube-controller-manager-arg": []any{"tls-cert-file=/x/c.crt", "secure-port=1"}}, role(labelControlPlane), map[string]string{
			"kube-controller-manager-arg": "[tls-cert-file=/x/c.crt secure-port=1]", "kube-controller-manager-extra-mount": "[/x:/x]"}},
		{"etcd", nil, role(labelEtcd), map[string]string{
			"disable-apiserver": "true", "disable-controller-manager": "true", "disable-scheduler": "true",
			"node-taint": "[node-role.kubernetes.io/etcd:NoExecute]", "kube-controller-manager-arg": ""}},
		{"combined", nil, role(labelEtcd, labelControlPlane), map[string]string{
			"node-taint": "[node-role.kubernetes.io/control-plane:NoSchedule node-role.kubernetes.io/etcd:NoExecute]", "disable-etcd": "", "disable-apiserver": ""}},
		{"all roles, first, named", nil, named, map[string]string{
			"node-taint": "", "server": "", "node-name": "mine", "node-label": "[rke.cattle.io/machine=u zone=a]"}},
		{"worker", map[string]any{"disable-cloud-controller": true, "cloud-provider-name": "aws"}, role(labelWorker), map[string]string{
			"disable-cloud-controller": "", "cloud-provider-name": "aws", "node-taint": "", "node-label": "[rke.cattle.io/machine=u]"}},
		{"empty values go", map[string]any{"kubelet-arg": []any{}, "cloud-provider-name": ""}, role(labelWorker), map[string]string{"kubelet-arg": "", "cloud-provider-name": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := controlPlaneSpec{userConfig: userConfig{MachineGlobalConfig: c.config}}
			got, _, err := render(spec, rke2Arguments(26), c.target, nil, "demo", "fleet-default")
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range c.want {
				v, ok := got[k]
				if ok != (want != "") || (ok && fmt.Sprint(v) != want) {
					t.Errorf("%s: %v, wanted %q", k, v, want)
				}
			}
		})
	}
}

func TestCloudConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		secret      secretReader
		want, fails string
	}{
		{"inline", "[Global]\nVPC=v\n", nil, "[Global]\nVPC=v", ""},
		{"by reference", "secret://fleet-default:known", secretOf(annotationAuthorizedV2, "other,demo", map[string]string{"credential": "x"}), "x", ""},
		{"another cluster's", "secret://fleet-default:known", secretOf(annotationAuthorizedV2, "other", nil), "", "does not belong to cluster 'demo'"},
		{"without the key", "secret://fleet-default:known", secretOf(annotationAuthorizedV2, "demo", nil), "", "no config could be found"},
		{"malformed", "secret://known", nil, "", "must be of the format"},
		{"missing", "secret://fleet-default:gone", secretOf("", "", nil), "", "not found"},
	} {
		got, err := fileContent("cloud-provider-config", strings.TrimSpace(c.value), c.secret, "demo")
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %v, wanted an error with %q", c.name, err, c.fails)
		case c.fails == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestRestartStamp(t *testing.T) {
	plan := nodePlan{Files: []planFile{{Path: "a", Content: "1"}, {Path: "m", Content: "x", Dynamic: true}}}
	base := restartStamp(plan, 0, "image")
	plan.Files[1].Content = "y"
	if restartStamp(plan, 0, "image") != base {
		t.Error("a dynamic file changes the stamp")
	}
	plan.Files[0].Content = "2"
	for what, got := range map[string]string{
		"file": restartStamp(plan, 0, "image"), "generation": restartStamp(nodePlan{}, 1, "image"), "image": restartStamp(nodePlan{}, 0, "other"),
	} {
		if got == base || got == restartStamp(nodePlan{}, 0, "image") {
			t.Errorf("the stamp does not follow the %s", what)
		}
	}
}

func TestMaxUnhealthy(t *testing.T) {
	for setting, want := range map[string]int{"": 5, "2": 2, "40%": 2, "50%": 2, "100%": 5, "0": 0} {
		if got, err := maxUnhealthy(setting, 5); err != nil || got != want {
			t.Errorf("%q: %d, %v; wanted %d", setting, got, err, want)
		}
	}
	if _, err := maxUnhealthy("some", 5); err == nil {
		t.Error("no error for a limit that is none")
	}
}
