package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/upgradepath"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// seed is a piece of text that takes the place of a mark in a cluster.yml, and the stop that it
// causes: the minor version, the check and a part of the finding.
type seed struct{ text, minor, check, seen string }

// Each file has a form that public files have, and three marks, which are empty without seeds.
var clusterFiles = []struct { //nolint:gochecknoglobals // a constant table
	name, file string
	seeds      [3]seed
}{
	{"one node", `
nodes:
- address: 10.0.0.1
  user: ubuntu
  role: [controlplane, worker, etcd]
kubernetes_version: v1.24.17-rancher1-1
cloud_provider:
  name: aws
services:
  kubelet:
    extra_args:
      max-pods: "200"@1
  kube-api:
    extra_args:
      audit-log-maxage: "30"@2
  scheduler:
    extra_args:
      v: "2"@3
`, [3]seed{
		{"\n      container-runtime: remote", "1.27", "AWSM-755", "container-runtime"},
		{"\n      feature-gates: CSIMigrationAWS=false", "1.25", "AWSM-755", "CSIMigrationAWS"},
		{"\n      lock-object-name: kube-scheduler", "1.28", "AWSM-755", "lock-object-name"},
	}},
	{"flow style", `
nodes: [{address: 1.2.3.4, user: rke, role: [controlplane, etcd]}, {address: 1.2.3.5, user: rke, role: [worker]}]
kubernetes_version: "v1.26.15-rancher1-1"
cloud_provider: {name: aws}
services: {kubelet: {extra_args: {v: '2'@1}}, kube-api: {extra_args: {v: '2'@2}}, kubeproxy: {extra_args: {v: '2'@3}}}
`, [3]seed{
		{", iptables-drop-bit: '15'", "1.31", "AWSM-755", "iptables-drop-bit"},
		{", feature-gates: 'AllBeta=false'", "1.29", "AWSM-755", "AllBeta=false"},
		{", proxy-port-range: 0-0", "1.31", "AWSM-755", "proxy-port-range"},
	}},
	{"comments", `
# If you intended to deploy Kubernetes in an air-gapped environment,
# please consult the documentation
nodes:
- address: 203.0.113.7 # bastion
  port: "22"
  internal_address: ""
  role:
  - controlplane
  - etcd
  user: core
services:
  etcd:
    snapshot: null
  kube-controller:
    image: ""
    extra_args: # none
      v: "1"@1
  kubelet:
    image: ""
    extra_args:
      v: "1"@2
kubernetes_version: v1.25.16-rancher2-3 # newest of 1.25
cloud_provider:
  name: "aws"
system_images:
  etcd: rancher/mirrored-coreos-etcd:v3.5.9@3
`, [3]seed{
		{"\n      pod-eviction-timeout: 30s", "1.27", "AWSM-755", "pod-eviction-timeout"},
		{"\n      feature-gates: KubeletCredentialProviders=true", "1.28", "AWSM-755", "KubeletCredentialProviders"},
		{"\n  kubernetes: rancher/hyperkube:v1.25.16-rancher2", "1.26", "AWSM-724", "wins over kubernetes_version"},
	}},
	{"options of the cloud config", `
cluster_name: prod
kubernetes_version: v1.23.16-rancher2-3
nodes:
  - {address: a.example, hostname_override: a, user: u, role: [controlplane, etcd, worker]}
cloud_provider:
  name: aws
  awsCloudProvider:
    global:
      disable-security-group-ingress: false
      disable-strict-zone-check: false
services:
  kube-controller:
    extra_args:
      cluster-cidr: 10.42.0.0/16@1
  kube-api:
    extra_args:
      profiling: "false"@2
  kubelet:
    extra_args:
      v: "2"@3
`, [3]seed{
		{"\n      volume-host-allow-local-loopback: 'true'", "1.31", "AWSM-755", "volume-host-allow-local-loopback"},
		{"\n      feature-gates: EphemeralContainers=true", "1.27", "AWSM-755", "EphemeralContainers"},
		{"\n      master-service-namespace: default", "1.27", "AWSM-755", "master-service-namespace"},
	}},
	{"arrays", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.9-rancher1-1
cloud_provider: {name: aws}
services:
  kubelet:
    extra_args_array:
      v: ["2"]@1
  kube-api:
    extra_args_array:
      v: ["2"]@2
  kube-controller:
    extra_args_array:
      v: ["2"]@3
`, [3]seed{
		{"\n      keep-terminated-pod-volumes: ['true']", "1.31", "AWSM-755", "keep-terminated-pod-volumes"},
		{"\n      feature-gates: [JobReadyPods=true]", "1.31", "AWSM-755", "JobReadyPods"},
		{"\n      enable-taint-manager: ['true']", "1.27", "AWSM-755", "enable-taint-manager"},
	}},
	{"underscores and dashes", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.9-rancher1-1
cloud_provider: {name: aws}
services:
  kubelet: {extra_args: {max_pods: '99'@1}}
  scheduler: {extra_args: {v: '2'@2}}
  kubeproxy: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", container_runtime: remote", "1.27", "AWSM-755", "container-runtime"},
		{", lock_object_namespace: kube-system", "1.28", "AWSM-755", "lock-object-namespace"},
		{", proxy_port_range: 0-0", "1.31", "AWSM-755", "proxy-port-range"},
	}},
	{"anchors", `
x: &quiet {v: "1"}
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.24.10-rancher4-1
cloud_provider: {name: aws}
services:
  kube-api:
    extra_args:
      <<: *quiet@1
  kubelet:
    extra_args:
      <<: *quiet@2
  kube-controller:
    extra_args:
      <<: *quiet@3
`, [3]seed{
		{"\n      feature-gates: CSIMigration=false", "1.25", "AWSM-755", "CSIMigration=false"},
		{"\n      iptables-masquerade-bit: '14'", "1.31", "AWSM-755", "iptables-masquerade-bit"},
		{"\n      horizontal-pod-autoscaler-upscale-delay: 3m", "1.31", "AWSM-755", "horizontal-pod-autoscaler-upscale-delay"},
	}},
	{"another cluster's own provider", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.15-rancher1-1
cloud_provider:
  name: external
services:
  kube-api: {extra_args: {v: '2'@1}}
  kubelet: {extra_args: {cloud-provider: external@2}}
  kube-controller: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", feature-gates: DisableKubeletCloudCredentialProviders=false", "1.29", "AWSM-755", "DisableKubeletCloudCredentialProviders"},
		{", feature-gates: MinDomainsInPodTopologySpread=true", "1.32", "AWSM-755", "MinDomainsInPodTopologySpread"},
		{", cloud-provider: aws", "1.27", "AWSM-755", "refuses cloud-provider=aws"},
	}},
	{"migrated", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.27.16-rancher1-1
cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}
services:
  kube-api: {extra_args: {v: '2'@1}}
  kubelet: {extra_args: {v: '2'@2}}
  scheduler: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", cloud-provider: aws", "1.29", "AWSM-755", "refuses cloud-provider=aws"},
		{", feature-gates: TopologyManager=true", "1.29", "AWSM-755", "TopologyManager"},
		{", feature-gates: CSIMigrationvSphere=true", "1.29", "AWSM-755", "CSIMigrationvSphere"},
	}},
	{"no services", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.28.14-rancher1-1
cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}
services: {@1@2@3}
`, [3]seed{
		{"kube-api: {extra_args: {feature-gates: 'DisableCloudProviders=false'}}, ", "1.29", "AWSM-755", "DisableCloudProviders"},
		{"kubelet: {extra_args: {feature-gates: 'KubeletPodResources=true'}}, ", "1.30", "AWSM-755", "KubeletPodResources"},
		{"kubeproxy: {extra_args: {feature-gates: 'MinimizeIPTablesRestore=true'}}", "1.30", "AWSM-755", "MinimizeIPTablesRestore"},
	}},
	{"several gates", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.15-rancher1-1
cloud_provider: {name: aws}
services:
  kube-api: {extra_args: {feature-gates: "RotateKubeletServerCertificate=true@1"}}
  kubelet: {extra_args: {feature-gates: "RotateKubeletServerCertificate=true@2"}}
  kube-controller: {extra_args: {feature-gates: "RotateKubeletServerCertificate=true@3"}}
`, [3]seed{
		{",PodSecurity=true", "1.28", "AWSM-755", "PodSecurity"},
		{",SeccompDefault=true", "1.29", "AWSM-755", "SeccompDefault"},
		{",ServiceIPStaticSubrange=true", "1.28", "AWSM-755", "ServiceIPStaticSubrange"},
	}},
	{"no cloud provider", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.22.17-rancher1-2
services:
  kube-api: {extra_args: {v: '2'@1}}
  kubelet: {extra_args: {v: '2'@2}}
  scheduler: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", feature-gates: NetworkPolicyEndPort=true", "1.27", "AWSM-755", "NetworkPolicyEndPort"},
		{", feature-gates: DevicePlugins=true", "1.28", "AWSM-755", "DevicePlugins"},
		{", feature-gates: JobTrackingWithFinalizers=true", "1.29", "AWSM-755", "JobTrackingWithFinalizers"},
	}},
	{"another cloud", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.4-rancher2-1
cloud_provider: {name: vsphere}
services:
  kube-api: {extra_args: {v: '2'@1}}
  kubelet: {extra_args: {v: '2'@2}}
  kube-controller: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", feature-gates: APIPriorityAndFairness=true", "1.31", "AWSM-755", "APIPriorityAndFairness"},
		{", feature-gates: DownwardAPIHugePages=true", "1.29", "AWSM-755", "DownwardAPIHugePages"},
		{", feature-gates: CronJobTimeZone=true", "1.29", "AWSM-755", "CronJobTimeZone"},
	}},
	{"booleans and numbers", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.25.9-rancher2-2
cloud_provider: {name: aws}
services:
  kubelet:
    fail_swap_on: false
    extra_args: {serialize-image-pulls: false@1}
  kube-api:
    always_pull_images: true
    extra_args: {audit-log-maxbackup: 10@2}
  kube-controller:
    extra_args: {node-monitor-period: 5s@3}
`, [3]seed{
		{", keep-terminated-pod-volumes: true", "1.31", "AWSM-755", "keep-terminated-pod-volumes"},
		{", feature-gates: ServerSideApply=true", "1.32", "AWSM-755", "ServerSideApply"},
		{", enable-taint-manager: true", "1.27", "AWSM-755", "enable-taint-manager"},
	}},
	{"private registry and images", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
private_registries: [{url: registry.example, is_default: true}]
kubernetes_version: v1.26.13-rancher1-1
cloud_provider: {name: aws}
system_images: {alpine: registry.example/rke-tools:v0.1.96@1}
services:
  kubelet: {extra_args: {v: '2'@2}}
  kube-api: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", kubernetes: registry.example/hyperkube:v1.26.13-rancher1", "1.27", "AWSM-724", "wins over kubernetes_version"},
		{", feature-gates: CSINodeExpandSecret=true", "1.31", "AWSM-755", "CSINodeExpandSecret"},
		{", feature-gates: AdvancedAuditing=true", "1.28", "AWSM-755", "AdvancedAuditing"},
	}},
	{"binds and environment", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.26.15-rancher1-1
cloud_provider: {name: aws}
services:
  kube-api:
    extra_binds: ["/etc/audit:/etc/audit"]
    extra_env: [A=b]
    extra_args: {v: '2'@1}
  kubelet:
    extra_binds: ["/ecr:/ecr"]
    extra_args: {image-credential-provider-bin-dir: /ecr@2}
  kubeproxy:
    extra_args: {proxy-mode: ipvs@3}
`, [3]seed{
		{", feature-gates: ExpandPersistentVolumes=true", "1.27", "AWSM-755", "ExpandPersistentVolumes"},
		{", feature-gates: DelegateFSGroupToCSIDriver=true", "1.28", "AWSM-755", "DelegateFSGroupToCSIDriver"},
		{", feature-gates: ProxyTerminatingEndpoints=true", "1.30", "AWSM-755", "ProxyTerminatingEndpoints"},
	}},
	{"hardened", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.24.17-rancher1-1
cloud_provider: {name: aws}
services:
  etcd: {uid: 52034, gid: 52034}
  kube-api: {secrets_encryption_config: {enabled: true}, event_rate_limit: {enabled: true}, extra_args: {anonymous-auth: 'false'@1}}
  kube-controller: {extra_args: {bind-address: 127.0.0.1@2}}
  kubelet: {generate_serving_certificate: true, extra_args: {tls-cipher-suites: TLS_AES_128_GCM_SHA256@3}}
`, [3]seed{
		{", feature-gates: RemoveSelfLink=true", "1.30", "AWSM-755", "RemoveSelfLink"},
		{", feature-gates: CSIMigrationAWS=true", "1.27", "AWSM-755", "CSIMigrationAWS"},
		{", container-runtime: docker", "1.27", "AWSM-755", "container-runtime"},
	}},
	{"Windows workers' arguments", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.25.16-rancher2-3
cloud_provider: {name: aws}
services:
  kubelet: {win_extra_args: {container-runtime: remote}, extra_args: {v: '2'@1}}
  kube-api: {extra_args: {v: '2'@2}}
  scheduler: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", feature-gates: PodHasNetworkCondition=true", "1.28", "AWSM-755", "PodHasNetworkCondition"},
		{", feature-gates: RemoveSelfLink=true", "1.30", "AWSM-755", "RemoveSelfLink"},
		{", feature-gates: ReadWriteOncePod=true", "1.31", "AWSM-755", "ReadWriteOncePod"},
	}},
	{"upgrade strategy and add-ons", `
nodes:
- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}
kubernetes_version: v1.27.10-rancher1-1
upgrade_strategy: {drain: true, max_unavailable_worker: 20%}
addons: |-
  ---
  apiVersion: v1
  kind: Namespace
  metadata: {name: x}
cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}
services:
  kube-api: {extra_args: {v: '2'@1}}
  kubelet: {extra_args: {v: '2'@2}}
  kube-controller: {extra_args: {v: '2'@3}}
`, [3]seed{
		{", feature-gates: CustomResourceValidationExpressions=true", "1.31", "AWSM-755", "CustomResourceValidationExpressions"},
		{", feature-gates: GRPCContainerProbe=true", "1.29", "AWSM-755", "GRPCContainerProbe"},
		{", feature-gates: JobTrackingWithFinalizers=true", "1.29", "AWSM-755", "JobTrackingWithFinalizers"},
	}},
	{"old and quoted", `
"nodes":
- "address": "1.2.3.4"
  "user": "u"
  "role": ["controlplane", "etcd", "worker"]
"kubernetes_version": "v1.23.10-rancher1-1"
"cloud_provider":
  "name": "aws"
"services":
  "kube-api":
    "extra_args":
      "v": "2"@1
  "kubelet":
    "extra_args":
      "v": "2"@2
  "scheduler":
    "extra_args":
      "v": "2"@3
`, [3]seed{
		{"\n      \"feature-gates\": \"ControllerManagerLeaderMigration=true\"", "1.27", "AWSM-755", "ControllerManagerLeaderMigration"},
		{"\n      \"feature-gates\": \"CSIMigration=false\"", "1.25", "AWSM-755", "CSIMigration=false"},
		{"\n      \"lock-object-name\": \"a\"", "1.28", "AWSM-755", "lock-object-name"},
	}},
}

