package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const soundRKE = "nodes:\n- {address: 1.2.3.4, user: u, role: [controlplane, etcd, worker]}\nkubernetes_version: v1.26.9-rancher1-1\n"

// A file of a cluster that is not on the in-tree AWS provider, or that rke would
// not take, gets no plan with exit 0.
func TestOfflinePlanJudgesTheFile(t *testing.T) {
	aws := soundRKE + "cloud_provider: {name: aws}\n"
	with := func(old, with string) string {
		if !strings.Contains(aws, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(aws, old, with, 1)
	}
	for name, tt := range map[string]struct {
		file string
		code int
		says string
	}{
		"in-tree AWS":               {aws, 0, "enable-leader-migration"},
		"AWS by its block":          {soundRKE + "cloud_provider:\n  awsCloudProvider: {}\n", 0, "enable-leader-migration"},
		"no provider":               {soundRKE, 3, "cluster.yml: cloud_provider.name: no cloud_provider"},
		"a provider without name":   {soundRKE + "cloud_provider: {}\n", 3, "without a name"},
		"azure":                     {with("aws", "azure"), 3, "cluster.yml:4"},
		"azure with its block":      {with("name: aws", "name: azure, azureCloudProvider: {tenantId: x}"), 3, `cloud provider "azure"`},
		"vsphere with its block":    {with("name: aws", "name: vsphere, vsphereCloudProvider: {}"), 3, `cloud provider "vsphere"`},
		"vsphere's block alone":     {with("name: aws", "vsphereCloudProvider: {}"), 3, `takes provider "vsphere"`},
		"vsphere's block as well":   {with("name: aws", "name: aws, vsphereCloudProvider: {}"), 3, "AWSM-732"},
		"custom text for another":   {with("name: aws", "name: gce, awsCloudProvider: {}, customCloudProvider: x"), 3, `cloud provider "gce"`},
		"harvester":                 {with("name: aws", "name: harvester, harvesterCloudProvider: {cloud_config: x}"), 3, `takes provider "external"`},
		"external":                  {with("aws", "external"), 3, `cloud provider "external"`},
		"capitals":                  {with("aws", "AWS"), 3, `cloud provider "AWS"`},
		"yes":                       {with("aws", "yes"), 3, `cloud provider "yes"`},
		"a blank":                   {with("aws", `"aws "`), 3, `cloud provider "aws "`},
		"1.16":                      {with("v1.26.9", "v1.16.3"), 3, "cluster.yml:3"},
		"1.27":                      {with("v1.26.9", "v1.27.16"), 3, "AWSM-101"},
		"1.29":                      {with("v1.26.9", "v1.29.3"), 3, "AWSM-101"},
		"latest":                    {with("v1.26.9-rancher1-1", "latest"), 3, "latest"},
		"no version":                {with("kubernetes_version: v1.26.9-rancher1-1\n", ""), 3, "AWSM-723"},
		"a placeholder":             {with("v1.26.9-rancher1-1", "${K8S}"), 2, "cluster.yml:3"},
		"another placeholder":       {with("v1.26.9-rancher1-1", `"{{ k8s }}"`), 2, "cluster.yml:3"},
		"a placeholder in a node":   {with("1.2.3.4", "$IP"), 2, "cluster.yml:2"},
		"an override of the config": {with("name: aws", "name: aws, awsCloudProvider: {service_override: {'1': {service: s3}}}"), 3, "AWSM-730"},
		"a key that rke ignores":    {aws + "colour: red\n", 0, "enable-leader-migration"},
		"cloud-provider":            {with("cloud_provider", "cloud-provider"), 3, "AWSM-103"},
		"a key of an edit twice":    {aws + "services: {kube-controller: {}, kube-controller: {}}\n", 2, "services.kube-controller a second time"},
		"flag in the array":         {aws + "services: {kube-controller: {extra_args_array: {enable-leader-migration: ['true']}}}\n", 3, "AWSM-752"},
		"flag with dashes":          {aws + "services: {kube-controller: {extra_args: {--enable-leader-migration: 'true'}}}\n", 3, "AWSM-754"},
		"left to rke":               {aws + "network: {plugin: cilium}\n", 0, "enable-leader-migration"},
		"a kind that rke refuses":   {aws + "upgrade_strategy: {drain: soon}\n", 2, "cluster.yml:5"},
		"done":                      {with("name: aws", "name: external-aws, useInstanceMetadataHostname: true"), 0, "nothing to do"},
		"done, names unsaid":        {with("aws", "external-aws"), 0, "nothing to do"},
		"the trap":                  {with("name: aws", "name: external-aws, awsCloudProvider: {}"), 3, "AWSM-721"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs, left := command(t, map[string]string{"cluster.yml": tt.file}, "rke", "plan", "--config", "cluster.yml", "--offline")
			if flat := strings.Join(strings.Fields(out+errs), " "); code != tt.code || !strings.Contains(flat, tt.says) || len(left) != 1 {
				t.Errorf("exit %d, wanted %d and %q:\n%s%s", code, tt.code, tt.says, out, errs)
			}
		})
	}
}

