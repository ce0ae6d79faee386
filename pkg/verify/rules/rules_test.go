package rules

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

func TestMigratable(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.21.14": false, "v1.22.0": true, "v1.26.13+rke2r1": true, "v1.26.9-rancher1-1": true, "v1.27.0": false,
		"v0.25.0": false, "v2.24.0": false, "latest": false, "": false,
	} {
		v, _ := component.ParseVersion(version)
		if got := Migratable(v); got != want {
			t.Errorf("%s: %t", version, got)
		}
	}
}

// texts returns the texts of findings, without their objects.
func texts(found []verify.Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, fmt.Sprintf("%s %s: %s → %s", f.Status, f.Object, f.Seen, f.Wanted))
	}
	return all
}

func TestRestart(t *testing.T) {
	const alone = "warn x: 1 control plane: no API while it restarts → at least 2"
	for _, tt := range []struct {
		members, planes int
		want            []string
	}{
		{3, 2, nil}, {5, 3, nil},
		{1, 1, []string{"warn x: 1 etcd member → 3 or 5", alone}},
		{3, 1, []string{alone}},
		{2, 2, []string{"warn x: 2 etcd members → 3 or 5"}},
		{4, 4, []string{"warn x: 4 etcd members → 3 or 5"}},
		{0, 2, []string{"warn x: 0 etcd members → 3 or 5"}},
	} {
		if diff := cmp.Diff(tt.want, texts(Restart("x", tt.members, tt.planes))); diff != "" {
			t.Errorf("%d members, %d control planes:\n%s", tt.members, tt.planes, diff)
		}
	}
}

func TestZones(t *testing.T) {
	for _, tt := range []struct {
		zones Zones
		want  []string
	}{
		{nil, nil}, {Zones{"a": 2}, nil}, {Zones{"a": 1, "b": 1, "c": 1}, nil}, {Zones{"a": 2, "b": 2, "": 1}, nil},
		{Zones{"a": 3}, []string{"warn x: 3 etcd members in 1 zone: a ×3 → 3 zones"}},
		{Zones{"b": 1, "a": 2}, []string{"warn x: 3 etcd members in 2 zones: a ×2, b ×1 → 3 zones"}},
		{Zones{"": 2, "a": 1}, []string{"warn x: 3 etcd members in 2 zones: a ×1, no zone ×2 → 3 zones"}},
	} {
		if diff := cmp.Diff(tt.want, texts(tt.zones.Judge("x"))); diff != "" {
			t.Errorf("%v:\n%s", tt.zones, diff)
		}
	}
}
