package charts_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/cli"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// hooked is a server on which Helm itself installs the chart. It runs no Jobs: the test sets
// their outcome.
type hooked struct {
	helm *action.Configuration
	kube kubernetes.Interface
}

func newHooked(t *testing.T) hooked {
	t.Helper()
	server := apiserver.New(t, apiserver.Options{})
	h := hooked{helm: &action.Configuration{}, kube: kubernetes.NewForConfigOrDie(server.Config())}
	for _, name := range []string{home, "cattle-system", "fleet-default"} {
		if _, err := h.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	definitions := dynamic.NewForConfigOrDie(server.Config()).Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: parsed(t, string(text))}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	settings := cli.New()
	settings.KubeConfig = server.Kubeconfig(t)
	if err := h.helm.Init(settings.RESTClientGetter(), home, "", func(string, ...any) {}); err != nil {
		t.Fatal(err)
	}
	return h
}

// ended calls what, gives every Job that outcome, and returns the Jobs' names.
func (h hooked) ended(t *testing.T, end batchv1.JobConditionType, what func() error) (asked []string, err error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			jobs, listErr := h.kube.BatchV1().Jobs(home).List(ctx, metav1.ListOptions{})
			for i := range jobs.Items {
				one := &jobs.Items[i]
				if listErr != nil || len(one.Status.Conditions) > 0 {
					continue
				}
				one.Status.Conditions = []batchv1.JobCondition{{Type: end, Status: corev1.ConditionTrue, Reason: "Said"}}
				if _, updateErr := h.kube.BatchV1().Jobs(home).UpdateStatus(t.Context(), one, metav1.UpdateOptions{}); updateErr == nil {
					asked = append(asked, one.Name+" "+strings.Join(one.Spec.Template.Spec.Containers[0].Args, " "))
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	err = what()
	stop()
	<-over
	return asked, err
}

func (h hooked) upgrade(t *testing.T, values string) func() error {
	return func() error {
		upgrade := action.NewUpgrade(h.helm)
		upgrade.Namespace, upgrade.Timeout = home, 5*time.Minute
		_, err := upgrade.RunWithContext(t.Context(), controller, controllerChart(t), parsed(t, values))
		return err
	}
}

func (h hooked) uninstall() error {
	uninstall := action.NewUninstall(h.helm)
	uninstall.Timeout = 5 * time.Minute
	_, err := uninstall.Run(controller)
	return err
}

// mode returns the mode of the installed controller, or "" without one.
func (h hooked) mode(t *testing.T) string {
	t.Helper()
	there, err := h.kube.AppsV1().Deployments(home).Get(t.Context(), controller, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range there.Spec.Template.Spec.Containers[0].Args {
		if mode, is := strings.CutPrefix(arg, "--mode="); is {
			return mode
		}
	}
	t.Fatal("no --mode")
	return ""
}

// Helm checks for rollouts before an uninstallation, and before a change to mode audit or to
// other clusters, with the controller's former values. A refusal leaves everything unchanged.
// Other changes need no check.
func TestHooks_rollout_refusesRemoval(t *testing.T) {
	h := newHooked(t)
	install := action.NewInstall(h.helm)
	install.ReleaseName, install.Namespace = controller, home
	const migrate = "{mode: migrate, access: {clusters: [prod, staging]}}"
	if _, err := install.RunWithContext(t.Context(), controllerChart(t), parsed(t, migrate)); err != nil {
		t.Fatal(err)
	}
	const of = " controller rolling --namespaces=fleet-default --clusters=prod,staging --rke="
	now, before := []string{"awsmigrate-rolling" + of}, []string{"awsmigrate-rolling-before" + of}
	for _, tt := range []struct {
		name  string
		ends  batchv1.JobConditionType
		what  func() error
		asked []string
		fails bool
		mode  string
	}{
		{"other settings", batchv1.JobFailed, h.upgrade(t, "{mode: migrate, maxConcurrent: 2, access: {clusters: [prod, staging]}}"), nil, false, "migrate"},
		{"audit, and it rolls", batchv1.JobFailed, h.upgrade(t, "{mode: audit}"), before, true, "migrate"},
		{"uninstalled behind that", batchv1.JobFailed, h.uninstall, before, true, "migrate"},
		{"fewer clusters, and it rolls", batchv1.JobFailed, h.upgrade(t, "{mode: migrate, access: {clusters: [prod]}}"), before, true, "migrate"},
		{"the same again", batchv1.JobFailed, h.upgrade(t, migrate), nil, false, "migrate"},
		{"uninstalled, and it rolls", batchv1.JobFailed, h.uninstall, now, true, "migrate"},
		{"an upgrade behind that, which Helm refuses", batchv1.JobFailed, h.upgrade(t, migrate), nil, true, "migrate"},
		{"resumed", batchv1.JobFailed, h.rollback(1), nil, false, "migrate"},
		{"uninstalled at rest", batchv1.JobComplete, h.uninstall, now, false, ""},
	} {
		asked, err := h.ended(t, tt.ends, tt.what)
		if (err != nil) != tt.fails || !slices.Equal(asked, tt.asked) || h.mode(t) != tt.mode {
			t.Errorf("%s: asked %q, mode %q, %v", tt.name, asked, h.mode(t), err)
		}
	}
}

func (h hooked) rollback(revision int) func() error {
	return func() error {
		rollback := action.NewRollback(h.helm)
		rollback.Version, rollback.Timeout = revision, 5*time.Minute
		return rollback.Run(controller)
	}
}

// In mode audit the controller watches no rollout, and Helm does not ask; it asks only right
// after the upgrade to mode audit, which may have been refused.
func TestHooks_modeAudit_checksNothing(t *testing.T) {
	h := newHooked(t)
	install := action.NewInstall(h.helm)
	install.ReleaseName, install.Namespace = controller, home
	if _, err := install.RunWithContext(t.Context(), controllerChart(t), parsed(t, "{mode: migrate}")); err != nil {
		t.Fatal(err)
	}
	if asked, err := h.ended(t, batchv1.JobComplete, h.upgrade(t, "{mode: audit}")); err != nil || len(asked) != 1 || h.mode(t) != "audit" {
		t.Errorf("to audit at rest: asked %q, mode %q, %v", asked, h.mode(t), err)
	}
	if asked, err := h.ended(t, batchv1.JobFailed, h.upgrade(t, "{mode: audit, maxConcurrent: 2}")); err != nil || len(asked) != 0 {
		t.Errorf("other settings: asked %q, %v", asked, err)
	}
	if asked, err := h.ended(t, batchv1.JobFailed, h.uninstall); err != nil || len(asked) != 0 || h.mode(t) != "" {
		t.Errorf("uninstalled in mode audit: asked %q, mode %q, %v", asked, h.mode(t), err)
	}
}
