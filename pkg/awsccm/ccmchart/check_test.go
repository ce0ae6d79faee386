package ccmchart

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The fix must name the flag that the image came from.
func TestValues_refusedImage_namesSource(t *testing.T) {
	for _, tt := range []struct {
		in   Inputs
		says string
	}{
		{Inputs{Image: "v1.28.1"}, "--ccm-image"},
		{Inputs{Image: "v1.21.0"}, "--ccm-image"},
		{Inputs{UserValues: map[string]any{"image": map[string]any{"tag": "v1.28.1"}}}, "image.tag out of --values"},
		{Inputs{UserValues: map[string]any{"image": map[string]any{"tag": "v1.21.0"}}}, "image.tag out of --values"},
		{Inputs{Image: "v1.26.14", UserValues: map[string]any{"image": map[string]any{"tag": "v1.28.1"}}}, "image.tag out of --values"},
		{Inputs{Image: "v1.28.1", UserValues: map[string]any{"image": map[string]any{"pullPolicy": "Always"}}}, "--ccm-image"},
	} {
		tt.in.Distribution, tt.in.KubernetesVersion = wellknown.RKE2, "v1.26.15+rke2r1"
		_, err := Values(tt.in)
		if f, ok := fault.As(err); !ok || !strings.Contains(f.Fix, tt.says) {
			t.Errorf("%+v: %v, wanted %q in the advice", tt.in, err, tt.says)
		}
	}
}
