package downstream

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func TestRuns_commandLines(t *testing.T) {
	line := func(image string, command []string, args ...string) Container {
		return Container{Name: "x", Image: image, Command: command, Args: args}
	}
	sh := func(script string) Container { return line("busybox", []string{"/bin/sh", "-c"}, script) }
	const ccmImage = "123456789012.dkr.ecr.us-east-1.amazonaws.com/mirror/provider-aws/cloud-controller-manager:v1.26.14@sha256:0123"
	for _, tc := range []struct {
		name     string
		c        Container
		kcm, ccm bool
	}{
		{"mirror with a digest", line(ccmImage, nil, "--v=2"), false, true},
		{"another cloud's in ECR", line("123456789012.dkr.ecr.us-east-1.amazonaws.com/openstack-cloud-controller-manager:v1", nil), false, false},
		{"program in the command", line("a", []string{"/bin/aws-cloud-controller-manager"}), false, true},
		{"program in args", line("a", nil, "aws-cloud-controller-manager", "--v=2"), false, true},
		{"shell, exec", sh("set -e; exec aws-cloud-controller-manager $ARGS"), false, true},
		{"shell, behind another", sh("sleep 5 && /usr/bin/kube-controller-manager \\\n --cloud-provider=aws"), true, false},
		{"shell, in the background", sh("kube-controller-manager&\nwait"), true, false},
		{"shell, quoted", sh(`"/usr/bin/kube-controller-manager" --v=2`), true, false},
		{"shell as one word of the command", line("a", []string{"bash", "-ec", "exec kube-controller-manager"}), true, false},
		{"init", line("a", []string{"tini", "--", "kube-controller-manager", "--v=2"}), true, false},
		{"go-runner", line("a", []string{"/go-runner", "--log-file=/x", "/usr/local/bin/kube-controller-manager"}), true, false},
		{"hyperkube of old", line("rancher/hyperkube:v1", []string{"/hyperkube", "controller-manager"}), true, false},
		{"image of one processor", line("k8s.gcr.io/kube-controller-manager-amd64:v1.26", nil), true, false},
		{"renamed, with the flags of one", line("ours/ccm:1", []string{"/ccm"}, "--cloud-provider=aws", "--configure-cloud-routes=false"), false, true},
		{"renamed, in-tree", line("ours/kcm:1", []string{"/kcm"}, "--cloud-provider=aws"), false, false}, // no evidence
		{"cluster-autoscaler", line("autoscaling/cluster-autoscaler:v1", []string{"./cluster-autoscaler"}, "--cloud-provider=aws", "--leader-elect=true"), false, false},
		{"kubelet", line("a", []string{"kubelet"}, "--cloud-provider=aws"), false, false},
		{"a KCM is no CCM", line("a", []string{"kube-controller-manager"}, "--cloud-provider=aws", "--configure-cloud-routes=false"), true, false},
		{"fetches the image", line("k8s.gcr.io/kube-controller-manager:v1", []string{"/bin/sleep", "3600"}), false, false},
		{"fetches the image in a shell", line(ccmImage, []string{"sh", "-c", "while true; do sleep 60; done"}), false, false},
		{"copies the program", line(ccmImage, []string{"cp", "/bin/aws-cloud-controller-manager", "/out"}), false, false},
		{"looks for it", sh("pgrep kube-controller-manager || exit 1"), false, false},
		{"asks for its logs", line("kubectl", []string{"kubectl", "logs", "kube-controller-manager"}), false, false},
		{"logs to a file of that name", line("a", []string{"kube-scheduler", "--log-file=/var/log/kube-controller-manager"}), false, false},
		{"Helm installs a chart of that name", line("alpine/helm:3", nil, "upgrade", "--install", "aws-cloud-controller-manager", "repo/aws-cloud-controller-manager"), false, false},
		{"Helm in a command", line("rancher/shell:v1", []string{"helm", "upgrade", "aws-cloud-controller-manager"}), false, false},
		{"Helm in a shell", sh("helm upgrade -i aws-cloud-controller-manager /charts/aws-cloud-controller-manager"), false, false},
		{"asks for its logs by the image's program", line("bitnami/kubectl:1.26", nil, "-n", "kube-system", "rollout", "status", "ds/aws-cloud-controller-manager"), false, false},
		{"names its lease in arguments alone", line("a", nil, "--leader-elect-resource-name", "kube-controller-manager"), false, false},
		{"copies in a shell, then runs", sh("cp /a /b; /b/kube-controller-manager --v=2"), true, false},
		{"names its lease", line("a", []string{"/x"}, "--leader-elect-resource-name", "kube-controller-manager"), false, false},
	} {
		if _, got := RunsKCM([]Container{tc.c}); got != tc.kcm {
			t.Errorf("%s: KCM %v", tc.name, got)
		}
		if _, got := RunsCCM([]Container{{Name: "sidecar", Image: "istio/proxyv2:1"}, tc.c}); got != tc.ccm {
			t.Errorf("%s: CCM %v", tc.name, got)
		}
	}
}

