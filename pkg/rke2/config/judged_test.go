package config

import "testing"

// Rancher's conversion decides.
func TestTruth(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want bool
	}{{true, true}, {"true", true}, {" Yes ", true}, {"t", true}, {"y", true}, {"1", false}, {1, false}, {nil, false}, {"", false}, {[]any{}, false}, {[]any{"true", "false"}, true}, {[]any{"false", "true"}, false}} {
		if got := toBool(tt.v); got != tt.want {
			t.Errorf("%v: %t", tt.v, got)
		}
	}
}

func TestControllers_disabled_listed(t *testing.T) {
	for list, want := range map[string]string{
		"*":                    "a separate list of controllers",
		"*,-service":           "off in kube-controller-manager today: service",
		"*,-service,-nodeipam": "off in kube-controller-manager today: service, nodeipam",
		"*,-ttl":               "a separate list of controllers",
		"service":              "off in kube-controller-manager today: route, cloud-node-lifecycle, nodeipam",
		"service,route,cloud-node-lifecycle,nodeipam":          "a separate list of controllers",
		"service,-service,route,cloud-node-lifecycle,nodeipam": "off in kube-controller-manager today: service",
	} {
		var got []Finding
		judgeControllers([]string{"controllers=" + list}, func(f Finding) { got = append(got, f) })
		if len(got) != 1 || got[0].Why != want || got[0].Topic != Controllers {
			t.Errorf("%s: %+v", list, got)
		}
	}
	judgeControllers([]string{"leader-elect=true"}, func(f Finding) { t.Errorf("no list: %+v", f) })
}

// Rancher cordons nodes if it drains them or if hooks wait for a drain.
func TestCordons(t *testing.T) {
	for want, all := range map[bool][]Drain{true: {{Enabled: true}, {PreDrainHooks: 1}, {PostDrainHooks: 1}, {Enabled: true, PreDrainHooks: 2}}, false: {{}, {IgnoreErrors: true, TimeoutSeconds: 1, DeleteEmptyDirs: true}}} {
		for _, d := range all {
			if d.Cordons() != want {
				t.Errorf("%+v", d)
			}
		}
	}
}
