// Package upstreamchart makes charts with the same objects as the charts that
// kubernetes/cloud-provider-aws publishes, from facts about each version. Users install those
// charts by hand in clusters that are migrated.
package upstreamchart

import (
	"embed"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"sigs.k8s.io/yaml"
)

// facts holds the facts in testdata about a published chart.
type facts struct {
	Version, Image, Name, Namespace, Label string
	ServiceAccount, ClusterRole            string
	RoleBinding, Role                      string
	NodeSelector                           map[string]string
	Args                                   []string
	Tolerations                            [][3]string
	Rules                                  [][3]string
}

// objects is the template of the objects, with the names, labels, selector and values of the
// published charts.
const objects = `
{{- $chart := dict "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version) }}
{{- $account := list (dict "kind" "ServiceAccount" "name" .Values.serviceAccountName "namespace" .Values.namespace) }}
{{- $rbac := "rbac.authorization.k8s.io" }}
---
{{ dict "apiVersion" "v1" "kind" "ServiceAccount" "metadata" (dict "name" .Values.serviceAccountName "namespace" .Values.namespace "labels" $chart) | toYaml }}
---
{{ dict "apiVersion" (printf "%s/v1" $rbac) "kind" "ClusterRole" "metadata" (dict "name" .Values.clusterRoleName "labels" $chart) "rules" .Values.clusterRoleRules | toYaml }}
---
{{ dict "apiVersion" (printf "%s/v1" $rbac) "kind" "ClusterRoleBinding" "metadata" (dict "name" .Values.clusterRoleName "labels" $chart)
  "roleRef" (dict "apiGroup" $rbac "kind" "ClusterRole" "name" .Values.clusterRoleName) "subjects" $account | toYaml }}
---
{{ dict "apiVersion" (printf "%s/v1" $rbac) "kind" "RoleBinding" "metadata" (dict "name" .Values.roleBindingName "namespace" .Values.namespace "labels" $chart)
  "roleRef" (dict "apiGroup" $rbac "kind" "Role" "name" .Values.roleName) "subjects" $account | toYaml }}
---
{{- $self := dict "k8s-app" .Values.nameOverride }}
{{- $container := dict "name" .Chart.Name "image" (printf "%s:%s" .Values.image.repository .Values.image.tag) "args" .Values.args
  "resources" .Values.resources "env" .Values.env "securityContext" .Values.securityContext "volumeMounts" .Values.extraVolumeMounts }}
{{- $pod := dict "tolerations" .Values.tolerations "nodeSelector" .Values.nodeSelector "dnsPolicy" .Values.dnsPolicy
  "priorityClassName" "system-node-critical" "serviceAccountName" .Values.serviceAccountName "hostNetwork" (.Values.hostNetworking | default false)
  "securityContext" .Values.podSecurityContext "containers" (list $container) "volumes" .Values.extraVolumes }}
{{ dict "apiVersion" "apps/v1" "kind" "DaemonSet" "metadata" (dict "name" .Values.nameOverride "namespace" .Values.namespace "labels" (merge (dict) $self $chart))
  "spec" (dict "selector" (dict "matchLabels" $self) "updateStrategy" (dict "type" "RollingUpdate")
  "template" (dict "metadata" (dict "name" .Values.nameOverride "labels" $self) "spec" $pod)) | toYaml }}
`

//go:embed testdata
var published embed.FS

// Load returns a chart with the same objects as the published chart of a version.
func Load(t *testing.T, version string) *chart.Chart {
	t.Helper()
	data, err := published.ReadFile("testdata/" + version + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		t.Fatal(err)
	}
	repository, tag, _ := strings.Cut(f.Image, ":")
	var tolerations, rules []map[string]any
	for _, t := range f.Tolerations {
		toleration := map[string]any{"key": t[0], "effect": t[2]}
		if t[1] != "" {
			toleration["value"] = t[1]
		}
		tolerations = append(tolerations, toleration)
	}
	for _, r := range f.Rules {
		rules = append(rules, map[string]any{"apiGroups": []string{r[0]}, "resources": []string{r[1]}, "verbs": strings.Fields(r[2])})
	}
	values, err := yaml.Marshal(map[string]any{
		"namespace": f.Namespace, "args": f.Args, "image": map[string]any{"repository": repository, "tag": tag},
		"nameOverride": f.Name, "nodeSelector": f.NodeSelector, "clusterRoleRules": rules,
		"resources": map[string]any{"requests": map[string]any{"cpu": "200m"}}, "env": []any{},
		"securityContext": map[string]any{}, "podSecurityContext": map[string]any{}, "podAnnotations": map[string]any{},
		"tolerations": tolerations, "dnsPolicy": "Default", "clusterRoleName": f.ClusterRole, "roleBindingName": f.RoleBinding,
		"serviceAccountName": f.ServiceAccount, "roleName": f.Role, "extraVolumes": []any{}, "extraVolumeMounts": []any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := loader.LoadFiles([]*loader.BufferedFile{
		{Name: "Chart.yaml", Data: []byte("apiVersion: v1\nname: " + f.Name + "\nversion: " + f.Version + "\n")},
		{Name: "values.yaml", Data: values},
		{Name: "templates/all.yaml", Data: []byte(objects)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
