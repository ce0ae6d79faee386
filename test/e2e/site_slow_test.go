//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/cli"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/test/published"
	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// site is the lab with a released controller.
type site struct {
	lab     *scenario.Lab
	release published.Release
	helm    *action.Configuration
	kube    kubernetes.Interface // of the cluster that Rancher runs in
}

const siteHome = "cattle-awsmigrate-system"

func newSite(t *testing.T, lab *scenario.Lab, release published.Release) site {
	t.Helper()
	settings := cli.New()
	settings.KubeConfig = lab.Kubeconfig("management")
	settings.SetNamespace(siteHome)
	helm, err := tool.Helm(siteHome, settings)
	must(t, err)
	kube, err := lab.ManagementKube()
	must(t, err)
	return site{lab: lab, release: release, helm: helm, kube: kube}
}

// install installs both charts and waits until the controller runs.
func (s site) install(ctx context.Context, t *testing.T) {
	t.Helper()
	values := map[string]any{
		"mode": "migrate", "access": map[string]any{"clusters": []any{"demo"}},
		"global": map[string]any{"cattle": map[string]any{"systemDefaultRegistry": mirror}},
	}
	for _, name := range []string{"awsmigrate-crd", "awsmigrate"} {
		ch, err := loader.Load(s.release.Chart(name))
		must(t, err)
		install := action.NewInstall(s.helm)
		install.ReleaseName, install.Namespace, install.CreateNamespace = name, siteHome, true
		install.Wait, install.Timeout = true, 3*time.Minute
		given := values
		if name == "awsmigrate-crd" {
			given = nil
		}
		if _, err := install.RunWithContext(ctx, ch, given); err != nil {
			t.Fatalf("helm install %s: %v; pods: %v", name, err, s.pods(ctx, t))
		}
	}
}

func (s site) pods(ctx context.Context, t *testing.T) []corev1.Pod {
	t.Helper()
	pods, err := s.kube.CoreV1().Pods(siteHome).List(ctx, metav1.ListOptions{})
	must(t, err)
	return pods.Items
}

// controller returns the one pod of the Deployment.
func (s site) controller(ctx context.Context, t *testing.T) corev1.Pod {
	t.Helper()
	pods, err := s.kube.CoreV1().Pods(siteHome).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=controller"})
	must(t, err)
	if len(pods.Items) != 1 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		t.Fatalf("pods of the controller: %+v", pods.Items)
	}
	return pods.Items[0]
}

// token returns the current token in a pod.
func (s site) token(t *testing.T, pod corev1.Pod) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.lab.Dir, "management", "pods", string(pod.UID), "*", "token"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("tokens: %q", files)
	}
	raw, err := os.ReadFile(files[0])
	must(t, err)
	return string(raw)
}

// tryToken sends a request with a token and returns its error.
func (s site) tryToken(ctx context.Context, token string) error {
	config, err := s.helm.RESTClientGetter.ToRESTConfig()
	if err != nil {
		return err
	}
	config.BearerToken = token
	config.CertData, config.KeyData, config.CertFile, config.KeyFile = nil, nil, "", ""
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Pods(siteHome).List(ctx, metav1.ListOptions{})
	return err
}

// isContained checks the process: its user, its capabilities, and the folders that it can
// write.
func (s site) isContained(ctx context.Context, t *testing.T, pod corev1.Pod) {
	t.Helper()
	running, err := s.lab.Running("container")
	must(t, err)
	if len(running) != 1 || running[0].Name != pod.Name+"_awsmigrate" {
		t.Fatalf("containers: %+v", running)
	}
	of := fmt.Sprintf("/proc/%d/", running[0].PID)
	must(t, scenario.Until(ctx, "the program to be the process", func(context.Context) (bool, string, error) {
		program, err := os.Readlink(of + "exe")
		return program == "/usr/local/bin/awsmigrate", program, err
	}))
	status, err := os.ReadFile(of + "status")
	must(t, err)
	for _, want := range []string{"Uid:\t65534\t65534\t65534\t65534\n", "Groups:\t \n", "CapEff:\t0000000000000000\n", "CapBnd:\t0000000000000000\n", "NoNewPrivs:\t1\n"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("the process lacks %q:\n%s", want, status)
		}
	}
	mounts, err := os.ReadFile(of + "mounts")
	must(t, err)
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if at := fields[1]; at != "/proc" && !strings.HasPrefix(at, "/proc/") && !strings.HasPrefix(at, "/dev/") && !slices.Contains(strings.Split(fields[3], ","), "ro") {
			t.Errorf("it can write to %s", line)
		}
	}
}