// What is not known is said to be unknown, in words and as data, and no list is null.
func TestOfflinePlanAsData(t *testing.T) {
	valid := validator(t)
	for name, tt := range map[string]struct {
		file, basis, says string
		steps             int
	}{
		"known":         {soundRKE + "cloud_provider: {name: aws}\n", "rke-tools", "useInstanceMetadataHostname: true", 2},
		"too old":       {strings.Replace(soundRKE, "v1.26.9", "v1.26.8", 1) + "cloud_provider: {name: aws}\n", "rke-tools", "do not name the kubelet", 2},
		"unknown tools": {strings.Replace(soundRKE, "v1.26.9", "v1.26.1", 1) + "cloud_provider: {name: aws}\n", "unknown", "it is not known", 2},
		"done":          {soundRKE + "cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}\n", "file", "nothing to do", 0},
		"no plan":       {soundRKE, "rke-tools", "no plan", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, out, errs, _ := command(t, map[string]string{"cluster.yml": tt.file}, "rke", "plan", "--config", "cluster.yml", "--offline", "-o", "json")
			var doc struct {
				Header  []string
				Steps   []json.RawMessage
				Offline struct {
					Names struct {
						Basis string
					}
					Checks    []struct{ ID, Status string }
					Undecided []string
				}
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil || strings.Contains(out, ": null") {
				t.Fatalf("%v\n%s%s", err, out, errs)
			}
			if doc.Offline.Names.Basis != tt.basis || len(doc.Steps) != tt.steps || !strings.Contains(fmt.Sprint(doc.Header), tt.says) ||
				len(doc.Offline.Undecided) < 5 || len(doc.Offline.Checks) < 10 {
				t.Errorf("%+v", doc)
			}
			if err := valid(json.RawMessage(out)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file that fails says so in its one document, as a plan of a cluster does: the exit
// code, and each cause by its reason. A file that is no cluster.yml has no plan.
func TestOfflinePlanTellsItsExitCode(t *testing.T) {
	valid := validator(t)
	for name, tt := range map[string]struct {
		file, kind, reason string
	}{
		"sound":            {soundRKE + "cloud_provider: {name: aws}\n", "Plan", ""},
		"another provider": {soundRKE + "cloud_provider: {name: azure, azureCloudProvider: {tenantId: x}}\n", "Plan", "ChecksFailed"},
		"a duplicate key":  {soundRKE + "cloud_provider: {name: aws}\ncloud_provider: {name: aws}\n", "Error", "ClusterFileDuplicateKey"},
		"no YAML":          {"a: [", "Error", "ClusterFileNotYAML"},
	} {
		for _, format := range []string{"json", "yaml"} {
			code, out, errs, _ := command(t, map[string]string{"cluster.yml": tt.file}, "rke", "plan", "--config", "cluster.yml", "--offline", "-o", format)
			var doc struct {
				Kind, Reason string
				Code         int
				Checks       struct {
					Code  int
					Stops []struct{ Reason, Seen string }
				}
			}
			if err := yaml.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("%s -o %s: %v\n%s%s", name, format, err, out, errs)
			}
			told, reason := doc.Checks.Code, ""
			if len(doc.Checks.Stops) > 0 {
				reason = doc.Checks.Stops[0].Reason
			}
			if doc.Kind == "Error" {
				told, reason = doc.Code, doc.Reason
			}
			if doc.Kind != tt.kind || told != code || reason != tt.reason || (code == 0) != (tt.reason == "") {
				t.Errorf("%s -o %s: exit %d, document %+v", name, format, code, doc)
			}
			if format == "json" {
				if err := valid(json.RawMessage(out)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// A target whose components exit at an argument of cluster.yml is refused before any write.
func TestPlanOffline_targetRemovedArgument_refused(t *testing.T) {
	const provider = "cloud_provider: {name: aws}\n"
	for services, says := range map[string]string{
		"services: {kube-controller: {extra_args: {pod-eviction-timeout: 30s}}}\n":                         "pod-eviction-timeout",
		"services: {kubelet: {extra_args: {container-runtime: remote}}}\n":                                 "container-runtime",
		"services: {kube-api: {extra_args: {feature-gates: 'EphemeralContainers=true,SomeGate=false'}}}\n": "EphemeralContainers",
	} {
		code, out, errs, _ := command(t, map[string]string{"cluster.yml": soundRKE + provider + services},
			"rke", "plan", "--config", "cluster.yml", "--offline", "--kubernetes-version", "v1.27.16-rancher1-1")
		if flat := strings.Join(strings.Fields(out+errs), " "); code != 3 || !strings.Contains(flat, says) || !strings.Contains(flat, "AWSM-755") {
			t.Errorf("%s: exit %d, want 3 with AWSM-755 and %q:\n%s%s", services, code, says, out, errs)
		}
	}
}
