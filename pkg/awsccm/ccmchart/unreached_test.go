package ccmchart

import (
	"slices"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/upstreamchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func unreachedKeys(t *testing.T, ch *chart.Chart, values string) []string {
	t.Helper()
	in := Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1", LeaderMigration: true}
	if err := yaml.Unmarshal([]byte(values), &in.UserValues); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range Unreached(in, ch) {
		keys = append(keys, c.Key)
		if c.Seen == "" || c.Why == "" || c.Blocking {
			t.Errorf("%+v", c)
		}
	}
	return keys
}

func TestUnreached(t *testing.T) {
	for values, want := range map[string][]string{
		"{}":                                 nil,
		"typo: 1":                            {"typo"},
		"typo: null":                         {"typo"},
		"typo: []":                           {"typo"},
		"typo: {}":                           {"typo"},
		"imagePullSecret: mirror":            {"imagePullSecret"},
		"imagePullSecrets: [{name: mirror}]": nil,
		"imagePullSecrets: []":               nil,
		"priorityClassName: x\npodLabels: {a: b, c: d}":                                                {"podLabels", "priorityClassName"},
		"affinity: {nodeAffinity: {required: {a: b}}}":                                                 {"affinity"},
		"global: {cattle: {systemDefaultRegistry: harbor.local}}":                                      {"global"},
		"image: {pullPolicy: IfNotPresent, registry: harbor.local}":                                    {"image.registry"}, // the default value
		"image: {tag: v1.26.14, pullPolicies: Always, pullSecret: x}":                                  {"image.pullPolicies", "image.pullSecret"},
		"leaderMigration: {enabled: true, mountConfig: true}":                                          nil,
		"cloudConfig: {key: x}":                                                                        {"cloudConfig"}, // no cloud config is mounted
		"auditRole: {subjects: [{kind: Group, name: a}]}":                                              {"auditRole"},
		"auditRole: {create: true, subjects: [{kind: Group, name: a}]}":                                nil,
		"nodeSelector: {zone: a, gone: null}":                                                          nil,
		"args: [--v=2]\nhostNetworking: true\nminReadySeconds: 30\nresources: {limits: {memory: 1Gi}}": nil,
		"securityContext: {}\npodSecurityContext: {}":                                                  nil,
		"nameOverride: aws-cloud-controller-manager":                                                   nil,
	} {
		slices.Sort(want)
		if got := unreachedKeys(t, ownChartForTest(t), values); !slices.Equal(got, want) {
			t.Errorf("%s: %v, wanted %v", values, got, want)
		}
	}
}

// Older charts of upstream lack values that later ones, and ours, have.
func TestUnreached_upstreamCharts(t *testing.T) {
	for _, version := range []string{"0.0.8", "0.0.9", "0.0.10", "0.0.11"} {
		ch := upstreamchart.Load(t, version)
		extend(ch)
		got := unreachedKeys(t, ch, "dnsPolicy: Default\nextraVolumes: []\nglobal: {systemDefaultRegistry: a}\nminReadySeconds: 5\nenv: [{name: A, value: b}]")
		if !slices.Equal(got, []string{"global", "minReadySeconds"}) {
			t.Errorf("%s: %v", version, got)
		}
	}
}

// Upstream's notation for no security context is an empty map. Merged with the chart's map, it
// would change nothing.
func TestValues_emptySecurityContext_removed(t *testing.T) {
	out, err := Values(Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.15+rke2r1",
		UserValues: map[string]any{"securityContext": map[string]any{}, "podSecurityContext": map[string]any{}}})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Render(ownChartForTest(t), out.Values, "v1.26.15+rke2r1")
	if err != nil {
		t.Fatal(err)
	}
	set, err := DaemonSetOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	pod := set.Spec.Template.Spec
	if pod.SecurityContext != nil || pod.Containers[0].SecurityContext != nil {
		t.Errorf("pod %+v, container %+v", pod.SecurityContext, pod.Containers[0].SecurityContext)
	}
}
