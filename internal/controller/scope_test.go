package controller

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/session"
)

func TestScope(t *testing.T) {
	bound := Scope{Clusters: []string{"prod"}, RKE: []string{"c-abcde"}}
	for name, tt := range map[string]struct {
		scope           Scope
		kind            session.Kind
		cluster         string
		covers, refuses bool
	}{
		"all, RKE2":             {Scope{}, session.RKE2, "prod", true, false},
		"all, RKE":              {Scope{}, session.RKE, "c-abcde", true, false},
		"no RKE, RKE2":          {Scope{RKE: []string{}}, session.RKE2, "prod", true, false},
		"no RKE, RKE":           {Scope{RKE: []string{}}, session.RKE, "c-abcde", true, true},
		"bound, one of them":    {bound, session.RKE2, "prod", true, false},
		"bound, another":        {bound, session.RKE2, "prod-2", false, false},
		"bound, one of RKE":     {bound, session.RKE, "c-abcde", true, false},
		"bound, another of RKE": {bound, session.RKE, "c-fghij", false, true},
	} {
		if got := tt.scope.covers(tt.cluster); got != tt.covers {
			t.Errorf("%s: covers %t", name, got)
		}
		if err := tt.scope.refuses(tt.kind, tt.cluster); (err != nil) != tt.refuses {
			t.Errorf("%s: %v", name, err)
		}
	}
}
