package podstarter_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/container"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/podstarter"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// TestMain lets the test program act as the supervisor's shim and as a container.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == container.Command {
		fmt.Fprintln(os.Stderr, container.Become(os.Args[2]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == proc.ShimCommand {
		fmt.Fprintln(os.Stderr, proc.RunShim(os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const shell = "registry.test/shell:1"

// plane is an API server with the real Job controller and a pod starter.
type plane struct {
	kubernetes.Interface
	t    *testing.T
	dir  string
	host string // address of the API server
}

func start(t *testing.T) plane {
	t.Helper()
	config := testplane.Start(t, "management")[0]
	server, err := url.Parse(config.Host)
	must(t, err)
	p := plane{Interface: kubernetes.NewForConfigOrDie(config), t: t, dir: t.TempDir(), host: server.Hostname()}
	supervisor, err := proc.New(p.dir)
	must(t, err)
	authority, err := pki.NewCA("management")
	must(t, err)
	ca := filepath.Join(p.dir, "ca.crt")
	must(t, os.WriteFile(ca, authority.CertPEM, 0o600))
	bin, err := component.Dir()
	must(t, err)
	log := filepath.Join(p.dir, "job-controller.log")
	_, err = supervisor.Start(component.JobController{
		Binaries: bin, Name: "job-controller", Log: log, Kubeconfig: testplane.Kubeconfig(t, config), CAFile: ca,
	}.Spec())
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- podstarter.Run(ctx, podstarter.Config{
			API: config, Programs: map[string]string{shell: "/bin/sh", whole: wholeImage(t)}, Dir: p.dir, Supervisor: supervisor,
			Env: []string{"AROUND=machine"}, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		must(t, supervisor.Close())
		if raw, err := os.ReadFile(log); t.Failed() && err == nil {
			t.Logf("job controller:\n%s", raw)
		}
	})
	_, err = p.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "runner"}}, metav1.CreateOptions{})
	must(t, err)
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// job creates a Job whose pods run a script.
func (p plane) job(name, image, script string) {
	p.t.Helper()
	_, err := p.BatchV1().Jobs("default").Create(p.t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			BackoffLimit: ptr.To(int32(3)),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action:          batchv1.PodFailurePolicyActionIgnore,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
			}, {
				Action:      batchv1.PodFailurePolicyActionFailJob,
				OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{3}},
			}}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: "runner", TerminationGracePeriodSeconds: ptr.To(int64(20)),
				Containers: []corev1.Container{{
					Name: "main", Image: image, Args: []string{"-c", script},
					Env: []corev1.EnvVar{
						{Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
						{Name: "UID_OF_POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.uid"}}},
						{Name: "NODE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
					},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	must(p.t, err)
}

// until waits until the Job and its pods satisfy a condition.
func (p plane) until(name string, wanted func(*batchv1.Job, []corev1.Pod) bool) (*batchv1.Job, []corev1.Pod) {
	p.t.Helper()
	var job *batchv1.Job
	var pods *corev1.PodList
	err := wait.PollUntilContextTimeout(p.t.Context(), 100*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (done bool, err error) {
		if job, err = p.BatchV1().Jobs("default").Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		pods, err = p.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + name})
		return err == nil && wanted(job, pods.Items), err
	})
	if err != nil {
		p.t.Fatalf("%v: job %+v, pods %+v", err, job.Status, pods.Items)
	}
	return job, pods.Items
}

func is(job *batchv1.Job, kind batchv1.JobConditionType) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == kind && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

func complete(job *batchv1.Job, _ []corev1.Pod) bool { return is(job, batchv1.JobComplete) }

func (p plane) output(pod string) string {
	p.t.Helper()
	raw, err := os.ReadFile(podstarter.LogFile(p.dir, pod, "main"))
	if !os.IsNotExist(err) { // the script has not begun
		must(p.t, err)
	}
	return string(raw)
}

func TestJobs(t *testing.T) {
	p := start(t)
	for name, part := range map[string]func(*testing.T, plane){
		"what a container finds":                     whatAContainerFinds,
		"an exit code that fails the Job":            failsTheJob,
		"an exit code that is counted":               countedAgain,
		"a suspended Job":                            suspended,
		"an image that the table does not have":      unknownImage,
		"a token ends with its pod":                  tokenEnds,
		"a process that is deaf to its deletion":     deaf,
		"a killed container ends with 137":           killed,
		"an evicted pod is no failed one":            evicted,
		"a Job that is deleted takes its pods along": deletedJob,
		"a Deployment of an image as it was built":   deployed,
		"a Deployment whose program fails":           restarted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := p
			mine.t = t
			part(t, mine)
		})
	}
}

