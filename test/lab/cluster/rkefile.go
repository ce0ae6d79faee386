package cluster

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// rkeNode is a node as cluster.yml names it.
type rkeNode struct {
	Name, Address, Internal, Override string
	Roles                             []string
}

// rkeRest is cluster.yml after its nodes, as a user may have kept it for years.
const rkeRest = `
# --- Kubernetes -----------------------------------------------------------
# Pinned: an empty version would follow the rke binary.
kubernetes_version: {{.Version}}

services:
  etcd:
    snapshot: true
    creation: 6h
    retention: 24h
  kube-api:
    service_node_port_range: 30000-32767
    pod_security_configuration: privileged
    always_pull_images: false
  # Nodes that answer late are not evicted at once.
  kube-controller:
    extra_args:
      node-monitor-period: "5s"   # the default, written down
  kubelet:
    extra_args:
      max-pods: "110"

network:
  plugin: canal
  options: {canal_flannel_backend_type: vxlan}

authentication:
  strategy: x509
  sans:
    - "api.demo.example.org"

# Load balancers and node addresses come from AWS.
cloud_provider:
  name: aws
{{- if .Block}}
  awsCloudProvider:
    global:
      kubernetes-cluster-id: {{.Cluster}}
      disable-strict-zone-check: true
{{- end}}

ingress:
  provider: none

upgrade_strategy:
  max_unavailable_worker: 10%
  max_unavailable_controlplane: 1
  drain: false

addons: |-
  ---
  # Kept here so that a new cluster has it at once.
  apiVersion: v1
  kind: Namespace
  metadata:
    name: team-a
`

// rkeHead is the part with the nodes. rke reaches them at their loopback address; the internal
// address is the one in EC2.
const rkeHead = `# {{.Cluster}}: three zones of us-east-1. Run rke from the jump host only.
cluster_name: {{.Cluster}}
ssh_key_path: {{.Key}}
ssh_agent_auth: false
ignore_docker_version: false

nodes:
{{- range .Nodes}}
  - address: {{.Address}}            # {{.Name}}
    internal_address: {{.Internal}}
{{- if .Override}}
    hostname_override: {{.Override}}
{{- end}}
    user: {{$.User}}
    role: [{{range $i, $r := .Roles}}{{if $i}}, {{end}}{{$r}}{{end}}]
{{- end}}
`

// clusterYAML returns the lab's cluster.yml. The options' file, if given, replaces everything
// after the nodes.
func clusterYAML(o Options, key string, nodes []rkeNode) ([]byte, error) {
	rest, user := rkeRest, "ubuntu"
	if o.Real {
		rest, user = realRest, "root"
	}
	if len(o.ClusterPatch) > 0 {
		rest = "\n" + string(o.ClusterPatch)
	}
	var out bytes.Buffer
	facts := map[string]any{"Cluster": ClusterName, "Key": key, "Nodes": nodes, "Version": o.Version, "Block": o.AWSBlock, "User": user, "AWS": hostAWS(callerRKE)}
	for _, part := range []string{rkeHead, rest} {
		t, err := template.New("cluster.yml").Parse(part)
		if err != nil {
			return nil, fmt.Errorf("cluster.yml: %w", err)
		}
		if err := t.Execute(&out, facts); err != nil {
			return nil, fmt.Errorf("cluster.yml: %w", err)
		}
	}
	return out.Bytes(), nil
}

// validateRKE returns an error if no cluster of rke can be made with the options.
func (o Options) validateRKE() error {
	switch {
	case o.Layout == Custom || o.ExplicitNodeNames:
		return fmt.Errorf("layout custom and explicit node names are Rancher's; a cluster of rke's has neither")
	case o.RKEVersion == "":
		return fmt.Errorf("--rke-version is empty; wanted for example %s", DefaultRKEVersion)
	}
	if o.Distro == RKE1 {
		config, err := managedConfig(o)
		if err != nil {
			return err
		}
		_, err = rke.Release(o.RKEVersion).Resolve(config)
		return err
	}
	nodes := []rkeNode{{Name: "a", Address: "127.2.1.10", Internal: "10.0.0.1", Override: "", Roles: []string{"controlplane", "etcd", "worker"}}}
	text, err := clusterYAML(o, "/key", nodes)
	if err != nil {
		return err
	}
	config, err := rke.Decode(text)
	if err != nil {
		return err
	}
	_, err = rke.Release(o.RKEVersion).Resolve(config)
	return err
}

// rkeScript returns D/bin/rke: this program as the rke binary of a version, which
// LAB_RKE_VERSION changes.
func rkeScript(program, version string) string {
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	return fmt.Sprintf("#!/bin/sh\n# The lab's rke. LAB_RKE_VERSION makes it another release.\nexport LAB_RKE_VERSION=\"${LAB_RKE_VERSION:-%s}\"\nexec %s rke \"$@\"\n", version, quoted)
}
