package rkechecks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// offline returns the input of checks from a cluster.yml alone.
func offline(t *testing.T, text string) Prepared {
	t.Helper()
	file, err := clusterfile.Parse("cluster.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Prepared{Facts: rkestate.Facts{Path: "cluster.yml", File: file, Config: file.Config()}, Offline: true}
}

func TestJudgeOnRelease_provider_refused(t *testing.T) {
	for name, tt := range map[string]struct{ args, release, says string }{
		"kube-apiserver, aws, 1.28":      {"kube-api: {extra_args: {cloud-provider: aws}}", "v1.28.14", ""},
		"kube-apiserver, aws, 1.29":      {"kube-api: {extra_args: {cloud-provider: aws}}", "v1.29.9", "refuses cloud-provider=aws"},
		"kube-apiserver, external":       {"kube-api: {extra_args: {cloud-provider: external}}", "v1.29.9", ""},
		"kubelet, aws, 1.26":             {"kubelet: {extra_args: {cloud-provider: aws}}", "v1.26.15", ""},
		"kubelet, aws, 1.27":             {"kubelet: {extra_args: {cloud-provider: aws}}", "v1.27.16", "kubelet of 1.27.16 refuses"},
		"kube-controller-manager, aws":   {"kube-controller: {extra_args: {cloud-provider: aws}}", "v1.27.16", "kube-controller-manager of 1.27.16 refuses"},
		"external with a gate off, 1.28": {"kube-api: {extra_args: {feature-gates: DisableCloudProviders=false}}", "v1.28.14", ""},
		"external with a gate off, 1.29": {"kube-api: {extra_args: {feature-gates: DisableCloudProviders=false}}", "v1.29.9", "DisableCloudProviders=false"},
		"external with an umbrella off":  {"kube-api: {extra_args: {feature-gates: AllBeta=false}}", "v1.30.14", "AllBeta=false"},
		"an umbrella, locked":            {"kube-api: {extra_args: {feature-gates: AllBeta=false}}", "v1.31.14", ""},
		"another service":                {"scheduler: {extra_args: {cloud-provider: aws}}", "v1.29.9", "kube-scheduler of 1.29.9 does not know it"},
		"no version":                     {"kubelet: {extra_args: {cloud-provider: aws}}", "latest", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := judgeOnRelease(offline(t, "services: {"+tt.args+"}\n"), tt.release)
			if says := len(found) > 0; says != (tt.says != "") || says && (!strings.Contains(found[0].Seen, tt.says) || !strings.HasPrefix(found[0].Object, "cluster.yml:1: services.")) {
				t.Errorf("%+v, wanted %q", found, tt.says)
			}
		})
	}
}

// The gate begins with 1.28.8 and 1.29.3.
func TestRefusedArguments_nextMinor_lastPatch(t *testing.T) {
	s := service{key: "scheduler", Service: clusterfile.Service{ExtraArgs: map[string]string{"feature-gates": "SeparateCacheWatchRPC=true"}}}
	now := component.Version{Major: 1, Minor: 27, Patch: 16}
	if found := refusedArguments("services.scheduler", s, now, now); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if found := refusedArguments("services.scheduler", s, now, component.Version{Major: 1, Minor: 28, Patch: 7}); len(found) != 1 {
		t.Errorf("%+v", found)
	}
}

func TestJudgeOnRelease_noFile_unknown(t *testing.T) {
	for _, judge := range []func(Prepared, string) []verify.Finding{judgeOnRelease, imageOnRelease} {
		if found := judge(Prepared{}, "v1.27.16"); len(found) != 1 || found[0].Status != verify.Unknown {
			t.Errorf("%+v", found)
		}
	}
}