func ccmOf(args ...string) []Container {
	return []Container{{Name: "ccm", Image: "mirror/aws-cloud-controller-manager:v1", Args: append([]string{"--cloud-provider=aws"}, args...)}}
}

func kcmBy(args ...string) []Container {
	return []Container{{Name: "m", Image: "r/hardened-kubernetes:v1", Command: []string{"kube-controller-manager"}, Args: args}}
}

func mounted(cs []Container, mounts ...Mount) []Container {
	cs[0].Mounts = mounts
	return cs
}

// plane returns a cluster of one control plane and one worker with its DaemonSet.
func plane() Facts {
	cp := Node{Name: "a", Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"}}
	return Facts{
		Nodes:      verify.Got([]Node{cp, {Name: "b"}}),
		StaticPods: verify.Got([]Pod{{Namespace: wellknown.System, Name: "kube-controller-manager-a", Node: "a", Mirror: true, Containers: kcmBy("--cloud-provider=external")}}),
		LoosePods:  verify.Got([]Pod{{Namespace: wellknown.System, Name: "kube-controller-manager-a", Node: "a", Mirror: true, Containers: kcmBy("--cloud-provider=external")}}),
		Workloads:  verify.Got[[]Workload](nil),
		DaemonSets: verify.Got([]DaemonSet{{Object: Object{Kind: "DaemonSet", Namespace: wellknown.System, Name: wellknown.CCM}, Desired: 1, Containers: ccmOf()}}),
	}
}

func TestStrays(t *testing.T) {
	workload := func(kind, namespace string, replicas int32, cs []Container) func(*Facts) {
		return func(f *Facts) {
			f.Workloads.Value = append(f.Workloads.Value, Workload{Object: Object{Kind: kind, Namespace: namespace, Name: "x"}, Replicas: replicas, Containers: cs})
		}
	}
	loose := func(p Pod) func(*Facts) {
		return func(f *Facts) { p.Namespace = "web"; f.LoosePods.Value = append(f.LoosePods.Value, p) }
	}
	secret := Mount{Path: "/etc/kubernetes", Kind: "Secret", Name: "kubeconfig"}
	tenant := func(kcm []Container) func(*Facts) {
		return func(f *Facts) {
			workload("Deployment", "tenant", 1, kcm)(f)
			workload("StatefulSet", "tenant", 1, []Container{{Name: "api", Image: "r/kube-apiserver:v1.26"}})(f)
		}
	}
	for _, tc := range []struct {
		name   string
		change func(*Facts)
		want   string // of each: program, object, idle, another cluster, clouds
	}{
		{"nothing else", func(*Facts) {}, ""},
		{"CCM Deployment", workload("Deployment", wellknown.System, 1, ccmOf()), "ccm Deployment kube-system/x clouds"},
		{"CCM elsewhere", workload("Job", "web", 1, ccmOf("--leader-elect=false")), "ccm Job web/x clouds"},
		{"scaled to zero", workload("ReplicaSet", "web", 0, ccmOf()), "ccm ReplicaSet web/x idle clouds"},
		{"in-tree KCM DaemonSet", workload("DaemonSet", "web", 1, kcmBy("--cloud-provider=aws")), "kcm DaemonSet web/x clouds"},
		{"external KCM", workload("DaemonSet", "web", 1, kcmBy("--cloud-provider=external")), "kcm DaemonSet web/x"},
		{"KCM without provider", workload("CronJob", "web", 1, kcmBy()), "kcm CronJob web/x"},
		{"KCM with a provider that is unreadable", workload("Job", "web", 1, kcmBy("--cloud-provider=$(P)")), "kcm Job web/x clouds"},
		{"KCM without cloud controllers", workload("Job", "web", 1, kcmBy("--cloud-provider=aws", "--controllers=*,-service,-route,-cloud-node,-cloud-node-lifecycle,-tagging")), "kcm Job web/x"},
		{"KCM with one controller", workload("Job", "web", 1, kcmBy("--cloud-provider=aws", "--controllers=endpoint")), "kcm Job web/x"},
		{"KCM with one cloud controller", workload("Job", "web", 1, kcmBy("--cloud-provider=aws", "--controllers=route")), "kcm Job web/x clouds"},
		{"KCM with most cloud controllers off", workload("Job", "web", 1, kcmBy("--cloud-provider=aws", "--controllers=*,-service,-route")), "kcm Job web/x clouds"},
		{"bare pod", loose(Pod{Name: "p", Phase: "Running", Containers: ccmOf()}), "ccm Pod web/p clouds"},
		{"bare pod in back-off", loose(Pod{Name: "p", Phase: "Pending", Waiting: "ErrImagePull", Containers: ccmOf()}), "ccm Pod web/p clouds"},
		{"bare pod that ended", loose(Pod{Name: "p", Phase: "Succeeded", Containers: ccmOf()}), ""},
		{"evicted pod", loose(Pod{Name: "p", Phase: "Failed", Containers: ccmOf()}), ""},
		{"static pod of a CCM", loose(Pod{Name: "p-a", Node: "a", Mirror: true, Containers: ccmOf()}), "ccm Pod web/p-a clouds"},
		{"static pod that failed", loose(Pod{Name: "p-a", Node: "a", Mirror: true, Phase: "Failed", Containers: ccmOf()}), "ccm Pod web/p-a clouds"},
		{"old manifest under another label", loose(Pod{Name: "old-a", Node: "a", Mirror: true, Containers: kcmBy("--cloud-provider=aws")}), "kcm Pod web/old-a clouds"},
		{"old manifest under the same label", func(f *Facts) {
			f.StaticPods.Value = append(f.StaticPods.Value, Pod{Namespace: wellknown.System, Name: "old-a", Node: "a", Mirror: true, Containers: kcmBy("--cloud-provider=aws")})
		}, "kcm Pod kube-system/old-a clouds"},
		{"KCM on a worker", loose(Pod{Name: "k-b", Node: "b", Mirror: true, Containers: kcmBy()}), "kcm Pod web/k-b"},
		{"control plane without labels", func(f *Facts) { f.StaticPods.Value = nil }, ""},
		{"two DaemonSets", func(f *Facts) {
			f.DaemonSets.Value = append(f.DaemonSets.Value, DaemonSet{Object: Object{Kind: "DaemonSet", Namespace: "web", Name: "x"}, Current: 1, Containers: ccmOf()})
		}, "ccm DaemonSet web/x clouds"},
		{"a DaemonSet that selects no node", func(f *Facts) {
			f.DaemonSets.Value = append(f.DaemonSets.Value, DaemonSet{Object: Object{Kind: "DaemonSet", Namespace: "web", Name: "x"}, Containers: ccmOf()})
		}, "ccm DaemonSet web/x idle clouds"},
		{"a DaemonSet not counted yet", func(f *Facts) {
			f.DaemonSets.Value = append(f.DaemonSets.Value, DaemonSet{Object: Object{Kind: "DaemonSet", Namespace: "web", Name: "x"}, Generation: 1, Containers: ccmOf()})
		}, "ccm DaemonSet web/x clouds"},
		{"the only DaemonSet has another name", func(f *Facts) { f.DaemonSets.Value[0].Name = "x" }, ""},
		{"of another cluster", tenant(mounted(kcmBy("--kubeconfig=/etc/kubernetes/c.conf", "--cloud-provider=aws"), secret)), "kcm Deployment tenant/x of another's in Secret kubeconfig clouds"},
		{"of another cluster, by subPath", tenant(mounted(ccmOf("--kubeconfig=/k/c.conf"), Mount{Path: "/k/c.conf", Kind: "Projected", Name: "v"})), "ccm Deployment tenant/x of another's in Projected v clouds"},
		{"a Secret, and no API server next to it", workload("Deployment", "tenant", 1, mounted(ccmOf("--kubeconfig=/etc/kubernetes/c.conf"), secret)), "ccm Deployment tenant/x clouds"},
		{"the node's own kubeconfig", tenant(mounted(kcmBy("--kubeconfig=/etc/kubernetes/c.conf"), Mount{Path: "/etc/kubernetes", Kind: "HostPath", Name: "/etc/kubernetes"})), "kcm Deployment tenant/x"},
		{"the node's own below a Secret", tenant(mounted(kcmBy("--kubeconfig=/etc/kubernetes/cred/c.conf"), secret, Mount{Path: "/etc/kubernetes/cred", Kind: "HostPath", Name: "/c"})), "kcm Deployment tenant/x"},
		{"a file that nothing mounts", tenant(kcmBy("--kubeconfig=/var/lib/rancher/rke2/server/cred/controller.kubeconfig")), "kcm Deployment tenant/x"},
		{"no kubeconfig", tenant(mounted(kcmBy(), secret)), "kcm Deployment tenant/x"},
		{"--master as well", tenant(mounted(kcmBy("--kubeconfig=/etc/kubernetes/c.conf", "--master=https://kubernetes.default"), secret)), "kcm Deployment tenant/x"},
		{"--master alone", workload("Deployment", "tenant", 1, kcmBy("--master=https://elsewhere:6443")), "kcm Deployment tenant/x"},
		{"an API server in kube-system", func(f *Facts) {
			workload("Deployment", wellknown.System, 1, mounted(kcmBy("--kubeconfig=/etc/kubernetes/c.conf"), secret))(f)
			workload("DaemonSet", wellknown.System, 1, []Container{{Name: "kube-apiserver"}})(f)
		}, "kcm Deployment kube-system/x"},
	} {
		f := plane()
		tc.change(&f)
		strays, gaps := f.Strays()
		if got := spelled(strays); got != tc.want || len(gaps) > 0 {
			t.Errorf("%s: %q, want %q; gaps %v", tc.name, got, tc.want, gaps)
		}
	}
}

func spelled(strays []Stray) string {
	var all []string
	for _, s := range strays {
		words := []string{map[bool]string{true: "ccm", false: "kcm"}[s.CCM], s.String()}
		if s.Idle {
			words = append(words, "idle")
		}
		if s.Other != "" {
			words = append(words, "of another's in "+s.Other)
		}
		if s.RunsClouds() {
			words = append(words, "clouds")
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// gaps lists what could not be read, independent of the other parts.
func TestStrays_unreadPart_namedInGaps(t *testing.T) {
	forbidden := errors.New("forbidden")
	for name, change := range map[string]func(*Facts){
		"nodes":                      func(f *Facts) { f.Nodes = verify.Failed[[]Node](forbidden) },
		"static pods":                func(f *Facts) { f.StaticPods = verify.Failed[[]Pod](forbidden) },
		"workloads":                  func(f *Facts) { f.Workloads = verify.Failed[[]Workload](forbidden) },
		"DaemonSets":                 func(f *Facts) { f.DaemonSets = verify.Failed[[]DaemonSet](forbidden) },
		"pods that no workload made": func(f *Facts) { f.LoosePods = verify.Read[[]Pod]{} }, // as in a bundle of an earlier version
	} {
		f := plane()
		change(&f)
		strays, gaps := f.Strays()
		if len(strays) != 0 || fmt.Sprint(gaps) != "["+name+"]" {
			t.Errorf("%s: %v, gaps %v", name, strays, gaps)
		}
	}
}
