package config

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// refusedRange is a range of RKE2 releases that pass cloud-provider-name aws on to a
// kube-apiserver that refuses it.
type refusedRange struct{ first, last, next, fixed string }

// refusedRanges returns all such releases. kube-apiserver refuses aws from 1.29 on
// (kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.29.10,
// Validate); RKE2 passes it on until the release that drops it
// (rancher/rke2:pkg/rke2/rke2_linux.go and pkg/podexecutor/staticpod.go, every tag
// from v1.29.0 to v1.32.0; fixed is the first candidate that drops it).
func refusedRanges() []refusedRange {
	return []refusedRange{
		{first: "1.29.0", last: "1.29.10", next: "v1.29.11", fixed: "1.29.11-rc1"},
		{first: "1.30.0", last: "1.30.6", next: "v1.30.7", fixed: "1.30.7-rc2"},
		{first: "1.31.0", last: "1.31.2", next: "v1.31.3", fixed: "1.31.3-rc2"},
	}
}

// nextStarting returns the first release after the range that a version is in, or ""
// if it is in none.
func nextStarting(version string) string {
	v, err := semver.NewVersion(version)
	if err != nil {
		return ""
	}
	for _, r := range refusedRanges() {
		// -0 sorts before every candidate of the first release
		if !v.LessThan(semver.MustParse(r.first+"-0")) && v.LessThan(semver.MustParse(r.fixed)) {
			return r.next
		}
	}
	return ""
}

// RefusedAhead names the ranges of RKE2 releases after a version whose kube-apiserver
// refuses cloud-provider-name aws, and the first releases after them; empty if none
// are ahead.
func RefusedAhead(version string) (ranges, next string) {
	now, err := semver.NewVersion(version)
	if err != nil {
		return "", ""
	}
	var all, after []string
	for _, r := range refusedRanges() {
		if now.LessThan(semver.MustParse(r.fixed)) {
			all, after = append(all, "v"+r.first+" to v"+r.last), append(after, r.next)
		}
	}
	return strings.Join(all, ", "), strings.Join(after, ", ")
}

// APIServer describes the cloud provider of a kube-apiserver.
type APIServer struct {
	Provider string
	Explicit bool // by KeyAPIServerArg, which overrides KeyProvider
	Location string
	Gates    component.Gates
}

// APIServerOf returns the kube-apiserver of a control plane.
func APIServerOf(c Config) APIServer {
	args := c.Args(KeyAPIServerArg)
	server := APIServer{Provider: c.Text(KeyProvider), Location: c[KeyProvider].Location.String(), Gates: gatesOf(args)}
	if value, ok := notation.Last(args, FlagProvider); ok {
		server.Provider, server.Explicit, server.Location = value, true, c[KeyAPIServerArg].Location.String()
	}
	return server
}

// Refusal describes why a kube-apiserver does not start.
type Refusal struct{ Seen, Fix string }

// Refuses returns why this kube-apiserver does not start on an RKE2 release, or nil. From 1.33
// on RKE2 no longer passes on cloud-provider-name, and the flag no longer exists
// (rancher/rke2:pkg/podexecutor/staticpod.go@v1.33.0+rke2r1).
func (s APIServer) Refuses(version string) *Refusal {
	v, err := component.ParseVersion(version)
	switch {
	case err != nil || !v.AtLeast(1, 29):
		return nil
	case s.Explicit && v.AtLeast(1, 33):
		return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s does not know %s=%s and exits", version, FlagProvider, s.Provider),
			Fix: "take " + FlagProvider + " out of " + KeyAPIServerArg}
	case v.AtLeast(1, 33):
		return nil
	case s.Provider == ProviderAWS && s.Explicit:
		return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s refuses %s=%s", version, FlagProvider, ProviderAWS),
			Fix: "take " + FlagProvider + " out of " + KeyAPIServerArg}
	case s.Provider == ProviderAWS:
		if next := nextStarting(version); next != "" {
			return &Refusal{Seen: fmt.Sprintf("RKE2 %s starts kube-apiserver with %s=%s, which it refuses", version, FlagProvider, ProviderAWS),
				Fix: "choose " + next + " or later of that minor"}
		}
	case s.Provider == ProviderExternal:
		return s.refusedGate(version, v)
	}
	return nil
}

// refusedGate returns the feature gate that external needs and that is off, or nil.
// kube-apiserver validates them from 1.29 to 1.32 (see refusedRanges for the source).
func (s APIServer) refusedGate(version string, v component.Version) *Refusal {
	for _, gate := range []string{component.GateNoProviders, component.GateNoKubeletCreds} {
		if pair := s.Gates.Off(gate, v); pair != "" {
			return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s refuses %s=%s with %s=%s", version, FlagProvider, ProviderExternal, component.FeatureGates, pair),
				Fix: "take " + pair + " out of " + KeyAPIServerArg}
		}
	}
	return nil
}