// uninstallIsRefused uninstalls with Helm during a rollout. The hook's Job refuses it and names
// the cluster and the step. After a Helm rollback the release is as before.
func (s site) uninstallIsRefused(ctx context.Context, t *testing.T) {
	t.Helper()
	uninstall := action.NewUninstall(s.helm)
	uninstall.Timeout = 3 * time.Minute
	_, err := uninstall.Run("awsmigrate")
	if err == nil {
		t.Fatal("it was uninstalled while the cluster rolled")
	}
	t.Logf("helm uninstall: %v", err)
	asked := ""
	for _, pod := range s.pods(ctx, t) {
		if !strings.HasPrefix(pod.Name, "awsmigrate-rolling-") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(s.lab.Dir, "management", "logs", pod.Name+"_awsmigrate.log"))
		must(t, err)
		asked = string(raw)
		if code := exitOf(pod); code != 3 {
			t.Errorf("pod %s ended with %d", pod.Name, code)
		}
	}
	if !strings.Contains(asked, "fleet-default/demo: step enable-leader-migration is being rolled out") {
		t.Errorf("the hook said %q", asked)
	}
	rollback := action.NewRollback(s.helm)
	rollback.Version, rollback.Wait, rollback.Timeout = 1, true, 3*time.Minute
	must(t, rollback.Run("awsmigrate"))
}

// imagesAreListed checks that pods of both clusters only requested images of the mirror's list.
func (s site) imagesAreListed(ctx context.Context, t *testing.T) {
	t.Helper()
	listed, err := s.release.Images()
	must(t, err)
	var there []string
	for _, image := range listed {
		there = append(there, published.InMirror(mirror, image))
	}
	asked := map[string]bool{}
	for _, pod := range s.pods(ctx, t) {
		asked[pod.Spec.Containers[0].Image] = true
	}
	revisions, err := s.lab.Downstream.AppsV1().ControllerRevisions("kube-system").List(ctx, metav1.ListOptions{})
	must(t, err)
	of := 0
	for _, revision := range revisions.Items {
		var data struct {
			Spec struct{ Template corev1.PodTemplateSpec }
		}
		must(t, yaml.Unmarshal(revision.Data.Raw, &data))
		if strings.Contains(revision.Name, "aws-cloud-controller-manager") {
			of++
			asked[data.Spec.Template.Spec.Containers[0].Image] = true
		}
	}
	if of < 2 {
		t.Errorf("%d revisions of the CCM, wanted one with leader migration and one without", of)
	}
	for image := range asked {
		if name, _, _ := strings.Cut(image, "@"); !slices.Contains(there, name) {
			t.Errorf("%s was asked for, and is not in the mirror: %q", image, there)
		}
	}
	t.Logf("asked for: %d images", len(asked))
}

// uninstalls checks that an uninstallation without a rollout succeeds and keeps the users'
// objects.
func (s site) uninstalls(ctx context.Context, t *testing.T) {
	t.Helper()
	uninstall := action.NewUninstall(s.helm)
	uninstall.Timeout, uninstall.Wait = 3*time.Minute, true
	if _, err := uninstall.Run("awsmigrate"); err != nil {
		t.Fatalf("helm uninstall: %v", err)
	}
	must(t, scenario.Until(ctx, "the controller to be gone", func(ctx context.Context) (bool, string, error) {
		running, err := s.lab.Running("container")
		return len(running) == 0, "it runs", err
	}))
	if _, err := s.lab.ClusterMigration(ctx); err != nil {
		t.Errorf("the ClusterMigration: %v", err)
	}
	_, err := s.kube.AppsV1().Deployments(siteHome).Get(ctx, "awsmigrate", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment: %v", err)
	}
}
