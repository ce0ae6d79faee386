package config

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// RefusedAhead names the ranges of RKE2 releases after a version whose kube-apiserver
// refuses cloud-provider-name aws, and the first releases after them; empty if none
// are ahead.
func RefusedAhead(version string) (ranges, next string) {
	var all, after []string
	for _, r := range passesAWS.ahead(version) {
		all, after = append(all, r.first()+" to "+r.last), append(after, r.next)
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

// Refuses returns why this kube-apiserver does not start on an RKE2 release, or nil.
func (s APIServer) Refuses(version string) *Refusal {
	switch {
	case s.Explicit && lacksProviderFlag.holds(version):
		return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s does not know %s=%s and exits", version, FlagProvider, s.Provider),
			Fix: "take " + FlagProvider + " out of " + KeyAPIServerArg}
	case !validatesProvider.holds(version):
		return nil
	case s.Provider == ProviderAWS && s.Explicit:
		return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s refuses %s=%s", version, FlagProvider, ProviderAWS),
			Fix: "take " + FlagProvider + " out of " + KeyAPIServerArg}
	case s.Provider == ProviderAWS:
		if r, in := passesAWS.rangeOf(version); in {
			return &Refusal{Seen: fmt.Sprintf("RKE2 %s starts kube-apiserver with %s=%s, which it refuses", version, FlagProvider, ProviderAWS),
				Fix: "choose " + r.next + " or later of that minor"}
		}
	case s.Provider == ProviderExternal:
		return s.refusedGate(version)
	}
	return nil
}

// refusedGate returns the feature gate that external needs and that is off, or nil.
// kube-apiserver validates them where it validates the provider.
func (s APIServer) refusedGate(version string) *Refusal {
	v, err := component.ParseVersion(version)
	if err != nil {
		return nil
	}
	_, pair := component.RefusedProvider(s.Provider, s.Gates, v)
	if pair == "" {
		return nil
	}
	return &Refusal{Seen: fmt.Sprintf("kube-apiserver of %s refuses %s=%s with %s=%s", version, FlagProvider, ProviderExternal, component.FeatureGates, pair),
		Fix: "take " + pair + " out of " + KeyAPIServerArg}
}
