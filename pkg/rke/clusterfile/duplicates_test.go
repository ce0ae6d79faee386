package clusterfile_test

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Keys outside of the path of an edit may have duplicates, even at the top level. The edit
// succeeds, and values are those that rke reads.
func TestEdit_duplicatesOffPath_accepted(t *testing.T) {
	const text = goodText + `private_registries: []
nodes:
- {address: 10.0.0.1, user: a, user: b}
private_registries:
- {url: x}
network: {plugin: canal}
network: {mtu: 1400}
`
	f := parse(t, []byte(text))
	e, err := f.Edit(enable())
	if err != nil {
		t.Fatal(err)
	}
	requireReadable(t, e)
	c := f.Config()
	if c.Network.Plugin != "canal" || c.Network.MTU != 1400 || c.Nodes[0].User != "b" {
		t.Errorf("%+v", c)
	}
}

// On the path they are refused, with both lines.
func TestEdit_duplicatesOnPath_refused(t *testing.T) {
	for text, path := range map[string]string{
		"services: {}\nservices: {}\n":                                                           "services",
		"cloud_provider: {name: aws}\ncloud_provider: {name: aws}\n":                             "cloud_provider",
		"cloud_provider:\n  name: aws\n  name: aws\n":                                            "cloud_provider.name",
		"services:\n  kube-controller: {}\n  kube-controller: {}\ncloud_provider: {name: aws}\n": "services.kube-controller",
		"kubernetes_version: v1\nkubernetes_version: v2\n":                                       "kubernetes_version",
	} {
		f, err := clusterfile.Parse("cluster.yml", []byte(text))
		if err == nil {
			_, err = f.Edit(append([]yamltext.Change{enable()}, switchTo(yamltext.Made{})...)...)
		}
		if bad, ok := fault.As(err); !ok || bad.Reason != clusterfile.ReasonDuplicateKey || !strings.Contains(bad.Seen, path+" a second time") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
