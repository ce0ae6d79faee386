package checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestECR(t *testing.T) {
	given, none := "/etc/kubernetes/ecr.yaml", ""
	for _, c := range []struct {
		name, args string // of annotation rke2.io/node-args; empty: no such annotation
		configured *string
		target     string
		want       verify.Status
	}{
		{"kubelet-arg", `["agent","--kubelet-arg","image-credential-provider-config=/etc/ecr.yaml"]`, nil, "v1.27.16+rke2r2", verify.OK},
		{"kubelet-arg with dashes", `["agent","--kubelet-arg=--image_credential_provider_config=/etc/ecr.yaml"]`, nil, "v1.27.16+rke2r2", verify.OK},
		{"RKE2's own key", `["agent","--image-credential-provider-config","/etc/ecr.yaml"]`, nil, "v1.27.16+rke2r2", verify.OK},
		{"RKE2's default folder", `["agent"]`, nil, "v1.27.16+rke2r2", verify.Unknown},
		{"unreadable arguments", "{", nil, "v1.27.16+rke2r2", verify.Unknown},
		{"no arguments anywhere", "", nil, "v1.27.16", verify.Unknown},
		{"cluster.yml names it", "", &given, "v1.27.16-rancher1-1", verify.OK},
		{"cluster.yml names none", "", &none, "v1.27.16-rancher1-1", verify.Fail},
		{"to 1.26", `["agent"]`, nil, "v1.26.15+rke2r1", verify.OK},
		{"no upgrade", "", &none, "", verify.OK},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := healthy(t, position.P4)
			in.CredentialProvider, in.Target = c.configured, c.target
			n := node(&in, 5)
			n.ECRImages = 1
			n.Annotations[downstream.AnnotationArgs] = c.args
			if c.args == "" {
				delete(n.Annotations, downstream.AnnotationArgs)
			}
			found := ecr(in)
			got := verify.OK
			if len(found) > 0 {
				got = found[0].Status
			}
			if got != c.want || got == verify.Unknown && found[0].Fix == "" {
				t.Errorf("%s, want %s: %+v", got, c.want, found)
			}
		})
	}
	in := healthy(t, position.P4)
	in.Target = "v1.27.16+rke2r2"
	if found := ecr(in); len(found) > 0 {
		t.Errorf("no image is from ECR: %+v", found)
	}
}
