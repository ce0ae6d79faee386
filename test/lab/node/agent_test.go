package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	dnsName   = "ip-10-0-1-10.ec2.internal"
	kcmMirror = KubeControllerManager + "-" + dnsName
)

func rke2(extra map[string]any) map[string]any {
	out := map[string]any{
		"cloud-provider-name": "aws", "node-label": []string{machineLabel + "=uid-1"}, "token": "s3cret",
		"kube-controller-manager-arg": []string{"cert-dir=" + serverTLS + "/kube-controller-manager", "secure-port=10257"},
	}
	for key, value := range extra {
		out[key] = value
	}
	return out
}

// TestMachine boots one machine on the real 1.26 components and applies the changes of a
// migration: a flag, a bad flag, pods, a rename, a power cut.
func TestMachine(t *testing.T) {
	m := newMachine(t)
	m.plan(rke2(nil), "")
	m.eventually("an in-tree node", m.inTreeNode)
	m.eventually("all probes healthy", m.probesHealthy)
	m.eventually("KCM's mirror pod ready", func(ctx context.Context) error { return m.mirrorReady(ctx, kcmMirror) })
	m.eventually("AWS asked by both, each under its own name", m.awsAsked)
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a flag restarts KCM alone", m.flagRestartsOnlyKCM},
		{"a plan without a new stamp restarts nothing", m.addonsAreDeployed},
		{"pods run", m.podsRun},
		{"a cloud controller manager runs", m.cloudControllerRuns},
		{"a bad flag crash-loops visibly", m.badFlag},
		{"a left manifest runs until it is taken away", m.leftManifestRuns},
		{"external renames, and taints the new node only", m.renames},
		{"power off and on", m.powerCycle},
	} {
		if !t.Run(step.name, step.run) {
			return
		}
	}
}

func (m *machine) inTreeNode(ctx context.Context) error {
	node, err := m.node(ctx, dnsName)
	if err != nil {
		return err
	}
	var words []string
	if err := json.Unmarshal([]byte(node.Annotations[nodeArgsAnnotation]), &words); err != nil {
		return fmt.Errorf("node-args: %w", err)
	}
	switch {
	case !isReady(node):
		return errors.New("not ready")
	case node.Spec.ProviderID != "aws:///us-east-1a/i-0123456789abcdef0":
		return fmt.Errorf("ProviderID %q", node.Spec.ProviderID)
	case node.Labels["node-role.kubernetes.io/control-plane"] != "true" || node.Labels[machineLabel] != "uid-1":
		return fmt.Errorf("labels %v", node.Labels)
	case !slices.Contains(words, "--cloud-provider-name") || !slices.Contains(words, masked):
		return fmt.Errorf("node-args %v", words)
	case slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == uninitializedTaint }):
		return fmt.Errorf("taints %v", node.Spec.Taints)
	}
	return nil
}

// awsAsked waits until KCM has called AWS, which it does only after it holds its lease. It is
// ready before that.
func (m *machine) awsAsked(context.Context) error {
	for _, caller := range []string{"kubelet.demo-cp-0", KubeControllerManager} {
		if m.aws.calls(caller) == 0 {
			return fmt.Errorf("%s has not asked", caller)
		}
	}
	return nil
}

