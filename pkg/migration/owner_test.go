package migration

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestRequireInformed(t *testing.T) {
	fleet, argo := Owner{"Fleet", "label objectset.rio.cattle.io/hash"}, Owner{"Argo CD", "annotation argocd.argoproj.io/tracking-id"}
	for name, tt := range map[string]struct {
		owners   []Owner
		informed []string
		fix      string // in the refusal; "": none
	}{
		"nobody keeps it":   {nil, nil, ""},
		"nobody, and said":  {nil, []string{"terraform"}, ""},
		"not informed":      {[]Owner{fleet}, nil, "--owner-informed=fleet"},
		"informed":          {[]Owner{fleet}, []string{"Fleet"}, ""},
		"as people write":   {[]Owner{argo}, []string{"argo-cd"}, ""},
		"one of two":        {[]Owner{fleet, argo}, []string{"fleet"}, "--owner-informed=argocd"},
		"both":              {[]Owner{fleet, argo}, []string{"fleet", "argocd"}, ""},
		"somebody else was": {[]Owner{fleet}, []string{"terraform"}, "--owner-informed=fleet"},
	} {
		c := &Core{Options: Options{OwnersInformed: tt.informed}, Reading: Reading{Object: "Cluster fleet-default/demo", Owners: tt.owners}}
		c.Result.Position = position.P3
		for way, err := range map[string]error{"forward": c.RequireInformed(), "undo": (&Undo{core: c}).RequireInformed()} {
			f, refused := fault.As(err)
			switch {
			case refused != (tt.fix != ""):
				t.Errorf("%s, %s: %v", name, way, err)
			case refused && (f.Class != fault.Check || !strings.HasSuffix(f.Fix, tt.fix) || !strings.Contains(f.Seen, "two managers")):
				t.Errorf("%s, %s: %+v", name, way, f)
			}
		}
	}
}

func TestOwnerWordsAreKnown(t *testing.T) {
	o := Options{InstallMethod: InstallHelm, AWS: "auto", OwnersInformed: []string{"terraform", "Argo CD"}}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	o.OwnersInformed = []string{"teraform"}
	if err := o.Validate(); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "terraform") {
		t.Errorf("a word that is no owner's: %v", err)
	}
}

// Where a revert takes the last guard away, and where it does not.
func TestRevertHarm(t *testing.T) {
	for at, harms := range map[position.Position]bool{position.P0: false, position.P1: false, position.P2: false,
		position.P3: true, position.P4: true, position.P5: true, position.Unknown: true} {
		if got := RevertHarm(at) != ""; got != harms {
			t.Errorf("at %s: %t", at, got)
		}
	}
}
