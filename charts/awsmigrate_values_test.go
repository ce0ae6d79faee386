package charts_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schemaDefaults collects the values that a schema describes, with their defaults, by path.
func schemaDefaults(path string, schema map[string]any, into map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		property, _ := property.(map[string]any)
		if value, is := property["default"]; is {
			into[path+name] = value
			continue
		}
		schemaDefaults(path+name+".", property, into)
	}
}

// valueAt returns the value at a path such as image.tag.
func valueAt(values map[string]any, path string) any {
	var value any = values
	for name := range strings.SplitSeq(path, ".") {
		inner, _ := value.(map[string]any)
		value = inner[name]
	}
	return value
}

// leaves returns the paths below which a chart has no further value.
func leaves(path string, values map[string]any, known map[string]any) (paths []string) {
	for name, value := range values {
		inner, isMap := value.(map[string]any)
		if _, is := known[path+name]; isMap && !is {
			paths = append(paths, leaves(path+name+".", inner, known)...)
			continue
		}
		paths = append(paths, path+name)
	}
	return paths
}

// documented returns the defaults in the README's table, by path.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("awsmigrate/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z0-9.]+)` \\| `([^`]*)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows[row[1]] = row[2]
	}
	return rows
}

// Every value is in the schema and in the README, with the same default, and neither has a value
// that the chart lacks.
func TestValues_each_inSchemaAndReadme(t *testing.T) {
	ch := controllerChart(t)
	var schema map[string]any
	if err := json.Unmarshal(ch.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	described := map[string]any{}
	schemaDefaults("", schema, described)
	readme := documented(t)
	for _, path := range leaves("", ch.Values, described) {
		want, is := described[path]
		if !is {
			t.Errorf("%s is not in the schema", path)
		}
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, valueAt(ch.Values, path))); diff != "" {
			t.Errorf("%s: default in the schema (-) and in values.yaml (+):\n%s", path, diff)
		}
		if got := readme[path]; got != asJSON(t, want) && got != want {
			t.Errorf("%s: the README has the default %s, want %s", path, got, asJSON(t, want))
		}
		delete(described, path)
		delete(readme, path)
	}
	if len(described)+len(readme) > 0 {
		t.Errorf("the chart has no values %v, %v", described, readme)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Values that would extend the rights by mistake, or change the command line, are refused before
// any object is created.
func TestValues_unsafe_refused(t *testing.T) {
	ch := controllerChart(t)
	for _, values := range []string{
		"mode: observe", "mode: null", "mode: ''", "mode: Audit",
		"namespaces: []", "namespaces: null", "namespaces: fleet-default", "namespaces: ['*']", "namespaces: ['']", "namespaces: ['a,b']", "namespaces: [a, a]", "namespaces: [Fleet]",
		"access: null", "access: [prod]", "access: {cluster: [prod]}", "access: {clusters: null}", "access: {clusters: prod}", "access: {clusters: ['']}",
		"access: {clusters: ['*']}", "access: {clusters: [prod, prod]}", "access: {clusters: [{name: prod}]}", "access: {clusters: ['prod --mode=migrate']}",
		"access: {rke1: [prod]}", "access: {rke1: [c-m-abcdefgh]}", "access: {rke1: [kube-system]}", "access: {rke1: null}", "access: {rke1: c-7kq2x}",
		"access: {secrets: [cloud]}", "access: {clusters: [prod], secrets: [other-kubeconfig]}", "access: {clusters: [prod], secrets: null}",
		"acess: {clusters: [prod]}", "accessClusters: [prod]",
		"maxConcurrent: 0", "maxConcurrent: 21", "maxConcurrent: '5'", "maxConcurrent: 1.5", "maxConcurrent: null",
		"auditInterval: 0h", "auditInterval: 5m", "auditInterval: 24", "auditInterval: 1d", "auditInterval: '24h --mode=migrate'", "auditInterval: null",
		"image: rancher/awsmigrate", "image: {repository: ''}", "image: {tag: 1.2}", "image: {tag: 'a b'}", "image: {digest: latest}", "image: {pullPolicy: Sometimes}", "image: {name: a}",
		"imagePullSecrets: [mirror]", "imagePullSecrets: mirror", "imagePullSecrets: [{}]", "replicas: -1", "replicas: two", "replicas: 6",
		"resources: {limit: {}}", "resources: 1Gi", "resources: null", "nodeSelector: [a]", "nodeSelector: {a: true}", "tolerations: {key: a}", "tolerations: null", "affinity: []", "affinity: null", "priorityClassName: High",
		"extraAnnotations: [a]", "extraAnnotations: {a: 1}", "proxy: proxy:3128", "proxy: socks5://a", "noProxy: [a]", "noProxy: 'a, b'", "additionalTrustedCAs: 'yes'",
		"global: {cattle: {systemDefaultRegistry: 1}}", "global: null", "extraArgs: [--x]", "job: {enabled: true}",
		"serviceMonitor: true", "serviceMonitor: null", "serviceMonitor: {enabled: 'yes'}", "serviceMonitor: {interval: 30s}", "prometheusRule: {enable: true}", "prometheusRule: {labels: {a: 1}}",
	} {
		if _, err := render(t, ch, values); err == nil || !strings.Contains(err.Error(), "values don't meet the specifications of the schema") {
			t.Errorf("%s: %v", values, err)
		}
	}
}

func TestValues_valid_accepted(t *testing.T) {
	ch := controllerChart(t)
	for _, values := range []string{
		"access: {clusters: [prod, c-7kq2x, a.b], secrets: [cloud], rke1: [c-7kq2x]}", "access: {clusters: []}", "auditInterval: 10m", "auditInterval: 168h",
		"image: {repository: 'registry.example:5000/mirror/awsmigrate'}", "image: {tag: v0.1.0-rc.1}", "resources: {limits: null}", "resources: {limits: {cpu: 2}}",
		"nodeSelector: {a: b}", "proxy: https://user:pass@proxy:3128", "noProxy: ''", "replicas: 0",
		"global: {cattle: {systemDefaultRegistry: a, url: 'https://rancher.example', windowsCluster: false}, systemDefaultRegistry: a}",
	} {
		if _, err := render(t, ch, values); err != nil {
			t.Errorf("%s: %v", values, err)
		}
	}
}