func (m *machine) probesHealthy(ctx context.Context) error {
	secret, err := m.mgmt.CoreV1().Secrets("fleet-default").Get(ctx, m.planSecret(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if string(secret.Data[keyAppliedChecksum]) != planChecksum(secret.Data[keyPlan]) {
		return errors.New("the plan is not applied")
	}
	var statuses map[string]probeStatus
	if err := json.Unmarshal(secret.Data[keyProbeStatuses], &statuses); err != nil {
		return err
	}
	for name, status := range statuses {
		if !status.Healthy {
			return fmt.Errorf("%s is not healthy", name)
		}
	}
	if len(statuses) != 4 {
		return fmt.Errorf("%d probes", len(statuses))
	}
	return nil
}

func (m *machine) mirrorReady(ctx context.Context, name string) error {
	pod, err := m.pod(ctx, name)
	if err != nil {
		return err
	}
	if !podReady(pod) || pod.Status.Phase != corev1.PodRunning {
		return fmt.Errorf("%s: %+v", name, pod.Status)
	}
	return nil
}

func (m *machine) mirror(t *testing.T, component string) *corev1.Pod {
	t.Helper()
	pod, err := m.pod(t.Context(), component+"-"+dnsName)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func (m *machine) flagRestartsOnlyKCM(t *testing.T) {
	before := map[string]*corev1.Pod{}
	for _, component := range []string{KubeAPIServer, KubeControllerManager, KubeScheduler, Etcd} {
		before[component] = m.mirror(t, component)
	}
	m.plan(rke2(map[string]any{"kube-controller-manager-arg": []string{"enable-leader-migration"}}), "")
	m.eventually("KCM with the flag", func(ctx context.Context) error {
		if pod, err := m.pod(ctx, kcmMirror); err != nil || !slices.Contains(pod.Spec.Containers[0].Args, "--enable-leader-migration=true") {
			return fmt.Errorf("no flag yet: %w", err)
		}
		return m.mirrorReady(ctx, kcmMirror)
	})
	for component, old := range before {
		now := m.mirror(t, component)
		moved := now.UID != old.UID || now.Annotations[configHash] != old.Annotations[configHash] || !now.Status.StartTime.Equal(old.Status.StartTime)
		if moved != (component == KubeControllerManager) {
			t.Errorf("%s: replaced %t", component, moved)
		}
		for _, argument := range now.Spec.Containers[0].Args {
			if strings.Contains(argument, m.c.Dir) || strings.Contains(argument, m.c.IP) {
				t.Errorf("the mirror pod of %s shows the lab's own %s", component, argument)
			}
		}
	}
}

func (m *machine) addonsAreDeployed(t *testing.T) {
	config := rke2(map[string]any{"kube-controller-manager-arg": []string{"enable-leader-migration"}})
	before := m.mirror(t, KubeControllerManager)
	object := func(name string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: kube-system}\ndata: {a: b}\n"
	}
	exists := func(name string, want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := m.admin.CoreV1().ConfigMaps("kube-system").Get(ctx, name, metav1.GetOptions{})
			if (err == nil) != want {
				return fmt.Errorf("ConfigMap %s: wanted it there %t: %w", name, want, err)
			}
			return nil
		}
	}
	m.plan(config, object("one")+object("two"))
	m.eventually("both add-ons", exists("two", true))
	m.plan(config, object("one"))
	m.eventually("one pruned", exists("two", false))
	m.eventually("one kept", exists("one", true))
	if now := m.mirror(t, KubeControllerManager); now.UID != before.UID {
		t.Error("KCM was replaced")
	}
}

// daemonSet creates one of a container that runs an image.
func (m *machine) daemonSet(t *testing.T, name, image string, change func(*corev1.PodSpec)) {
	t.Helper()
	labels := map[string]string{"app": name}
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{HostNetwork: true, TerminationGracePeriodSeconds: ptr.To[int64](2), Containers: []corev1.Container{{
				Name: "c", Image: image, Args: []string{"--cloud-provider=aws", "--v=2", "--configure-cloud-routes=false"},
				TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			}}},
		}},
	}
	change(&set.Spec.Template.Spec)
	if _, err := m.admin.AppsV1().DaemonSets("kube-system").Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// podsRun lets the real controllers and scheduler place a DaemonSet of pause pods, a CCM image
// without rights, pods that cannot start and a failing Job.
func (m *machine) podsRun(t *testing.T) {
	ctx := t.Context()
	unchanged := func(*corev1.PodSpec) {}
	m.daemonSet(t, "pause", "lab/pause:1", unchanged)
	m.daemonSet(t, "nothing", "example.com/nothing:v1", unchanged)
	m.daemonSet(t, "config-error", "lab/pause:1", func(spec *corev1.PodSpec) {
		spec.Containers[0].Env = []corev1.EnvVar{{Name: "X", ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "none"}, Key: "x"}}}}
	})
	m.daemonSet(t, "mount-error", "lab/pause:1", func(spec *corev1.PodSpec) {
		spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none"}}}}
	})
	m.daemonSet(t, "ccm", "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14", unchanged)
	_, err := m.admin.BatchV1().Jobs("kube-system").Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "job"},
		Spec: batchv1.JobSpec{BackoffLimit: ptr.To[int32](0), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "c", Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1", Args: []string{"--no-such-flag"},
				TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.eventually("the pause DaemonSet available", func(ctx context.Context) error {
		ds, err := m.admin.AppsV1().DaemonSets("kube-system").Get(ctx, "pause", metav1.GetOptions{})
		if err != nil || ds.Status.NumberAvailable != 1 {
			return fmt.Errorf("not available: %w", err)
		}
		return nil
	})
	m.saysWhyPodsFail()
	m.eventually("a CCM without rights that crash-loops and says why", m.crashLooping)
	m.eventually("the Job failed", func(ctx context.Context) error {
		pods, err := m.admin.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "job-name=job"})
		if err != nil || len(pods.Items) != 1 || pods.Items[0].Status.Phase != corev1.PodFailed {
			return fmt.Errorf("%d pods: %w", len(pods.Items), err)
		}
		if ended := pods.Items[0].Status.ContainerStatuses[0].State.Terminated; ended == nil || !strings.Contains(ended.Message, "unknown flag: --no-such-flag") {
			return fmt.Errorf("status %+v", pods.Items[0].Status.ContainerStatuses)
		}
		return nil
	})
	for _, name := range []string{"pause", "nothing", "config-error", "mount-error", "ccm"} {
		if err := m.admin.AppsV1().DaemonSets("kube-system").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	m.eventually("all pods gone", func(ctx context.Context) error {
		pods, err := m.admin.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "app"})
		if err != nil || len(pods.Items) > 0 {
			return fmt.Errorf("%d left: %w", len(pods.Items), err)
		}
		return nil
	})
}

