package ccmchart

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func ownChartForTest(t *testing.T) *chart.Chart {
	t.Helper()
	ch, err := Load(context.Background(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// scenarios returns the installations with golden values and objects.
func scenarios() map[string]Inputs {
	return map[string]Inputs{
		"rke2-migrating": {
			Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true,
			ControlPlaneTaints: []corev1.Taint{
				{Key: "node-role.kubernetes.io/etcd", Effect: corev1.TaintEffectNoExecute},
				{Key: "team", Value: "platform", Effect: corev1.TaintEffectNoSchedule},
			},
		},
		"rke2-migrated": {Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1"},
		"rke-old-cloud-config": {
			Distribution: wellknown.RKE, KubernetesVersion: "v1.22.17-rancher1-2", LeaderMigration: true, AllowUntagged: true,
			CloudConfig: "[Global]\nZone = us-east-1a\nRegion = us-east-1\n",
		},
		"rke2-everything": {
			Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true,
			Image:  "mirror.example:5000/aws/ccm:v1.25.15@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
			Routes: true, ClusterCIDR: "10.42.0.0/16",
			CloudConfig:    "[Global]\nZone = us-east-1a\n",
			LeaderElection: LeaderElection{LeaseDuration: 30 * time.Second, RenewDeadline: 20 * time.Second},
			UserValues: map[string]any{
				"args":             []any{"--v=4", "--use-service-account-credentials=true"},
				"podAnnotations":   map[string]any{"team": "platform"},
				"auditRole":        map[string]any{"create": true, "subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "auditors"}}},
				"imagePullSecrets": []any{map[string]any{"name": "mirror"}},
				"env":              []any{map[string]any{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}},
				"extraVolumes":     []any{map[string]any{"name": "ca", "hostPath": map[string]any{"path": "/etc/ssl/certs"}}},
				"extraVolumeMounts": []any{
					map[string]any{"name": "ca", "mountPath": "/etc/ssl/certs", "readOnly": true},
				},
			},
		},
	}
}

func TestValuesAndObjectsGolden(t *testing.T) {
	ch := ownChartForTest(t)
	for name, in := range scenarios() {
		t.Run(name, func(t *testing.T) {
			out, err := Values(in)
			if err != nil {
				t.Fatal(err)
			}
			text, err := yaml.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			golden.Require(t, "golden/"+name+".values.yaml", string(text))
			objects, err := Render(ch, out.Values, in.KubernetesVersion)
			if err != nil {
				t.Fatal(err)
			}
			var docs []string
			for _, o := range objects {
				doc, err := yaml.Marshal(o.Object)
				if err != nil {
					t.Fatal(err)
				}
				docs = append(docs, string(doc))
			}
			golden.Require(t, "golden/"+name+".objects.yaml", strings.Join(docs, "---\n"))
			if _, err := DaemonSetOf(objects); err != nil {
				t.Error(err)
			}
			manifest, err := HelmChartManifest(ch, out.Values)
			if err != nil {
				t.Fatal(err)
			}
			again, err := HelmChartManifest(ownChartForTest(t), out.Values)
			if err != nil || again != manifest {
				t.Errorf("two runs give two HelmChart documents (%v)", err)
			}
			if name == "rke2-migrating" {
				golden.Require(t, "golden/helmchart.yaml", manifest)
			}
		})
	}
}

// The chart's audit roles must have the rights in docs. Other tests run a whole audit with
// those.
func TestRender_auditRole_likeDocs(t *testing.T) {
	out, err := Values(scenarios()["rke2-everything"])
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Render(ownChartForTest(t), out.Values, "v1.26.15+rke2r1")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	documented, err := ParseManifest(string(page))
	if err != nil {
		t.Fatal(err)
	}
	named := func(objects []unstructured.Unstructured, kind string) any {
		for _, o := range objects {
			if o.GetKind() == kind && o.GetName() == "awsmigrate-audit" {
				return o.Object["rules"]
			}
		}
		t.Fatalf("no %s awsmigrate-audit", kind)
		return nil
	}
	for _, kind := range []string{"ClusterRole", "Role"} {
		if diff := cmp.Diff(named(documented, kind), named(objects, kind)); diff != "" {
			t.Errorf("%s in docs (-) and in the chart (+):\n%s", kind, diff)
		}
	}
}

func TestChartLintsClean(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "charts", "aws-cloud-controller-manager")
	values := map[string]map[string]any{"defaults": {}}
	for name, in := range scenarios() {
		out, err := Values(in)
		if err != nil {
			t.Fatal(err)
		}
		values[name] = out.Values
	}
	for name, v := range values {
		t.Run(name, func(t *testing.T) {
			result := lint.AllWithKubeVersion(dir, v, wellknown.System, nil)
			for _, m := range result.Messages {
				if m.Severity >= support.InfoSev {
					t.Errorf("helm lint: %s", m)
				}
			}
		})
	}
}