// stopsOf returns the stops of a cluster.yml, as lines.
func stopsOf(t *testing.T, text string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cluster.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start, err := PathStartOfFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path, err := upgradepath.Compute(start, "")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range path.Steps {
		for _, f := range step.Findings {
			if f.Status == verify.Fail {
				lines = append(lines, step.Minor+" "+f.Check+" "+f.Seen)
			}
			if f.Object == "" || f.Fix == "" {
				t.Errorf("%+v: no place or no fix", f)
			}
		}
	}
	return lines
}

func TestPathStartOfFile_seededStops_found(t *testing.T) {
	if len(clusterFiles) < 20 {
		t.Fatalf("%d files", len(clusterFiles))
	}
	for _, tt := range clusterFiles {
		t.Run(tt.name, func(t *testing.T) {
			without, with := tt.file, tt.file
			for i, one := range tt.seeds {
				mark := "@" + string(rune('1'+i))
				without, with = strings.Replace(without, mark, "", 1), strings.Replace(with, mark, one.text, 1)
			}
			stops := stopsOf(t, without)
			migration := slices.DeleteFunc(slices.Clone(stops), func(line string) bool { return !strings.HasPrefix(line, "1.27 AWSM-101 ") })
			if inTree := strings.Contains(strings.ReplaceAll(without, `"`, ""), "name: aws"); len(stops) != len(migration) || (len(migration) == 1) != inTree {
				t.Errorf("without seeds: %q", stops)
			}
			stops = stopsOf(t, with)
			for _, one := range tt.seeds {
				if !slices.ContainsFunc(stops, func(line string) bool {
					return strings.HasPrefix(line, one.minor+" "+one.check+" ") && strings.Contains(line, one.seen)
				}) {
					t.Errorf("%s %s %q is not found in %q", one.minor, one.check, one.seen, stops)
				}
			}
			if len(stops) != len(migration)+len(tt.seeds) {
				t.Errorf("with 3 seeds: %q", stops)
			}
		})
	}
}

