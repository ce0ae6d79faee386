package rke2

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
)

func TestOptionsValidate(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		object string
	}{
		"valid":        {func(*Options) {}, ""},
		"no name":      {func(o *Options) { o.Name = "" }, "flag --cluster"},
		"an end state": {func(o *Options) { o.EndState = "odd" }, "flag --end-state"},
		"what all are": {func(o *Options) { o.AWS = "odd" }, "flag --aws"},
	} {
		o := Options{Name: "demo", EndState: rke2checks.EndAuto, Options: migration.Options{InstallMethod: migration.InstallHelm, AWS: "auto"}}
		tt.change(&o)
		if f, ok := fault.As(o.Validate()); ok != (tt.object != "") || ok && f.Object != tt.object {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
