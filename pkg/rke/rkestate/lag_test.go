package rkestate

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

// Covers every part of the configuration that the migration edits.
func TestLag(t *testing.T) {
	const text = "kubernetes_version: v1.26.9-rancher1-1\ncloud_provider: {name: aws}\nservices: {kube-controller: {extra_args: {enable-leader-migration: 'true'}}}\n"
	for name, tt := range map[string]struct {
		text string
		want string // part of the lag, or empty
	}{
		"nothing":                    {text, ""},
		"another provider":           {strings.Replace(text, "aws", "external-aws", 1), `provider "external-aws", rke's state "aws"`},
		"another flag":               {strings.Replace(text, "'true'", "'false'", 1), `enable-leader-migration "false", rke's state "true"`},
		"no flag":                    {strings.Replace(text, "enable-leader-migration: 'true'", "v: '2'", 1), `enable-leader-migration "", rke's state "true"`},
		"another version":            {strings.Replace(text, "1.26.9", "1.26.8", 1), "Kubernetes v1.26.8-rancher1-1, rke's state v1.26.9-rancher1-1"},
		"no version":                 {strings.Replace(text, "kubernetes_version: v1.26.9-rancher1-1\n", "", 1), ""},
		"another, with an image":     {strings.Replace(text, "1.26.9", "1.26.8", 1) + "system_images: {kubernetes: a}\n", ""},
		"an image, another provider": {strings.Replace(text, "aws", "external-aws", 1) + "system_images: {kubernetes: a}\n", "provider"},
	} {
		file, err := clusterfile.Parse("cluster.yml", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		f := Facts{File: file, Config: file.Config()}
		f.State.Current.Config.KubernetesVersion, f.State.Current.Config.CloudProvider.Name = "v1.26.9-rancher1-1", "aws"
		f.State.Current.Config.Services.KubeController.ExtraArgs = map[string]string{"enable-leader-migration": "true"}
		if got := f.Lag(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
