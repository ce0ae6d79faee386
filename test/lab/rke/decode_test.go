package rke

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	const args = "services:\n  kube-controller:\n    extra_args:\n      "
	argument := func(c Config) string { return c.Services.KubeController.ExtraArgs["a"] }
	for _, test := range []struct {
		name, text string
		get        func(Config) string
		want       string
		err        string
	}{
		{"a string", args + `a: "true"`, argument, "true", ""},
		{"a boolean keeps its text", args + "a: True", argument, "True", ""},
		{"a number keeps its text", args + "a: 1.50", argument, "1.50", ""},
		{"a list is no value", args + "a: [1]", nil, "", "cannot unmarshal"},
		{"the last of a map's keys wins", args + "a: x\n      a: y", argument, "y", ""},
		{"a struct that comes twice is merged", args + "a: x\nservices:\n  kubelet:\n    extra_args: {b: y}", func(c Config) string {
			return argument(c) + c.Services.Kubelet.ExtraArgs["b"]
		}, "xy", ""},
		{"an unknown service is ignored", "services:\n  kube_controller:\n    extra_args: {a: x}", argument, "", ""},
		{"another case is ignored", "Cloud_Provider: {name: aws}", func(c Config) string { return c.CloudProvider.Name }, "", ""},
		{"a second document is not read", "cluster_name: one\n---\ncluster_name: two", func(c Config) string { return c.ClusterName }, "one", ""},
		{"a merge key", "x: &x {name: aws}\ncloud_provider:\n  <<: *x", func(c Config) string { return c.CloudProvider.Name }, "aws", ""},
		{"yes is a boolean", "cloud_provider: {useInstanceMetadataHostname: yes}", func(c Config) string {
			return map[bool]string{true: "yes"}[*c.CloudProvider.UseInstanceMetadataHostname]
		}, "yes", ""},
		{"a quoted boolean is none", `cloud_provider: {useInstanceMetadataHostname: "true"}`, nil, "", "cannot unmarshal"},
		{"a tab", "services:\n\tetcd: {}", nil, "", "yaml"},
		{"an empty block is there", "cloud_provider: {awsCloudProvider: {}}", func(c Config) string {
			return map[bool]string{true: "there"}[c.CloudProvider.AWS != nil]
		}, "there", ""},
		{"a null block is not", "cloud_provider:\n  awsCloudProvider:\n", func(c Config) string {
			return map[bool]string{true: "there"}[c.CloudProvider.AWS != nil]
		}, "", ""},
		{"nothing", "", func(c Config) string { return c.ClusterName }, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := Decode([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, wanted one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := test.get(c); got != test.want {
				t.Errorf("read %q, wanted %q", got, test.want)
			}
		})
	}
}
