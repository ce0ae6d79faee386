//go:build slow

package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestFrozenArguments uses a release of RKE2 whose API keeps showing the first arguments of
// static pods. awsmigrate derives nothing from them, before an edit and after one that they do
// not show, and writes nothing.
func TestFrozenArguments(t *testing.T) {
	lab := boot(t, "--lease", quick, "--kubernetes-version", "v1.26.7+rke2r1", "--rancher-version", "v2.7.15", "--control-planes", "1", "--workers", "1")
	ctx, since := within(t, 5*time.Minute), time.Now()
	nothingIsKnown(ctx, t, lab)
	leftNothing(ctx, t, lab, since)
	pod, err := kcmPod(ctx, lab)
	if err != nil {
		t.Fatal(err)
	}
	if err := lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
		rkeConfig["machineGlobalConfig"].(map[string]any)["kube-controller-manager-arg"] = []any{"enable-leader-migration"}
	}); err != nil {
		t.Fatal(err)
	}
	var now shownPod
	if err := scenario.Until(ctx, "a kube-controller-manager with the flag, and its container to be shown", func(ctx context.Context) (bool, string, error) {
		runs, err := lab.RunningNow(ctx, "kube-controller-manager")
		if err != nil || len(runs) != 1 || !slices.Contains(runs[0].Args, "--enable-leader-migration=true") {
			return false, fmt.Sprintf("%+v", runs), err
		}
		now, err = kcmPod(ctx, lab)
		return now.restarts > pod.restarts, fmt.Sprintf("%+v", now), err
	}); err != nil {
		t.Fatal(err)
	}
	if err := lab.WaitApplied(ctx); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(now.args, pod.args) || slices.Contains(now.args, "--enable-leader-migration=true") {
		t.Errorf("the API shows what runs, and this scenario nothing: %v", now.args)
	}
	if now.container == pod.container || now.restarts <= pod.restarts {
		t.Errorf("the status stayed as it was: %+v, was %+v", now, pod)
	}
	nothingIsKnown(ctx, t, lab)
	leftNothing(ctx, t, lab, since)
}

// nothingIsKnown runs every command on such a cluster.
func nothingIsKnown(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	bundle, goTo := filepath.Join(t.TempDir(), "bundle.json"), "v1.26.10 or later"
	for _, r := range []scenario.Refusal{
		{Name: "audit", Code: 10, Args: []string{"verify", "--cluster", "demo", "--dump", bundle}, Says: []string{"AWSM-119", goTo}},
		{Name: "audit of a bundle", Code: 10, Args: []string{"verify", "--from", bundle}, Says: []string{"AWSM-119", goTo}},
		{Name: "audit of the API alone", Code: 10, Args: []string{"verify", "--kubeconfig", lab.Kubeconfig("downstream")}, Says: []string{"AWSM-119", goTo}},
		{Name: "preflight", Code: 3, Args: []string{"verify", "--cluster", "demo", "--preflight"}, Says: []string{"AWSM-119", goTo}},
		{Name: "status", Code: 10, Args: []string{"rke2", "status", "--cluster", "demo"}, Says: []string{"fixed UID", goTo}},
		{Name: "plan", Code: 10, Args: []string{"rke2", "plan", "--cluster", "demo"}, Says: []string{goTo}},
		{Name: "run", Code: 10, Args: run(), Says: []string{goTo}},
		{Name: "undo", Code: 10, Args: []string{"rke2", "undo", "--cluster", "demo", "--yes", "--edits", "apply"}, Says: []string{goTo}},
	} {
		if err := r.Check(ctx, lab, testWriter{t}); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}

// shownPod holds what the API shows of a kube-controller-manager.
type shownPod struct {
	args      []string
	container string
	restarts  int32
}

func kcmPod(ctx context.Context, lab *scenario.Lab) (shownPod, error) {
	pods, err := lab.Downstream.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "component=kube-controller-manager"})
	if err != nil || len(pods.Items) != 1 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		return shownPod{}, fmt.Errorf("%d pods of kube-controller-manager: %w", len(pods.Items), err)
	}
	pod, status := pods.Items[0], pods.Items[0].Status.ContainerStatuses[0]
	return shownPod{pod.Spec.Containers[0].Args, status.ContainerID, status.RestartCount}, nil
}
