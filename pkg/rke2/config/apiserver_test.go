package config

import (
	"strings"
	"testing"
)

// refusingReleases returns the 22 tags of rancher/rke2 whose kube-apiserver refuses aws.
func refusingReleases() map[string]string {
	return map[string]string{
		"v1.29.0+rke2r1": "v1.29.11", "v1.29.1+rke2r1": "v1.29.11", "v1.29.2+rke2r1": "v1.29.11", "v1.29.3+rke2r1": "v1.29.11",
		"v1.29.4+rke2r1": "v1.29.11", "v1.29.5+rke2r1": "v1.29.11", "v1.29.6+rke2r1": "v1.29.11", "v1.29.7+rke2r1": "v1.29.11",
		"v1.29.8+rke2r1": "v1.29.11", "v1.29.9+rke2r1": "v1.29.11", "v1.29.10+rke2r1": "v1.29.11",
		"v1.30.0+rke2r1": "v1.30.7", "v1.30.1+rke2r1": "v1.30.7", "v1.30.2+rke2r1": "v1.30.7", "v1.30.3+rke2r1": "v1.30.7",
		"v1.30.4+rke2r1": "v1.30.7", "v1.30.5+rke2r1": "v1.30.7", "v1.30.6+rke2r1": "v1.30.7",
		"v1.31.0+rke2r1": "v1.31.3", "v1.31.1+rke2r1": "v1.31.3", "v1.31.1+rke2r2": "v1.31.3", "v1.31.2+rke2r1": "v1.31.3",
	}
}

func TestRefuses_aws_everyRefusingRelease(t *testing.T) {
	releases := refusingReleases()
	for _, candidate := range []string{"v1.29.0-rc1+rke2r1", "v1.29.10-rc5+rke2r1"} {
		releases[candidate] = "v1.29.11"
	}
	releases["v1.30.7-rc1+rke2r1"], releases["v1.31.3-rc1+rke2r1"] = "v1.30.7", "v1.31.3"
	for version, next := range releases {
		r := APIServer{Provider: ProviderAWS}.Refuses(version)
		if r == nil || !strings.Contains(r.Fix, next+" ") || !strings.Contains(r.Seen, version) {
			t.Errorf("%s: %+v, want %s named", version, r, next)
		}
		if r := (APIServer{Provider: ProviderExternal}).Refuses(version); r != nil {
			t.Errorf("%s refuses external: %+v", version, r)
		}
		if r := (APIServer{Provider: ProviderExternal, Explicit: true}).Refuses(version); r != nil {
			t.Errorf("%s refuses an explicit external: %+v", version, r)
		}
	}
}

func TestRefuses_otherReleases(t *testing.T) {
	for _, version := range []string{"v1.26.15+rke2r1", "v1.28.15+rke2r1", "v1.29.11+rke2r1", "v1.29.11-rc1+rke2r1", "v1.29.15+rke2r1",
		"v1.30.7+rke2r1", "v1.30.7-rc2+rke2r1", "v1.30.14+rke2r2", "v1.31.3+rke2r1", "v1.31.14+rke2r1", "v1.32.0+rke2r1", "v1.33.0+rke2r1", "v1.36.3+rke2r1", "latest"} {
		for _, provider := range []string{ProviderAWS, ProviderExternal} {
			if r := (APIServer{Provider: provider}).Refuses(version); r != nil {
				t.Errorf("%s refuses %s: %+v", version, provider, r)
			}
		}
	}
}

func TestRefuses_argumentsOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name, version, args, seen string
	}{
		{"external at 1.32", "v1.32.9+rke2r1", "cloud-provider=external", ""},
		{"external at 1.33", "v1.33.0+rke2r1", "cloud-provider=external", "does not know"},
		{"external at 1.36", "v1.36.3+rke2r1", "cloud-provider=external", "does not know"},
		{"empty at 1.33", "v1.33.1+rke2r1", "cloud-provider=", "does not know"},
		{"with dashes at 1.33", "v1.33.1+rke2r1", "--cloud_provider=external", "does not know"},
		{"aws outside the ranges", "v1.29.15+rke2r1", "cloud-provider=aws", "refuses"},
		{"aws at 1.28", "v1.28.15+rke2r1", "cloud-provider=aws", ""},
		{"external, beta gates off at 1.28", "v1.28.15+rke2r1", "cloud-provider=external;feature-gates=AllBeta=false", ""},
		{"external, beta gates off at 1.29", "v1.29.12+rke2r1", "cloud-provider=external;feature-gates=AllBeta=false", "AllBeta=false"},
		{"external, beta gates off at 1.31", "v1.31.5+rke2r1", "cloud-provider=external;feature-gates=AllBeta=false", ""},
		{"external, the gates back on", "v1.30.8+rke2r1", "cloud-provider=external;feature-gates=AllBeta=false,DisableCloudProviders=true,DisableKubeletCloudCredentialProviders=true", ""},
		{"external, a gate off for ECR", "v1.30.8+rke2r1", "cloud-provider=external;feature-gates=DisableKubeletCloudCredentialProviders=false", "DisableKubeletCloudCredentialProviders=false"},
		{"no provider of its own, gates off", "v1.29.12+rke2r1", "feature-gates=AllBeta=false", ""}, // RKE2 drops aws there
	} {
		var args []any
		for _, a := range strings.Split(c.args, ";") {
			args = append(args, a)
		}
		s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{KeyProvider: ProviderAWS, KeyAPIServerArg: args}})
		r := APIServerOf(Effective(s, machine("cp-0", "c"))).Refuses(c.version)
		if (r == nil) != (c.seen == "") || r != nil && (!strings.Contains(r.Seen, c.seen) || r.Fix == "") {
			t.Errorf("%s: %+v, want %q", c.name, r, c.seen)
		}
	}
}

func TestRefusedAhead(t *testing.T) {
	for version, want := range map[string]string{
		"v1.26.15+rke2r1": "v1.29.11, v1.30.7, v1.31.3", "v1.29.12+rke2r1": "v1.30.7, v1.31.3", "v1.30.6+rke2r1": "v1.30.7, v1.31.3",
		"v1.31.2+rke2r1": "v1.31.3", "v1.31.3+rke2r1": "", "v1.32.0+rke2r1": "", "latest": "",
	} {
		if ranges, next := RefusedAhead(version); next != want || (ranges == "") != (want == "") {
			t.Errorf("%s: %q, %q, want %q", version, ranges, next, want)
		}
	}
}
