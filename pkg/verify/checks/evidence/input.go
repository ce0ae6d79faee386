package evidence

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// EndState is how the external provider is configured in the end.
type EndState string

// End states of RKE2. The zero value: no migration is being prepared.
const (
	External  EndState = "external"
	Overrides EndState = "overrides"
)

// CredentialProviderConfig is the kubelet's flag that names its credential providers.
const CredentialProviderConfig = "image-credential-provider-config" //nolint:gosec // a flag's name

// Input is what the checks judge.
type Input struct {
	downstream.Facts
	Cloud        cloud.Facts
	Position     position.Result
	Distribution wellknown.Distribution
	EndState     EndState
	// KCMs replaces the kube-controller-managers seen through the API (RKE).
	KCMs []position.KCM
	// Fingerprint is the one of the run's preflight; nil when there is none.
	Fingerprint *continuity.Fingerprint
	// Unread is why nobody knows whether there is one: the journal could not be read.
	Unread   error                   `json:"-"` // a bundle keeps its text
	Machines []continuity.MachineRef // nil: not known
	// Target is the Kubernetes version to upgrade to; "" without an upgrade.
	Target string
	// CloudRoutes is --cloud-routes: "on", "off" or "".
	CloudRoutes string
	// Plain: only the API of the cluster is known. What Rancher's or rke's side
	// judges elsewhere is then judged by what the API shows.
	Plain bool
	// Preflight: judged as before a migration, which must not begin where it could
	// not be watched.
	Preflight bool `json:"-"`
	// Planned is the DaemonSet that install-ccm would make; nil outside a run.
	Planned *downstream.DaemonSet
	// Registries are where the configuration has the control planes pull images from.
	Registries []downstream.Registry `json:"registries,omitempty"`
	// CredentialProvider is image-credential-provider-config as the configuration gives it
	// to every kubelet; empty if it gives none, nil if it is not known.
	CredentialProvider *string `json:"credentialProvider,omitempty"`
	// CloudConfig holds what the cloud config says in the place of facts of EC2; it is
	// zero where it was not asked for, see Overrides.
	CloudConfig verify.Read[cloud.Config] `json:"cloudConfig,omitzero"`
	// ImageAllowed says why an image must not run with a Kubernetes version; nil
	// function: the matrix is not known here.
	ImageAllowed func(image, kubernetes string) error `json:"-"`
}

// ManagersInForce are the kube-controller-managers in force, RKE's own first.
func (in Input) ManagersInForce() ([]position.KCM, bool) {
	if in.KCMs != nil {
		return in.KCMs, true
	}
	seen, ok := in.Facts.KCMs()
	var out []position.KCM
	for _, k := range seen {
		out = append(out, k.KCM)
	}
	return out, ok && len(out) > 0
}

// Versions are those whose rules must hold: the current one, and the target.
func (in Input) Versions() ([]component.Version, error) {
	if !in.Version.OK() {
		return nil, fmt.Errorf("the Kubernetes version could not be read: %w", orNobody(in.Version.Err))
	}
	now, err := component.ParseVersion(in.Version.Value)
	if err != nil {
		return nil, err
	}
	vs := []component.Version{now}
	if in.Target != "" {
		target, err := component.ParseVersion(in.Target)
		if err != nil {
			return nil, err
		}
		vs = append(vs, target)
	}
	return vs, nil
}

func orNobody(err error) error {
	if err == nil {
		return fmt.Errorf("nobody looked")
	}
	return err
}

// RoutesAtWork says whether a route controller maintains pod routes today: it
// leaves its reason on the node condition.
func (in Input) RoutesAtWork() bool {
	for _, n := range in.Nodes.Value {
		if n.Network.Reason == "RouteCreated" {
			return true
		}
	}
	return false
}

// TargetVersion is the version the cluster ends with.
func (in Input) TargetVersion() (component.Version, error) {
	vs, err := in.Versions()
	if err != nil {
		return component.Version{}, err
	}
	return vs[len(vs)-1], nil
}
