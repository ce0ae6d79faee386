package rke2checks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// namingRow is a row of the rules by which the next machine gets its name, written from the
// sources and not from nameOfNext. "*" is any value; the first row that fits counts.
type namingRow struct {
	end, os, tokenRelease, endpoint, tokens, userData string
	name                                              string
	source                                            string
}

func namingRows() []namingRow {
	const (
		windows  = "rancher/rke2:pkg/rke2/rke2_windows.go@v1.26.15+rke2r1"
		linux    = "rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15+rke2r1, line 80"
		request  = "rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15+rke2r1, line 480: no token"
		newer    = "rancher/rke2:pkg/rke2/rke2_linux.go@v1.29.11+rke2r1, line 104: with a token"
		kubelet  = "kubernetes/kubernetes:cmd/kubelet/app/server.go@v1.26.13, getNodeName"
		machine  = "rancher/machine:commands/create.go@a057776c, writeCloudConfig"
		refused  = "rancher/machine:commands/create.go@a057776c, replaceUserdataFile"
		defaults = "rancher/machine:drivers/amazonec2/amazonec2.go@a057776c, line 865: an unset option is left to EC2"
	)
	return []namingRow{
		{"*", "*", "*", "*", "*", "neither", "none", refused},
		{"*", "windows", "*", "*", "*", "commands", "unknown", windows},
		{"*", "windows", "*", "*", "*", "named", "fixed", windows},
		{"*", "windows", "*", "*", "*", "*", "machine", windows},
		{"external", "*", "*", "*", "*", "commands", "unknown", kubelet},
		{"external", "*", "*", "*", "*", "named", "fixed", kubelet},
		{"external", "*", "*", "*", "*", "*", "machine", machine},
		{"overrides", "linux", "*", "disabled", "*", "commands", "unknown", linux},
		{"overrides", "linux", "*", "disabled", "*", "named", "fixed", linux},
		{"overrides", "linux", "*", "disabled", "*", "*", "machine", linux},
		{"overrides", "linux", "yes", "*", "*", "*", "dns", newer},
		{"overrides", "linux", "no", "*", "optional", "*", "dns", request},
		{"overrides", "linux", "no", "*", "", "*", "dns?", defaults},
		{"overrides", "linux", "no", "*", "required", "commands", "unknown", request},
		{"overrides", "linux", "no", "*", "required", "named", "fixed", request},
		{"overrides", "linux", "no", "*", "required", "*", "machine", request},
	}
}

// randomPool is a pool with its template, and what the sources say of its next machine.
type randomPool struct {
	end, os, tokenRelease, endpoint, tokens, userData string
	tags                                              [][2]string
	profile, controlPlane                             bool
}

