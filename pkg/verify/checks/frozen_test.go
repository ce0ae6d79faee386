package checks

import (
	"encoding/json"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// In some releases the API keeps showing old arguments of static pods. Any sign of such a release
// counts, on one control plane or all. The position is then unknown, no check fails by the
// arguments, and the audit ends as Unknown. A bundle is judged the same.
func TestFrozenArgumentsGiveNoPosition(t *testing.T) {
	version := func(v string) func(*evidence.Input, int) {
		return func(in *evidence.Input, i int) { node(in, i).Kubelet = v }
	}
	for sign, freeze := range map[string]func(*evidence.Input, int){
		"1.23": version("v1.23.13+rke2r1"), "1.24": version("v1.24.9+rke2r2"),
		"1.25": version("v1.25.12+rke2r1"), "1.26": version("v1.26.0+rke2r1"),
		"the variable":                     func(in *evidence.Input, i int) { in.StaticPods.Value[i].PodHash = true },
		"the variable, version unreadable": func(in *evidence.Input, i int) { node(in, i).Kubelet, in.StaticPods.Value[i].PodHash = "?", true },
		"the fixed UID": func(in *evidence.Input, i int) {
			in.StaticPods.Value[i].ConfigHash = "57585a0305e4e46df816ebab263926f3"
		},
	} {
		for _, p := range position.All() {
			for _, frozen := range [][]int{{0}, {2}, {0, 1, 2}} {
				for _, plain := range []bool{false, true} {
					in := healthy(t, p)
					for i := range 3 {
						node(&in, i).Kubelet = "v1.26.13+rke2r1"
					}
					for _, i := range frozen {
						freeze(&in, i)
					}
					in.Plain = plain
					for from, in := range map[string]evidence.Input{"a cluster": in, "a bundle": saved(t, in)} {
						report := audit(t, in)
						if report.Position != position.Unknown || fault.ClassOf(report.Err()) != fault.CouldNotLook {
							t.Errorf("%s at %s on %v, plain %t, from %s: position %s, %v", sign, p, frozen, plain, from, report.Position, report.Err())
						}
						for id, status := range wrong(report) {
							if status == verify.Fail {
								t.Errorf("%s at %s on %v, plain %t, from %s: %s fails", sign, p, frozen, plain, from, id)
							}
						}
					}
				}
			}
		}
	}
}

// saved returns a reading as a bundle keeps it.
func saved(t *testing.T, in evidence.Input) evidence.Input {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out evidence.Input
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
