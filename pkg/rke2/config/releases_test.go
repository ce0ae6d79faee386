package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Each row has the last release without a behavior, the first with it, the last with it and the
// first without it again, as the tags of rancher/rke2 have them. "" is an open end.
func TestReleaseRanges(t *testing.T) {
	for _, c := range []struct {
		behavior                          behavior
		without, first, last, withoutThen string
	}{
		{passesAWS, "v1.28.15+rke2r1", "v1.29.0+rke2r1", "v1.29.10+rke2r1", "v1.29.11+rke2r1"},
		{passesAWS, "v1.29.15+rke2r1", "v1.30.0+rke2r1", "v1.30.6+rke2r1", "v1.30.7+rke2r1"},
		{passesAWS, "v1.30.14+rke2r2", "v1.31.0+rke2r1", "v1.31.2+rke2r1", "v1.31.3+rke2r1"},
		{validatesProvider, "v1.28.15+rke2r1", "v1.29.0+rke2r1", "v1.32.13+rke2r1", "v1.33.0+rke2r1"},
		{lacksProviderFlag, "v1.32.13+rke2r1", "v1.33.0+rke2r1", "v1.36.3+rke2r1", ""},
		{namesByMetadata, "v1.29.10+rke2r1", "v1.29.11+rke2r1", "v1.29.15+rke2r1", "v1.30.0+rke2r1"},
		{namesByMetadata, "v1.30.6+rke2r1", "v1.30.7+rke2r1", "v1.30.14+rke2r2", "v1.31.0+rke2r1"},
		{namesByMetadata, "v1.31.2+rke2r1", "v1.31.3+rke2r1", "v1.36.3+rke2r1", ""},
		{namesByMetadata, "v1.31.3-rc1+rke2r1", "v1.32.0-rc1+rke2r1", "v1.32.0+rke2r1", ""},
		{startsOwnController, "v1.35.7+rke2r1", "v1.36.0+rke2r1", "v1.36.3+rke2r1", ""},
		{refusesProfile + "cis-1.5", "v1.24.17+rke2r1", "v1.25.0+rke2r1", "v1.36.3+rke2r1", ""},
		{refusesProfile + "cis-1.6", "v1.24.17+rke2r1", "v1.25.0+rke2r1", "v1.36.3+rke2r1", ""},
		{refusesProfile + "cis-1.23", "v1.29.15+rke2r1", "v1.30.0+rke2r1", "v1.36.3+rke2r1", ""},
		{refusesProfile + "cis-1.23", "", "v1.22.17+rke2r1", "v1.24.17+rke2r1", "v1.25.0+rke2r1"},
		{refusesProfile + "cis", "", "v1.24.17+rke2r1", "v1.25.14+rke2r1", "v1.25.15+rke2r1"},
		{refusesProfile + "cis", "v1.25.16+rke2r1", "v1.26.0+rke2r1", "v1.26.9+rke2r1", "v1.26.10+rke2r1"},
		{refusesProfile + "cis", "v1.26.15+rke2r1", "v1.27.1+rke2r1", "v1.27.6+rke2r1", "v1.27.7+rke2r1"},
		{refusesProfile + "cis", "v1.27.16+rke2r1", "v1.28.1+rke2r1", "v1.28.1+rke2r1", "v1.28.2+rke2r1"},
		{refusesProfile + "etcd", "v1.30.14+rke2r1", "v1.31.0+rke2r1", "v1.31.9+rke2r1", "v1.31.10+rke2r1"},
		{refusesProfile + "etcd", "v1.32.6+rke2r1", "v1.33.0+rke2r1", "v1.33.1+rke2r1", "v1.33.2+rke2r1"},
	} {
		for version, want := range map[string]bool{c.without: false, c.first: true, c.last: true, c.withoutThen: false} {
			if got := c.behavior.holds(version); version != "" && got != want {
				t.Errorf("%s %s: %t, want %t", version, c.behavior, got, want)
			}
		}
	}
	if passesAWS.holds("latest") || len(passesAWS.ahead("latest")) > 0 {
		t.Error("an unreadable version has a behavior")
	}
}

func TestProfileEnds(t *testing.T) {
	for _, c := range []struct{ profile, version, want string }{
		{"cis-1.23", "v1.26.15+rke2r1", "v1.30.0"}, {"cis-1.6", "v1.24.17+rke2r1", "v1.25.0"}, {"cis", "v1.26.15+rke2r1", ""}, {"", "v1.26.15+rke2r1", ""},
	} {
		if got := ProfileEnds(c.profile, c.version); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.profile, c.version, got, c.want)
		}
	}
}

func TestRefusedArgs(t *testing.T) {
	s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{
		KeyManagerArg: []any{"pod-eviction-timeout=1m", "v=2"}, keySchedulerArg: "feature-gates=EphemeralContainers=true,DisableCloudProviders=false", keyProxyArg: []any{"--proxy_port_range=1-2"}}})
	machines := []Machine{machine("cp-0", "c"), machine("w-0", "w")}
	for version, want := range map[string]string{
		"v1.26.15+rke2r1": "", "latest": "",
		"v1.27.16+rke2r1": "pod-eviction-timeout cp-0; feature-gates EphemeralContainers cp-0",
		"v1.31.3+rke2r1":  "pod-eviction-timeout cp-0; feature-gates EphemeralContainers cp-0; feature-gates DisableCloudProviders=false cp-0; proxy-port-range cp-0 w-0",
		"v1.33.3+rke2r1":  "pod-eviction-timeout cp-0; feature-gates EphemeralContainers cp-0; feature-gates DisableCloudProviders cp-0; proxy-port-range cp-0 w-0",
	} {
		var got []string
		v, _ := component.ParseVersion(version) // "latest" stays unknown
		for _, f := range RefusedArgs(s, machines, v) {
			got = append(got, f.Seen+" "+strings.Join(f.Machines, " "))
		}
		slices.Sort(got)
		wanted := strings.Split(want, "; ")
		if slices.Sort(wanted); want == "" {
			wanted = nil
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %q, want %q", version, got, wanted)
		}
	}
}