func whatAContainerFinds(t *testing.T, p plane) {
	p.job("finds", shell, `cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; echo
		for f in token ca.crt; do test -s /var/run/secrets/kubernetes.io/serviceaccount/$f || exit 3; done
		grep tokenFile: $KUBECONFIG
		echo "$POD $UID_OF_POD $NODE $AROUND $KUBERNETES_SERVICE_HOST"; cat /proc/sys/kernel/hostname
		mkdir -p $HOME $TMPDIR && exit 3; exit 0`)
	_, pods := p.until("finds", complete)
	pod := pods[0]
	lines := strings.Split(p.output(pod.Name), "\n")
	want := []string{"default", "    tokenFile: " + filepath.Join(p.dir, "pods", string(pod.UID), pod.Spec.Volumes[0].Name, "token"),
		fmt.Sprintf("%s %s %s machine %s", pod.Name, pod.UID, podstarter.NodeName, p.host), pod.Name}
	for i, line := range want {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("output:\n%s\nwanted\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
			break
		}
	}
}

func failsTheJob(t *testing.T, p plane) {
	p.job("fails", shell, "exit 3")
	job, pods := p.until("fails", func(job *batchv1.Job, _ []corev1.Pod) bool { return is(job, batchv1.JobFailed) })
	if job.Status.Failed != 1 || len(pods) != 1 || job.Status.Conditions[len(job.Status.Conditions)-1].Reason != "PodFailurePolicy" {
		t.Errorf("%d pods; %+v", len(pods), job.Status)
	}
}

func countedAgain(t *testing.T, p plane) {
	marker := filepath.Join(t.TempDir(), "tried")
	p.job("counted", shell, "test -e "+marker+" && exit 0; : > "+marker+"; exit 8")
	job, pods := p.until("counted", complete)
	if job.Status.Failed != 1 || job.Status.Succeeded != 1 || len(pods) != 2 {
		t.Errorf("%d pods; %+v", len(pods), job.Status)
	}
}

// asleep waits for a signal without a child that would outlive the shell.
const asleep = "while :; do sleep 0.1; done"

func suspended(t *testing.T, p plane) {
	marker := filepath.Join(t.TempDir(), "stopped")
	p.job("paused", shell, "test -e "+marker+" && exit 0; trap ': > "+marker+"; exit 130' TERM; echo ready; "+asleep)
	p.until("paused", func(_ *batchv1.Job, pods []corev1.Pod) bool { return len(pods) == 1 && p.ready(pods[0]) })
	p.suspend("paused", true)
	p.until("paused", func(job *batchv1.Job, pods []corev1.Pod) bool { return is(job, batchv1.JobSuspended) && len(pods) == 0 })
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the process ended without a SIGTERM: %v", err)
	}
	p.suspend("paused", false)
	if job, _ := p.until("paused", complete); job.Status.Failed > 1 { // 1 if the controller sees the deletion before the end
		t.Errorf("a pause counts as %d failures", job.Status.Failed)
	}
}

func (p plane) suspend(name string, yes bool) {
	p.t.Helper()
	_, err := p.BatchV1().Jobs("default").Patch(p.t.Context(), name, types.MergePatchType, []byte(fmt.Sprintf(`{"spec":{"suspend":%t}}`, yes)), metav1.PatchOptions{})
	must(p.t, err)
}

// ready reports whether the script in a pod has printed that it is ready.
func (p plane) ready(pod corev1.Pod) bool {
	raw, err := os.ReadFile(podstarter.LogFile(p.dir, pod.Name, "main"))
	return err == nil && strings.Contains(string(raw), "ready") && pod.Status.Phase == corev1.PodRunning
}