// saysWhyPodsFail checks states and events for the words of a real kubelet.
func (m *machine) saysWhyPodsFail() {
	m.eventually("an image that cannot be pulled", m.waiting("nothing", "ImagePullBackOff: Back-off pulling image \"example.com/nothing:v1\""))
	m.eventually("its event", m.event("nothing-", "Failed: Failed to pull image \"example.com/nothing:v1\": rpc error: code = NotFound"))
	m.eventually("a configuration error", m.waiting("config-error", "CreateContainerConfigError: secret \"none\" not found"))
	m.eventually("its event", m.event("config-error-", "Failed: Error: secret \"none\" not found"))
	m.eventually("a missing volume", m.waiting("mount-error", "ContainerCreating: "))
	m.eventually("its event", m.event("mount-error-", "FailedMount: MountVolume.SetUp failed for volume \"v\" : secret \"none\" not found"))
	m.eventually("the event of a start", m.event("pause-", "Started: Started container c"))
}

func (m *machine) container(ctx context.Context, app string) (corev1.ContainerStatus, error) {
	pods, err := m.admin.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil || len(pods.Items) != 1 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		return corev1.ContainerStatus{}, fmt.Errorf("pods of %s not there yet: %w", app, err)
	}
	return pods.Items[0].Status.ContainerStatuses[0], nil
}

func (m *machine) waiting(app, state string) func(context.Context) error {
	return func(ctx context.Context) error {
		status, err := m.container(ctx, app)
		if err != nil {
			return err
		}
		if waits := status.State.Waiting; waits == nil || waits.Reason+": "+waits.Message != state {
			return fmt.Errorf("state %+v", status.State)
		}
		return nil
	}
}

// event checks that an event of a pod begins with a text.
func (m *machine) event(pod, text string) func(context.Context) error {
	return func(ctx context.Context) error {
		events, err := m.admin.CoreV1().Events("kube-system").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if strings.HasPrefix(e.InvolvedObject.Name, pod) && strings.HasPrefix(e.Reason+": "+e.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("none of %d events", len(events.Items))
	}
}

func (m *machine) crashLooping(ctx context.Context) error {
	status, err := m.container(ctx, "ccm")
	if err != nil {
		return err
	}
	last := status.LastTerminationState.Terminated
	if status.RestartCount < 1 || last == nil || last.ExitCode == 0 || last.Message == "" {
		return fmt.Errorf("status %+v", status)
	}
	return nil
}

func (m *machine) badFlag(t *testing.T) {
	m.plan(rke2(map[string]any{"kube-controller-manager-arg": []string{"no-such-flag"}}), "")
	// RKE2's static pods keep no last words: the exit code is all there is.
	m.eventually("KCM in back-off", func(ctx context.Context) error {
		pod, err := m.pod(ctx, kcmMirror)
		if err != nil || len(pod.Status.ContainerStatuses) != 1 {
			return fmt.Errorf("no mirror pod: %w", err)
		}
		status := pod.Status.ContainerStatuses[0]
		last := status.LastTerminationState.Terminated
		if status.State.Waiting == nil || status.State.Waiting.Reason != "CrashLoopBackOff" || last == nil || last.ExitCode == 0 || last.Message != "" {
			return fmt.Errorf("status %+v", status)
		}
		of := fmt.Sprintf("=%s pod=%s_kube-system(%s)", status.Name, pod.Name, pod.Annotations[configHash])
		if !strings.HasSuffix(status.State.Waiting.Message, of) {
			return fmt.Errorf("message %s, wanted %s", status.State.Waiting.Message, of)
		}
		return nil
	})
	m.eventually("its probe unhealthy", func(ctx context.Context) error {
		if err := m.probesHealthy(ctx); err == nil || !strings.Contains(err.Error(), "kube-controller-manager is not healthy") {
			return fmt.Errorf("probes: %w", err)
		}
		return nil
	})
	m.plan(rke2(nil), "")
	m.eventually("KCM well again", func(ctx context.Context) error { return m.mirrorReady(ctx, kcmMirror) })
}

func (m *machine) leftManifestRuns(t *testing.T) {
	own := m.mirror(t, KubeControllerManager)
	left := own.Spec.Containers[0]
	args := slices.DeleteFunc(slices.Clone(left.Args), func(a string) bool { return strings.HasPrefix(a, "--secure-port=") })
	raw, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "old-manager", "namespace": "kube-system", "labels": map[string]string{"app": "old"}},
		"spec": map[string]any{"hostNetwork": true, "containers": []any{map[string]any{"name": "manager", "image": left.Image,
			"command": left.Command, "args": append(args, "--secure-port=10357", "--leader-elect=false")}}}})
	if err != nil {
		t.Fatal(err)
	}
	const file = ManifestDir + "/old-manager.yaml"
	for name, content := range map[string][]byte{file: raw, ManifestDir + "/broken.yaml": []byte("{"), ManifestDir + "/.hidden": raw} {
		if err := m.fs.write(name, content); err != nil {
			t.Fatal(err)
		}
	}
	m.eventually("the left pod", func(ctx context.Context) error { return m.mirrorReady(ctx, "old-manager-"+dnsName) })
	pod, err := m.pod(t.Context(), "old-manager-"+dnsName)
	if err != nil || pod.Labels["app"] != "old" || pod.Labels["component"] != "" || pod.Annotations[corev1.MirrorPodAnnotationKey] == "" {
		t.Errorf("%v, %+v", err, pod)
	}
	if now := m.mirror(t, KubeControllerManager); now.UID != own.UID {
		t.Error("the machine's own manager was replaced")
	}
	if err := m.RemoveManifests(); err != nil {
		t.Fatal(err)
	}
	m.eventually("the left pod to be gone", func(ctx context.Context) error {
		if _, err := m.pod(ctx, "old-manager-"+dnsName); !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there: %w", err)
		}
		return nil
	})
	m.eventually("all probes healthy", m.probesHealthy)
}

