package rke

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// rke replaces kube-proxy if the source of its name changes to or from the metadata service.
func TestProxyToo(t *testing.T) {
	for name, tt := range map[string]struct {
		change runner.Change
		want   bool
	}{
		"file sets it_named":            {runner.Change{Diff: "@@ -1 +1 @@\n cloud_provider:\n+  useInstanceMetadataHostname: true\n"}, true},
		"file loses it_named":           {runner.Change{Diff: "-  useInstanceMetadataHostname: true\n+  name: aws\n"}, true},
		"file had it_not named":         {runner.Change{Diff: "   useInstanceMetadataHostname: true\n+  name: aws\n"}, false},
		"file sets false_not named":     {runner.Change{Diff: "+  useInstanceMetadataHostname: false\n"}, false},
		"object sets it_named":          {runner.Change{Location: "spec.x.cloudProvider.useInstanceMetadataHostname", Diff: "+ true\n"}, true},
		"object sets another_not named": {runner.Change{Location: "spec.x.cloudProvider.name", Diff: "+ true\n"}, false},
	} {
		if got := ProxyToo([]runner.Change{tt.change}); (got != "") != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
