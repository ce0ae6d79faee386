package node

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestImageTable(t *testing.T) {
	const upstream = "registry.k8s.io/provider-aws/cloud-controller-manager"
	for _, test := range []struct {
		image, binary string
		pause         bool
	}{
		{upstream + ":v1.26.14", "ccm-v1.26.0", false},
		{upstream + ":v1.26.14@sha256:abc", "ccm-v1.26.0", false},
		{"registry.local:5000/mirror/cloud-controller-manager:v1.26.7", "ccm-v1.26.0", false},
		{upstream + ":v1.27.10", "ccm-v1.26.0", false},
		{upstream + ":v1.28.1", "ccm-v1.28.1", false},
		{upstream + ":v1.26.7", "", false}, // tagged in git, never promoted
		{upstream + ":v1.28.0", "", false},
		{upstream + ":v1.35.0", "", false},
		{upstream, "", false},
		{"lab/pause:3", "", true},
		{"rancher/klipper-helm:v0.8.0-build20230510", "lab", false},
		{"nginx", "", false},
	} {
		got, err := imageProgram(test.image, Config{Binaries: "/bin.d", LabBinary: "/x/lab"})
		if test.binary == "" && !test.pause {
			var failed *startError
			if !errors.As(err, &failed) || failed.Reason != "ErrImagePull" {
				t.Errorf("%s: %+v, %v; wanted ErrImagePull", test.image, got, err)
			}
			continue
		}
		if err != nil || got.pause != test.pause || !test.pause && filepath.Base(got.path) != test.binary {
			t.Errorf("%s: %+v, %v", test.image, got, err)
		}
		if got.webhooks != (test.binary == "ccm-v1.28.1") {
			t.Errorf("%s: webhooks %t", test.image, got.webhooks)
		}
	}
}
