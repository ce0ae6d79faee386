package charts_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/strvals"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// setting is a value as --set gives it, other than its default, and all that this changes.
type setting struct {
	depends string // other values that this one depends on
	set     string
	changes []string
}

// everyPod are values with which the chart makes a pod of each kind: the controller's, and
// that of the question whether a cluster rolls.
const everyPod = "mode=migrate"

// inEveryPod is the same change in each of them.
func inEveryPod(changes ...string) (all []string) {
	for _, change := range changes {
		sign, rest := change[:2], change[2:]
		for _, pod := range []string{"Deployment/awsmigrate in " + home, "Job/awsmigrate-rolling in " + home} {
			all = append(all, sign+pod+" .spec.template.spec."+rest)
		}
	}
	return all
}

// inEveryContainer is the same change in the container of each.
func inEveryContainer(changes ...string) (all []string) {
	for _, change := range changes {
		all = append(all, inEveryPod(change[:2]+"containers[awsmigrate]."+change[2:])...)
	}
	return all
}

// Objects and places in them that many changes are of.
const (
	deploys   = "Deployment/awsmigrate in " + home + " "
	container = deploys + ".spec.template.spec.containers[awsmigrate]"
	asks      = "Job/awsmigrate-rolling in " + home + " "
	role      = "Role/awsmigrate in fleet-default "
)

// settings has each value of the chart once, with what it is for.
func settings() map[string]setting {
	all := map[string]setting{}
	for _, some := range []map[string]setting{whatIsDone(), howAWSIsAsked(), whichImage(), whereItRuns(), waysOut(), whatWatches()} {
		maps.Copy(all, some)
	}
	return all
}

func whatIsDone() map[string]setting {
	return map[string]setting{
		"mode": {set: "mode=migrate", changes: []string{
			`- ` + container + `.args has "--mode=audit"`, `+ ` + container + `.args has "--mode=migrate"`, `+ ` + asks,
			"+ Role/awsmigrate-rancher in cattle-system ", "+ RoleBinding/awsmigrate-rancher in cattle-system ",
			"+ " + role + `.rules has …["patch"]`, "+ " + role + `.rules has …"leases"`, "+ " + role + `.rules has …"configmaps"`,
			"+ " + role + `.rules has …["get","patch"]`, "+ " + role + `.rules has …"clustermigrations"],"verbs":["get","patch"]`, "+ " + role + `.rules has …"migrationrollouts"],"verbs":["get","list","watch"]`, "- " + role + `.rules has …"migrationrollouts"],"verbs":["list","watch"]`, "+ " + role + `.rules has …["create","patch"]`,
			"- " + role + `.rules has …"rkecontrolplanes"],"verbs":["get"]`, "- " + role + `.rules has …"configmaps"],"verbs":["get"]`, "- " + role + `.rules has …"configmaps"],"verbs":["list"]`,
			"- " + role + `.rules has …"resourceNames":["awsmigrate"],"resources":["leases"]`,
		}},
		"namespaces": {set: "namespaces={team-a}", changes: []string{
			`- ` + container + `.args has "--namespaces=fleet-default"`, `+ ` + container + `.args has "--namespaces=team-a"`,
			"- " + role, "- RoleBinding/awsmigrate in fleet-default ", "+ Role/awsmigrate in team-a ", "+ RoleBinding/awsmigrate in team-a ",
		}},
		"access.clusters": {set: "access.clusters={prod}", changes: []string{
			`+ ` + container + `.args has "--clusters=prod"`, "- " + role + ".rules has ", "+ " + role + `.rules has …"resourceNames":["prod"]`,
			"+ " + role + `.rules has …"resourceNames":["prod-kubeconfig"]`, "+ " + role + `.rules has …"resourceNames":["awsmigrate-prod","awsmigrate.plans.prod","awsmigrate.record.prod"]`,
		}},
		"access.rke1": {set: "access.rke1={c-7kq2x}", changes: []string{
			`- ` + container + `.args has "--rke="`, `+ ` + container + `.args has "--rke=c-7kq2x"`,
			`+ ClusterRole/awsmigrate .rules has …"resourceNames":["c-7kq2x"],"resources":["clusters"],"verbs":["get"]`, "+ Role/awsmigrate-rke1 in c-7kq2x ", "+ RoleBinding/awsmigrate-rke1 in c-7kq2x ",
		}},
		"access.secrets": {depends: "access.clusters={prod}", set: "access.secrets={cloud}", changes: []string{
			"- " + role + `.rules has …"resourceNames":["prod-kubeconfig"]`, "+ " + role + `.rules has …"resourceNames":["prod-kubeconfig","cloud"]`,
		}},
		"maxConcurrent": {set: "maxConcurrent=20", changes: []string{`- ` + container + `.args has "--max-concurrent=5"`, `+ ` + container + `.args has "--max-concurrent=20"`}},
		"auditInterval": {set: "auditInterval=90m", changes: []string{`- ` + container + `.args has "--audit-interval=24h"`, `+ ` + container + `.args has "--audit-interval=90m"`}},
		"replicas": {set: "replicas=2", changes: []string{
			"- " + deploys + ".spec.replicas: 1", "+ " + deploys + ".spec.replicas: 2", "+ PodDisruptionBudget/awsmigrate in " + home + " ",
		}},
		"userRoles.create": {set: "userRoles.create=true", changes: []string{"+ ClusterRole/awsmigrate-view ", "+ ClusterRole/awsmigrate-edit "}},
	}
}

