package release

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func renderedDaemonSet(t *testing.T, user map[string]any) *appsv1.DaemonSet {
	t.Helper()
	out, err := ccmchart.Values(ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true, UserValues: user})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := ccmchart.Render(embeddedChart(t), out.Values, "v1.26.15+rke2r1")
	if err != nil {
		t.Fatal(err)
	}
	ds, err := ccmchart.DaemonSetOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func (e env) enforce(t *testing.T, level string) {
	t.Helper()
	patch := []byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":` + level + `}}}`)
	if _, err := e.client.CoreV1().Namespaces().Patch(t.Context(), wellknown.System, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (e env) admission(t *testing.T) {
	ctx := t.Context()
	ds := renderedDaemonSet(t, nil)
	ask := func(ds *appsv1.DaemonSet) Admission {
		t.Helper()
		a, err := TryAdmission(ctx, e.client, ds)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(ds); !a.Accepted || a.Assumed == "" {
		t.Fatalf("without any policy: %+v", a)
	}

	e.enforce(t, `"restricted"`)
	defer e.enforce(t, "null")
	apiserver.Eventually(t, func() bool { return !ask(ds).Accepted })
	a := ask(ds)
	if !strings.Contains(a.Refusal, "violates PodSecurity") {
		t.Fatalf("%+v", a)
	}
	// A strict policy may object only to the host's network and port.
	for _, word := range []string{"runAsNonRoot", "seccompProfile", "capabilities", "allowPrivilegeEscalation", "hostPath"} {
		if strings.Contains(a.Refusal, word) {
			t.Errorf("the pod breaks the restricted level by %s: %s", word, a.Refusal)
		}
	}
	if a := ask(renderedDaemonSet(t, map[string]any{"hostNetworking": false})); !a.Accepted {
		t.Errorf("without host network the pod must pass the restricted level: %s", a.Refusal)
	}

	unprivileged := kubernetes.NewForConfigOrDie(e.server.As("unprivileged", "system:authenticated"))
	if _, err := TryAdmission(ctx, unprivileged, ds); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("a user without rights must not read as a refusal of the pod: %v", err)
	}
	pods, err := e.client.CoreV1().Pods(wellknown.System).List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) != 0 {
		t.Errorf("a dry run left %d pods (%v)", len(pods.Items), err)
	}
}