func pick(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

func newRandomPool(r *rand.Rand, end, tokenRelease string) randomPool {
	p := randomPool{end: end, tokenRelease: tokenRelease, os: pick(r, "linux", "linux", "linux", "windows"), endpoint: pick(r, "", "enabled", "enabled", "disabled"),
		tokens: pick(r, "", "optional", "required"), userData: pick(r, "none", "named", "commands", "script", "plain", "neither"), profile: r.IntN(2) == 0, controlPlane: r.IntN(2) == 0}
	for range r.IntN(4) {
		p.tags = append(p.tags, [2]string{pick(r, "team", "env", "kubernetes.io/cluster/c-m-1", "kubernetes.io/cluster/prod", "KubernetesCluster"), pick(r, "owned", "shared", "a")})
	}
	return p
}

// expected returns the name by the rows, and the clusters of the tags.
func (p randomPool) expected(t *testing.T) (name string, clusters []string) {
	t.Helper()
	fits := func(want, have string) bool { return want == "*" || want == have }
	for _, row := range namingRows() {
		if fits(row.end, p.end) && fits(row.os, p.os) && fits(row.tokenRelease, p.tokenRelease) && fits(row.endpoint, p.endpoint) && fits(row.tokens, p.tokens) && fits(row.userData, p.userData) {
			name = row.name
			break
		}
	}
	if name == "" {
		t.Fatalf("no row fits %+v", p)
	}
	keys := map[string]bool{}
	for _, tag := range p.tags {
		if keys[tag[0]] {
			name = "none" // openshift/installer#468: EC2 refuses a key that occurs twice
		}
		keys[tag[0]] = true
	}
	named := map[string]bool{}
	for _, tag := range p.tags {
		if tag[0] == "kubernetes.io/cluster/c-m-1" || tag[0] == "kubernetes.io/cluster/prod" {
			named[tag[0]] = true
		}
	}
	for _, id := range []string{"c-m-1", "prod"} {
		if named["kubernetes.io/cluster/"+id] {
			clusters = append(clusters, id)
		}
	}
	if len(clusters) == 0 {
		clusters = []string{"c-m-9"} // Rancher's own
	}
	for _, tag := range p.tags {
		if tag[0] == "KubernetesCluster" && !slices.Contains(clusters, tag[1]) {
			clusters = append(clusters, tag[1])
		}
	}
	slices.Sort(clusters)
	return name, clusters
}

// object returns the template as Rancher's API serves it.
func (p randomPool) object(name string) map[string]any {
	o := map[string]any{"apiVersion": "rke-machine-config.cattle.io/v1", "kind": "Amazonec2Config", "metadata": map[string]any{"namespace": "fleet-default", "name": name},
		"httpEndpoint": p.endpoint, "httpTokens": p.tokens, "vpcId": "vpc-1"}
	var words []string
	for _, tag := range p.tags {
		words = append(words, tag[0], tag[1])
	}
	o["tags"] = strings.Join(words, ",")
	if p.profile {
		o["iamInstanceProfile"] = "nodes"
	}
	key := map[string]string{"linux": "hostname", "windows": "set_hostname"}[p.os]
	o["userdata"] = map[string]string{
		"none": "", "plain": "#cloud-config\npackages: [jq]\n", "script": "#!/bin/sh\napt-get update\n", "neither": "apt-get update\n",
		"named":    "#cloud-config\n" + key + ": worker\n",
		"commands": "#cloud-config\nruncmd:\n- hostnamectl set-hostname $(curl -s http://169.254.169.254/latest/meta-data/local-hostname)\n",
	}[p.userData]
	return o
}

// The next machine of 200 random templates: the name, the tags and the verdict of AWSM-316 agree
// with rows that were written separately from the sources.
func TestNextMachine_randomTemplates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := map[nextName]string{nameByMetadata: "dns", nameByDefaults: "dns?", nameOfMachine: "machine", nameFixed: "fixed", nameUnknown: "unknown"}
	seen := map[string]int{}
	for i := range 200 {
		end, release, token := pick(r, "overrides", "external"), "v1.26.15+rke2r1", "no"
		if r.IntN(3) == 0 {
			release, token = "v1.31.4+rke2r1", "yes"
		}
		pool := newRandomPool(r, end, token)
		wantName, wantClusters := pool.expected(t)
		template := readTemplate(t, pool)
		provider := map[string]string{"overrides": config.ProviderAWS, "external": "external"}[end]
		got := names[nameOfNext(template, provider, release)]
		if template.Host.Refused || template.RefusedTags != "" {
			got = "none"
		}
		seen[got]++
		if got != wantName || !slices.Equal(template.Clusters, wantClusters) && got != "none" {
			t.Errorf("%d: name %s, want %s; clusters %v, want %v: %+v", i, got, wantName, template.Clusters, wantClusters, pool)
		}
		p := sound()
		p.Cluster.Spec.KubernetesVersion, p.Choice.State = release, EndState(end)
		p.Next = NextMachines{Cluster: "prod", VPCs: []string{"vpc-1"}, Templates: verify.Got([]evidence.MachineTemplate{template})}
		initialized := strings.HasPrefix(wantName, "dns") && slices.Contains(wantClusters, "prod") &&
			(!pool.controlPlane || len(wantClusters) == 1 && pool.profile && pool.endpoint != "disabled")
		found := judgeNextMachines(*p)
		if ok := found[0].Status == verify.OK; ok != initialized {
			t.Errorf("%d: ok %t, want %t: %+v of %+v", i, ok, initialized, found, pool)
		}
	}
	if len(seen) != 6 {
		t.Errorf("some names were never tried: %v", seen)
	}
}

func TestParseTemplate(t *testing.T) {
	for _, test := range []struct {
		name, tags, userData string
		spot                 bool
		clusters             []string
		refused              string
		host                 evidence.HostName
	}{
		{name: "empty", clusters: []string{"c-m-9"}},
		{name: "prefix in a value", tags: "note,kubernetes.io/cluster/prod"},
		{name: "key without a value shifts Rancher's tag", tags: "team"},
		{name: "key without a value, then none to shift", tags: "kubernetes.io/cluster/prod,owned,team", clusters: []string{"prod"}},
		{name: "last comma", tags: "team,a,", refused: "no key"},
		{name: "Name", tags: "Name,web", clusters: []string{"c-m-9"}, refused: "Name occurs twice"},
		{name: "Name of a spot instance", tags: "Name,web", spot: true, clusters: []string{"c-m-9"}},
		{name: "text for a list", userData: "#cloud-config\nruncmd: reboot\n", clusters: []string{"c-m-9"}, host: evidence.HostName{Refused: true}},
		{name: "map for a list", userData: "#cloud-config\nwrite_files: {}\n", clusters: []string{"c-m-9"}, host: evidence.HostName{Refused: true}},
		{name: "no text as the host name", userData: "#cloud-config\nhostname: 7\n", clusters: []string{"c-m-9"}, host: evidence.HostName{Unknown: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got evidence.MachineTemplate
			ParseTemplate(map[string]any{"tags": test.tags, "userdata": test.userData, "requestSpotInstance": test.spot}, "c-m-9", &got)
			if !slices.Equal(got.Clusters, test.clusters) || got.Host != test.host {
				t.Errorf("clusters %v, host %+v", got.Clusters, got.Host)
			}
			if (got.RefusedTags == "") != (test.refused == "") || !strings.Contains(got.RefusedTags, test.refused) {
				t.Errorf("refused %q, want %q", got.RefusedTags, test.refused)
			}
		})
	}
}

// readTemplate returns the template of a pool as it is parsed from Rancher's object.
func readTemplate(t *testing.T, pool randomPool) evidence.MachineTemplate {
	t.Helper()
	template := evidence.MachineTemplate{Pool: "w", ControlPlane: pool.controlPlane, Windows: pool.os == "windows"}
	ParseTemplate(pool.object("nc-w"), "c-m-9", &template)
	if text := fmt.Sprintf("%+v", template); strings.Contains(text, "hostnamectl") || strings.Contains(text, "apt-get") {
		t.Errorf("keeps user data: %s", text)
	}
	return template
}
