package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// An audit makes the checks that are named and no others. In a mixture made by hand it makes those of
// the positions between which the cluster is.
func TestSelection(t *testing.T) {
	options := migration.Options{OnlyChecks: []string{"AWSM-303"}}
	between := [2]position.Position{position.P1, position.P2}
	for name, tt := range map[string]struct {
		at   position.Result
		want verify.Options
	}{
		"known":   {position.Result{Position: position.P3}, verify.Options{Position: position.P3}},
		"unknown": {position.Result{Position: position.Unknown}, verify.Options{Position: position.Unknown, PositionUnknown: true}},
		"by hand": {position.Result{Position: position.Unknown, HandMade: true, Between: between},
			verify.Options{Position: position.Unknown, AlsoAt: []position.Position{position.P1, position.P2}}},
	} {
		tt.want.Only = options.OnlyChecks
		if diff := cmp.Diff(tt.want, Selection(options, tt.at)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", name, diff)
		}
	}
}
