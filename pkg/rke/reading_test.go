package rke

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func TestNodeOf(t *testing.T) {
	named := downstream.Node{Name: "named", Labels: map[string]string{corev1.LabelHostname: "Host-A"}}
	addressed := downstream.Node{Name: "addressed", Addresses: []downstream.Address{{Type: "ExternalIP", Address: "1.1.1.1"}, {Type: "InternalIP", Address: "10.0.0.1"}}}
	marked := downstream.Node{Name: "marked", Annotations: map[string]string{downstream.AnnotationRKEInternal: "10.0.0.2", downstream.AnnotationRKEExternal: "2.2.2.2"}}
	bare := downstream.Node{Name: "bare"}
	nodes := []downstream.Node{bare, marked, addressed, named}
	for name, tt := range map[string]struct {
		host rkestate.Node
		want string
	}{
		"by its name":                    {rkestate.Node{Address: "9.9.9.9", HostnameOverride: "host-a"}, "named"},
		"by its name before its address": {rkestate.Node{Address: "10.0.0.1", HostnameOverride: "host-a"}, "named"},
		"by its address":                 {rkestate.Node{Address: "10.0.0.1", HostnameOverride: "other"}, "addressed"},
		"by its internal address":        {rkestate.Node{Address: "1.1.1.1", InternalAddress: "10.0.0.1"}, "addressed"},
		"not by an external one":         {rkestate.Node{Address: "1.1.1.1"}, ""},
		"by what rke wrote":              {rkestate.Node{Address: "9.9.9.9", InternalAddress: "10.0.0.2"}, "marked"},
		"by the external one rke wrote":  {rkestate.Node{Address: "2.2.2.2", InternalAddress: "10.9.9.9"}, "marked"},
		"no name is not a Node's lack":   {rkestate.Node{Address: "9.9.9.9"}, ""},
		"an unknown host":                {rkestate.Node{Address: "9.9.9.9", HostnameOverride: "host-b"}, ""},
	} {
		got := ""
		if node := NodeOf(tt.host, nodes); node != nil {
			got = node.Name
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
