package component

import "testing"

func TestMode(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		want  Mode
	}{
		"no arguments":                      {nil, ModeOther},
		"no provider, migrating":            {[]string{"--enable-leader-migration"}, ModeOther},
		"empty provider":                    {[]string{"--cloud-provider="}, ModeOther},
		"another provider":                  {[]string{"--cloud-provider=vsphere", "--enable-leader-migration"}, ModeOther},
		"another way of writing aws":        {[]string{"--cloud-provider=AWS"}, ModeOther},
		"in-tree":                           {[]string{"--cloud-provider=aws"}, InTree},
		"in-tree, flag off":                 {[]string{"--cloud-provider=aws", "--enable-leader-migration=false"}, InTree},
		"in-tree, flag disabled again":      {[]string{"--cloud-provider=aws", "--enable-leader-migration", "--enable-leader-migration=false"}, InTree},
		"in-tree, flag":                     {[]string{"--cloud-provider=aws", "--enable-leader-migration"}, InTreeMigrating},
		"in-tree, flag that cannot be read": {[]string{"--cloud-provider=aws", "--enable-leader-migration=yes"}, InTreeMigrating},
		"external":                          {[]string{"--cloud-provider=aws", "--cloud-provider=external"}, External},
		"external, flag":                    {[]string{"--enable-leader-migration", "--cloud-provider=external"}, ExternalMigrating},
		"external, unreadable flag":         {[]string{"--enable-leader-migration=$(ON)", "--cloud-provider=external"}, ExternalMigrating},
	} {
		if got := Parse(tt.words).Mode(); got != tt.want {
			t.Errorf("%s: %s, wanted %s", name, got, tt.want)
		}
	}
}

func TestMode_predicates_matchNames(t *testing.T) {
	for mode, want := range map[Mode][3]bool{ // in-tree, external, migrating
		ModeUnknown: {}, ModeOther: {}, InTree: {true, false, false}, InTreeMigrating: {true, false, true},
		External: {false, true, false}, ExternalMigrating: {false, true, true},
	} {
		if got := [3]bool{mode.IsInTree(), mode.IsExternal(), mode.IsMigrating()}; got != want {
			t.Errorf("%s: %v, wanted %v", mode, got, want)
		}
	}
}