func howAWSIsAsked() map[string]setting {
	const arn = "arn:aws:iam::123456789012:role/audit"
	return map[string]setting{
		"aws.mode":           {depends: everyPod, set: "aws.mode=off", changes: []string{`- ` + container + `.args has "--aws=auto"`, `+ ` + container + `.args has "--aws=off"`}},
		"aws.region":         {depends: everyPod, set: "aws.region=eu-central-1", changes: []string{`+ ` + container + `.args has "--region=eu-central-1"`}},
		"aws.assumeRole":     {depends: everyPod, set: "aws.assumeRole=" + arn, changes: []string{`+ ` + container + `.args has "--assume-role=` + arn + `"`}},
		"aws.assumableRoles": {set: "aws.assumableRoles={" + arn + "}", changes: []string{`+ ` + container + `.args has "--assumable-roles=` + arn + `"`}},
		"aws.secretName":     {set: "aws.secretName=aws-keys", changes: []string{`+ ` + container + `.envFrom has {"secretRef":{"name":"aws-keys"}}`}},
	}
}

func whichImage() map[string]setting {
	digest := "sha256:" + strings.Repeat("a", 64)
	return map[string]setting{
		"image.repository": {depends: everyPod, set: "image.repository=mirror/awsmigrate", changes: inEveryContainer("- image: awsmigrate/awsmigrate:0.1.0", "+ image: mirror/awsmigrate:0.1.0")},
		"image.tag":        {depends: everyPod, set: "image.tag=1.2", changes: inEveryContainer("- image: awsmigrate/awsmigrate:0.1.0", "+ image: awsmigrate/awsmigrate:1.2")},
		"image.digest":     {depends: everyPod, set: "image.digest=" + digest, changes: inEveryContainer("- image: awsmigrate/awsmigrate:0.1.0", "+ image: awsmigrate/awsmigrate:0.1.0@"+digest)},
		"image.pullPolicy": {depends: everyPod, set: "image.pullPolicy=Always", changes: inEveryContainer("- imagePullPolicy: IfNotPresent", "+ imagePullPolicy: Always")},
		"imagePullSecrets": {depends: everyPod, set: "imagePullSecrets[0].name=mirror", changes: inEveryPod("+ imagePullSecrets[mirror].name: mirror")},
		"global.cattle.systemDefaultRegistry": {depends: everyPod, set: "global.cattle.systemDefaultRegistry=registry.example", changes: inEveryContainer(
			"- image: awsmigrate/awsmigrate:0.1.0", "+ image: registry.example/awsmigrate/awsmigrate:0.1.0")},
	}
}

func whereItRuns() map[string]setting {
	return map[string]setting{
		"resources": {depends: "mode=migrate", set: "resources.limits.memory=1Gi", changes: []string{
			"- " + container + ".resources.limits.memory: 512Mi", "+ " + container + ".resources.limits.memory: 1Gi",
			"- " + asks + ".spec.template.spec.containers[awsmigrate].resources.limits.memory: 512Mi", "+ " + asks + ".spec.template.spec.containers[awsmigrate].resources.limits.memory: 1Gi",
		}},
		"nodeSelector":      {depends: everyPod, set: "nodeSelector.pool=system", changes: inEveryPod("+ nodeSelector.pool: system")},
		"tolerations":       {depends: everyPod, set: "tolerations[0].key=system,tolerations[0].operator=Exists", changes: inEveryPod(`+ tolerations has {"key":"system","operator":"Exists"}`)},
		"affinity":          {depends: everyPod, set: `affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey=zone`, changes: inEveryPod(`+ affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution has {"topologyKey":"zone"}`)},
		"priorityClassName": {depends: everyPod, set: "priorityClassName=system-cluster-critical", changes: inEveryPod("+ priorityClassName: system-cluster-critical")},
		"extraAnnotations": {set: `extraAnnotations.example\.org/a=b`, changes: []string{
			"+ " + deploys + ".metadata.annotations.example.org/a: b", "+ " + deploys + ".spec.template.metadata.annotations.example.org/a: b",
			"+ ServiceAccount/awsmigrate in " + home + " .metadata.annotations.example.org/a: b",
		}},
	}
}

