package evidence

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func TestOnTarget(t *testing.T) {
	in := Input{Target: "v1.27.16+rke2r2"}
	found := OnTarget(func(in Input) []verify.Finding { return []verify.Finding{{Seen: in.Target}} })(in, "v1.33.5+rke2r1")
	if len(found) != 1 || found[0].Seen != "v1.33.5+rke2r1" || in.Target != "v1.27.16+rke2r2" {
		t.Errorf("%+v, the target is %s", found, in.Target)
	}
}
