package cloud

import "testing"

func TestRegionOf(t *testing.T) {
	for zone, want := range map[string]string{
		"us-east-1a": "us-east-1", "us-west-2-lax-1a": "us-west-2", "us-gov-west-1a": "us-gov-west-1",
		"us-east-1-wl1-bos-wlz-1": "us-east-1", "cn-north-1b": "cn-north-1", "ap-southeast-12c": "ap-southeast-12",
		"eusc-de-east-1a": "eusc-de-east-1", "rack-7": "", "": "", "Us-east-1a": "",
	} {
		if got := RegionOf(zone); got != want {
			t.Errorf("%s: %q, want %q", zone, got, want)
		}
	}
}

func TestMostTagged(t *testing.T) {
	a, b, legacy := Tags{TagCluster + "a": "owned"}, Tags{TagCluster + "b": "owned"}, Tags{TagLegacy: "c"}
	for _, tc := range []struct {
		name string
		tags []Tags
		want string
	}{
		{"none", []Tags{nil, {"Name": "x"}}, ""},
		{"most", []Tags{b, a, b, nil}, "b"},
		{"a tie goes by name", []Tags{b, a}, "a"},
		{"legacy", []Tags{legacy, nil}, "c"},
		{"of an old and a new tag, the first by name", []Tags{{TagCluster + "a": "", TagLegacy: "c"}}, "a"},
		{"a prefix without an id is no cluster", []Tags{{TagCluster: "owned"}}, ""},
	} {
		if got := MostTagged(tc.tags); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