func (m *machine) renames(t *testing.T) {
	m.plan(rke2(map[string]any{"cloud-provider-name": "external", "disable-cloud-controller": true}), "")
	m.eventually("a second node", func(ctx context.Context) error {
		node, err := m.node(ctx, "demo-cp-0")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == uninitializedTaint && t.Value == "true" }) || node.Spec.ProviderID != "" {
			return fmt.Errorf("spec %+v", node.Spec)
		}
		return nil
	})
	m.eventually("the old node not ready, by the real controller", func(ctx context.Context) error {
		node, err := m.node(ctx, dnsName)
		if err != nil {
			return err
		}
		if isReady(node) {
			return errors.New("still ready")
		}
		return nil
	})
	m.plan(rke2(map[string]any{"disable-cloud-controller": true, "kubelet-arg": []string{"cloud-provider=external"},
		"kube-controller-manager-arg": []string{"cloud-provider=external"}}), "")
	m.eventually("the old name again, without a taint", func(ctx context.Context) error {
		if err := m.inTreeNode(ctx); err != nil {
			return err
		}
		pod, err := m.pod(ctx, kcmMirror)
		if err != nil {
			return err
		}
		args := pod.Spec.Containers[0].Args
		if last, _ := lastFlag(args, "cloud-provider"); last != "external" || !slices.Contains(args, "--cloud-provider=aws") {
			return fmt.Errorf("KCM's arguments %v", args)
		}
		return m.mirrorReady(ctx, kcmMirror)
	})
}

func (m *machine) powerCycle(t *testing.T) {
	m.PowerOff()
	m.eventually("down", func(context.Context) error {
		if m.Status().On || !freeAddress(m.c.IP+":6443") {
			return errors.New("still running")
		}
		return nil
	})
	if err := m.Kill(KubeScheduler); !errors.Is(err, errPoweredOff) {
		t.Errorf("killing something on a machine that is off: %v", err)
	}
	m.PowerOn()
	m.eventually("up again", func(ctx context.Context) error {
		if !m.allReady() {
			return fmt.Errorf("status %+v", m.Status())
		}
		return m.probesHealthy(ctx)
	})
	old := m.Status()
	if err := m.Kill(KubeScheduler); err != nil {
		t.Fatal(err)
	}
	m.eventually("the scheduler restarted", func(context.Context) error {
		for i, c := range m.Status().Components {
			if c.Name == KubeScheduler && c.Ready && c.Restarts > old.Components[i].Restarts {
				return nil
			}
		}
		return fmt.Errorf("status %+v", m.Status().Components)
	})
}

func (m *machine) allReady() bool {
	components := m.Status().Components
	return len(components) == 5 && !slices.ContainsFunc(components, func(c ComponentStatus) bool { return !c.Ready })
}