func waysOut() map[string]setting {
	const policy = "NetworkPolicy/awsmigrate in " + home + " "
	return map[string]setting{
		"networkPolicy.enabled": {set: "networkPolicy.enabled=true", changes: []string{"+ " + policy}},
		"networkPolicy.egressPorts": {depends: "networkPolicy.enabled=true", set: "networkPolicy.egressPorts={443}", changes: []string{
			"- " + policy + `.spec.egress has …{"port":6443,`, "+ " + policy + `.spec.egress has {"ports":[{"port":53,"protocol":"UDP"},{"port":53,"protocol":"TCP"},{"port":443,"protocol":"TCP"}]}`,
		}},
		"proxy": {depends: everyPod, set: "proxy=http://proxy.example:3128", changes: inEveryContainer(
			"+ env[HTTP_PROXY].", "+ env[HTTPS_PROXY].name: HTTPS_PROXY", "+ env[HTTPS_PROXY].value: http://proxy.example:3128", "+ env[NO_PROXY].")},
		"noProxy": {depends: everyPod + ",proxy=http://proxy.example:3128", set: `noProxy=rancher.example`, changes: inEveryContainer(
			"- env[NO_PROXY].value: 127.0.0.0/8,", "+ env[NO_PROXY].value: rancher.example,$(KUBERNETES_SERVICE_HOST),")},
		"additionalTrustedCAs": {depends: everyPod, set: "additionalTrustedCAs=true", changes: append(
			inEveryPod("+ volumes[additional-cas]."), inEveryContainer("+ env[SSL_CERT_DIR].", "+ volumeMounts[additional-cas].")...)},
	}
}

func whatWatches() map[string]setting {
	const dashboard = "ConfigMap/awsmigrate-dashboard in "
	return map[string]setting{
		"serviceMonitor.enabled":     {set: "serviceMonitor.enabled=true", changes: []string{"+ Service/awsmigrate in " + home + " ", "+ ServiceMonitor/awsmigrate in " + home + " "}},
		"serviceMonitor.labels":      {depends: "serviceMonitor.enabled=true", set: "serviceMonitor.labels.release=m", changes: []string{"+ ServiceMonitor/awsmigrate in " + home + " .metadata.labels.release: m"}},
		"prometheusRule.enabled":     {set: "prometheusRule.enabled=true", changes: []string{"+ PrometheusRule/awsmigrate in " + home + " "}},
		"prometheusRule.labels":      {depends: "prometheusRule.enabled=true", set: "prometheusRule.labels.release=m", changes: []string{"+ PrometheusRule/awsmigrate in " + home + " .metadata.labels.release: m"}},
		"grafanaDashboard.enabled":   {set: "grafanaDashboard.enabled=true", changes: []string{"+ " + dashboard + "cattle-dashboards "}},
		"grafanaDashboard.namespace": {depends: "grafanaDashboard.enabled=true", set: "grafanaDashboard.namespace=team-a", changes: []string{"- " + dashboard + "cattle-dashboards ", "+ " + dashboard + "team-a "}},
	}
}

// renderObjects returns the objects of a chart with these values, in the syntax of --set, applied in
// order.
func renderObjects(t *testing.T, ch *chart.Chart, sets ...string) ([]unstructured.Unstructured, error) {
	t.Helper()
	values := map[string]any{}
	for _, set := range sets {
		if err := strvals.ParseInto(set, values); err != nil {
			t.Fatalf("--set %s: %v", set, err)
		}
	}
	files, err := renderParsed(ch, values, "monitoring.coreos.com/v1")
	if err != nil {
		return nil, err
	}
	return objectsIn(t, manifestOf(files)), nil
}

// Every value changes what it is for, and nothing else. A value without a row here, and one
// that decides nothing, fail.
func TestValues_each_changesOnlyItsObjects(t *testing.T) {
	ch := controllerChart(t)
	var schema map[string]any
	if err := json.Unmarshal(ch.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	described := map[string]any{}
	schemaDefaults("", schema, described)
	rows := settings()
	for path := range rows {
		if _, is := described[path]; !is {
			t.Errorf("the chart has no value %s", path)
		}
	}
	for _, path := range slices.Sorted(slices.Values(leaves("", ch.Values, described))) {
		t.Run(path, func(t *testing.T) {
			row, is := rows[path]
			if !is {
				t.Fatal("no row has this value")
			}
			if !slices.ContainsFunc(strings.Split(row.set, ","), func(one string) bool { return strings.HasPrefix(one, path) }) {
				t.Fatalf("--set %s does not set it", row.set)
			}
			row.holds(t, ch)
		})
	}
}

func (s setting) holds(t *testing.T, ch *chart.Chart) {
	t.Helper()
	before, err := renderObjects(t, ch, s.depends)
	if err != nil {
		t.Fatal(err)
	}
	after, err := renderObjects(t, ch, s.depends, s.set)
	if err != nil {
		t.Fatal(err)
	}
	all := differences(t, before, after)
	surprising, missing := unexpected(all, s.changes)
	if len(all) == 0 || len(surprising)+len(missing) > 0 {
		t.Errorf("%d differences\nnot expected:\n%s\nnot there:\n%s", len(all), strings.Join(surprising, "\n"), strings.Join(missing, "\n"))
	}
}