func TestPathStart_reading_started(t *testing.T) {
	for name, tt := range map[string]struct {
		at        position.Position
		inTree    bool
		undecided []string
	}{
		"in-tree":              {position.P0, true, nil},
		"the CCM leads":        {position.P3, true, nil},
		"migrated":             {position.P5, false, nil},
		"position not visible": {position.Unknown, false, []string{"AWSM-101"}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := Reading{Target: bundle.Target{Name: "demo"}, NextBare: "awsmigrate rke2 plan --cluster demo"}
			seen.Input.Distribution, seen.Input.Version, seen.Input.Position.Position = wellknown.RKE2, verify.Got("v1.26.15+rke2r1"), tt.at
			seen.Own = verify.Bind(rke2checks.Prepared{}, rke2checks.All()...)
			start := PathStart(seen)
			path, err := upgradepath.Compute(start, "v1.28")
			if err != nil || start.InTree != tt.inTree || !slices.Equal(path.Undecided, tt.undecided) || path.Steps[0].Image != "v1.27.10" || path.Steps[0].Manager == "" {
				t.Errorf("%v, in-tree %t, %+v", err, start.InTree, path)
			}
			if stops := path.Stops(verify.Fail); tt.inTree != (len(stops) == 1 && strings.Contains(stops[0].Fix, seen.NextBare)) {
				t.Errorf("%+v", stops)
			}
		})
	}
}

// Checks whose side could not be read have decided nothing.
func TestPathStart_ownSideUnread_undecided(t *testing.T) {
	seen := Reading{Target: bundle.Target{Name: "demo"}}
	seen.Input.Distribution, seen.Input.Version = wellknown.RKE2, verify.Got("v1.28.15+rke2r1")
	seen.Own = unjudged(SideOf(wellknown.RKE2).Own, errors.New("forbidden"))
	path, err := upgradepath.Compute(PathStart(seen), "v1.29")
	if err != nil || !slices.Contains(path.Undecided, "AWSM-122") || !slices.Contains(path.Undecided, "AWSM-126") {
		t.Errorf("%v, %q", err, path.Undecided)
	}
}