func unknownImage(t *testing.T, p plane) {
	p.job("unknown", "registry.test/other:1", "exit 0")
	_, pods := p.until("unknown", func(_ *batchv1.Job, pods []corev1.Pod) bool {
		return len(pods) == 1 && len(pods[0].Status.ContainerStatuses) == 1
	})
	if s := pods[0].Status; s.Phase != corev1.PodPending || !strings.Contains(s.ContainerStatuses[0].State.Waiting.Message, "registry.test/other:1") {
		t.Errorf("status %+v", s)
	}
}

func tokenEnds(t *testing.T, p plane) {
	p.job("token", shell, "cat /var/run/secrets/kubernetes.io/serviceaccount/token; echo; echo ready; "+asleep)
	_, pods := p.until("token", func(_ *batchv1.Job, pods []corev1.Pod) bool { return len(pods) == 1 && p.ready(pods[0]) })
	token, _, _ := strings.Cut(p.output(pods[0].Name), "\n")
	if user := p.review(token).User; user.Username != "system:serviceaccount:default:runner" || user.Extra["authentication.kubernetes.io/pod-name"][0] != pods[0].Name {
		t.Errorf("the token is of %+v", user)
	}
	must(t, p.BatchV1().Jobs("default").Delete(t.Context(), "token", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
	must(t, wait.PollUntilContextTimeout(t.Context(), time.Second, 90*time.Second, true, func(context.Context) (bool, error) {
		return !p.review(token).Authenticated, nil
	}))
}

func (p plane) review(token string) authenticationv1.TokenReviewStatus {
	p.t.Helper()
	got, err := p.AuthenticationV1().TokenReviews().Create(p.t.Context(), &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	must(p.t, err)
	return got.Status
}

func deaf(t *testing.T, p plane) {
	p.job("deaf", shell, "trap '' TERM; echo ready; "+asleep)
	_, pods := p.until("deaf", func(_ *batchv1.Job, pods []corev1.Pod) bool { return len(pods) == 1 && p.ready(pods[0]) })
	must(t, p.CoreV1().Pods("default").Delete(t.Context(), pods[0].Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(1))}))
	p.until("deaf", func(_ *batchv1.Job, now []corev1.Pod) bool { return len(now) == 1 && now[0].UID != pods[0].UID })
}

func killed(t *testing.T, p plane) {
	marker := filepath.Join(t.TempDir(), "killed")
	p.job("killed", shell, "test -e "+marker+" && exit 0; : > "+marker+"; kill -KILL $$")
	_, pods := p.until("killed", complete)
	codes := map[int32]bool{}
	for _, pod := range pods {
		codes[pod.Status.ContainerStatuses[0].State.Terminated.ExitCode] = true
	}
	if !codes[137] || !codes[0] {
		t.Errorf("exit codes %v", codes)
	}
}

func evicted(t *testing.T, p plane) {
	marker := filepath.Join(t.TempDir(), "evicted")
	p.job("evicted", shell, "test -e "+marker+" && exit 0; trap ': > "+marker+"; exit 3' TERM; echo ready; "+asleep)
	_, pods := p.until("evicted", func(_ *batchv1.Job, pods []corev1.Pod) bool { return len(pods) == 1 && p.ready(pods[0]) })
	must(t, p.CoreV1().Pods("default").EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pods[0].Name}}))
	if job, _ := p.until("evicted", complete); job.Status.Failed != 0 {
		t.Errorf("%+v", job.Status)
	}
}

func deletedJob(t *testing.T, p plane) {
	p.job("gone", shell, "echo ready; "+asleep)
	p.until("gone", func(_ *batchv1.Job, pods []corev1.Pod) bool { return len(pods) == 1 && p.ready(pods[0]) })
	must(t, p.BatchV1().Jobs("default").Delete(t.Context(), "gone", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
	must(t, wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		pods, err := p.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=gone"})
		return err == nil && len(pods.Items) == 0, err
	}))
}
