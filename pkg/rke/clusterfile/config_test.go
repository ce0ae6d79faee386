package clusterfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

func TestParse_config_likeRKE(t *testing.T) {
	const text = `cluster_name: prod
kubernetes_version: "v1.26.9-rancher1-1"
unknown: {x: 1}
Cloud_Provider: {name: gce}
system_images:
  kubernetes: rancher/hyperkube:v1.26.9-rancher1
services:
  kube-controller:
    image: x
    extra_args:
      a: True
      b: 1.50
      c: 0x10
      d: yes
      e:
      f: 012
      g: 2020-01-01
      h: twice
      h: last
    extra_args_array:
      feature-gates: [A=true, B=false]
  kube_api:
    extra_args: {ignored: "1"}
  kubelet:
    extra_args: {v: "1"}
  kubelet:
    image: merged
cloud_provider:
  name: aws
  useInstanceMetadataHostname: on
  awsCloudProvider: {}
  customCloudProvider: |
    [Global]
    Zone=x
nodes:
- address: 10.0.0.1
  port: 2222
  internal_address: 172.16.0.1
  hostname_override: ip-172-16-0-1.ec2.internal
  role: [controlplane, etcd]
  user: ubuntu
  labels: {n: 1}
  taints: [{key: k, value: true, effect: NoSchedule}]
upgrade_strategy:
  max_unavailable_worker: 10%
  max_unavailable_controlplane: 1
  drain: false
network: {plugin: canal, mtu: 1400}
`
	c := parse(t, []byte(text)).Config()
	yes, no := true, false
	want := clusterfile.Config{
		ClusterName: "prod", KubernetesVersion: "v1.26.9-rancher1-1",
		SystemImages:           map[string]string{"kubernetes": "rancher/hyperkube:v1.26.9-rancher1"},
		SystemImagesKubernetes: "rancher/hyperkube:v1.26.9-rancher1",
		Services: clusterfile.Services{
			KubeController: clusterfile.Service{
				Image: "x",
				ExtraArgs: map[string]string{
					"a": "True", "b": "1.50", "c": "0x10", "d": "yes", "e": "", "f": "012", "g": "2020-01-01", "h": "last",
				},
				ExtraArgsArray: map[string][]string{"feature-gates": {"A=true", "B=false"}},
			},
			Kubelet: clusterfile.Service{Image: "merged", ExtraArgs: map[string]string{"v": "1"}},
		},
		CloudProvider: clusterfile.CloudProvider{
			Name: "aws", UseInstanceMetadataHostname: &yes,
			AWS: &clusterfile.AWSCloudProvider{}, Custom: "[Global]\nZone=x\n",
		},
		Nodes: []clusterfile.Node{{
			Address: "10.0.0.1", Port: "2222", InternalAddress: "172.16.0.1", HostnameOverride: "ip-172-16-0-1.ec2.internal",
			Role: []string{"controlplane", "etcd"}, User: "ubuntu", Labels: map[string]string{"n": "1"},
			Taints: []clusterfile.Taint{{Key: "k", Value: "true", Effect: "NoSchedule"}},
		}},
		UpgradeStrategy: clusterfile.UpgradeStrategy{MaxUnavailableWorker: "10%", MaxUnavailableControlplane: "1", Drain: &no},
		Network:         clusterfile.Network{Plugin: "canal", MTU: 1400},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

// With a custom encryption configuration, rke encodes the file again through JSON before it
// reads it.
func TestParse_customEncryption_likeRKE(t *testing.T) {
	const text = `services:
  kube-api:
    secrets_encryption_config:
      enabled: true
      custom_config: {apiVersion: v1, kind: EncryptionConfiguration}
  kube-controller:
    extra_args: {b: 1.50, d: yes, s: "1.50"}
`
	args := parse(t, []byte(text)).Config().Services.KubeController.ExtraArgs
	want := map[string]string{"b": "1.5", "d": "true", "s": "1.50"}
	if d := cmp.Diff(want, args); d != "" {
		t.Error(d)
	}
}

func TestParse_nullAWSCloudProvider_nil(t *testing.T) {
	for text, want := range map[string]bool{
		"awsCloudProvider: {}":                    true,
		"awsCloudProvider:":                       false,
		"awsCloudProvider: null":                  false,
		"name: aws":                               false,
		"awsCloudProvider: {global: {vpc: v}}":    true,
		"AwsCloudProvider: {}":                    false,
		"awsCloudProvider: {unknown-to-rke: yes}": true,
	} {
		c := parse(t, []byte("cloud_provider:\n  "+text+"\n")).Config()
		if got := c.CloudProvider.AWS != nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestLine(t *testing.T) {
	f := parse(t, []byte(goodText+"nodes: []\n"))
	for path, want := range map[string]int{
		"services": 1, "services.kube-controller.extra_args.v": 4, "cloud_provider.name": 6, "nodes": 7,
		"services.etcd": 0, "nodes.x": 0, "cloud_provider.name.x": 0,
	} {
		if got := f.Line(strings.Split(path, ".")...); got != want {
			t.Errorf("%s: line %d, wanted %d", path, got, want)
		}
	}
}
