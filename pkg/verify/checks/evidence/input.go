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

// EndState names the final configuration of the external provider.
type EndState string

// End states of RKE2. The zero value means that no migration is prepared.
const (
	External  EndState = "external"
	Overrides EndState = "overrides"
)

// CredentialProviderConfig is the kubelet flag that names its credential providers.
const CredentialProviderConfig = "image-credential-provider-config" //nolint:gosec // a flag's name

// CredentialProviderBin is the kubelet flag that names the folder of their programs.
const CredentialProviderBin = "image-credential-provider-bin-dir" //nolint:gosec // a flag's name

// CredentialProvider describes a credential provider in a cluster's configuration.
type CredentialProvider struct {
	Config  string `json:"config,omitempty"`  // value of CredentialProviderConfig, or empty
	Missing string `json:"missing,omitempty"` // why it cannot work, or empty
	Unseen  string `json:"unseen,omitempty"`  // why it cannot be seen whether it works, or empty
}

// Input holds the input of the checks.
type Input struct {
	downstream.Facts
	Cloud        cloud.Facts
	Position     position.Result
	Distribution wellknown.Distribution
	EndState     EndState
	// KCMs replaces the kube-controller-managers that the API shows (RKE).
	KCMs []position.KCM
	// Fingerprint is the fingerprint of the run's preflight, or nil.
	Fingerprint *continuity.Fingerprint
	// Unread is the error of reading the journal, which may hold a fingerprint, or nil.
	Unread   error                   `json:"-"` // a bundle keeps its text
	Machines []continuity.MachineRef // nil if unknown
	// Target is the Kubernetes version to upgrade to, or empty without an upgrade.
	Target string
	// CloudRoutes is the value of --cloud-routes: "on", "off" or empty.
	CloudRoutes string
	// Plain reports whether only the cluster's API is known. Checks of Rancher's or rke's side are
	// then judged by what the API shows.
	Plain bool
	// Preflight marks a judgement before a migration, which must not begin if it cannot be
	// watched.
	Preflight bool `json:"-"`
	// Planned is the DaemonSet that install-ccm would create, or nil outside a run.
	Planned *downstream.DaemonSet
	// Registries holds the registries from which the configuration makes control planes pull.
	Registries []downstream.Registry `json:"registries,omitempty"`
	// CredentialProvider describes the credential provider that the configuration gives to every
	// kubelet, or is nil if the configuration shows nothing about it.
	CredentialProvider *CredentialProvider `json:"credentialProviders,omitempty"`
	// Templates holds the templates of Rancher's machine pools.
	Templates verify.Read[[]MachineTemplate] `json:"templates,omitzero"`
	// CloudConfig holds the values of the cloud config that replace facts of EC2. It is zero if it
	// was not read, see Overrides.
	CloudConfig verify.Read[cloud.Config] `json:"cloudConfig,omitzero"`
	// CCMImage is the image of the CCM that the user's options name, or empty.
	CCMImage string `json:"ccmImage,omitempty"`
	// ImageAllowed returns an error if an image must not run with the oldest and the newest of
	// the API servers. It is nil if the matrix is unknown here.
	ImageAllowed func(image, oldest, newest string) error `json:"-"`
	// ImageFor returns the image of the matrix for a Kubernetes version, or an error if it has
	// none.
	ImageFor func(kubernetes string) (string, error) `json:"-"`
}

// ManagersInForce returns the kube-controller-managers in force, RKE's own first.
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

// Versions returns the versions whose rules must hold: the current one and the target.
func (in Input) Versions() ([]component.Version, error) {
	if !in.Version.OK() {
		return nil, fmt.Errorf("the Kubernetes version could not be read: %w", orNotChecked(in.Version.Err))
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

func orNotChecked(err error) error {
	if err == nil {
		return fmt.Errorf("not checked")
	}
	return err
}

// RoutesAtWork reports whether a route controller maintains pod routes now: it leaves its reason
// on the node condition.
func (in Input) RoutesAtWork() bool {
	for _, n := range in.Nodes.Value {
		if n.Network.Reason == "RouteCreated" {
			return true
		}
	}
	return false
}

// ServerVersions returns the oldest and the newest version that a kube-apiserver may run.
func (in Input) ServerVersions() (oldest, newest string) {
	var planes []downstream.Node
	for _, n := range in.Nodes.Value {
		if n.ControlPlane() {
			planes = append(planes, n)
		}
	}
	return downstream.ServerVersions(in.Version.Value, planes, nil)
}

// TargetVersion returns the cluster's version after the migration.
func (in Input) TargetVersion() (component.Version, error) {
	vs, err := in.Versions()
	if err != nil {
		return component.Version{}, err
	}
	return vs[len(vs)-1], nil
}

// OnTarget returns a judgement of one release as the target of an upgrade.
func OnTarget(judge func(Input) []verify.Finding) func(Input, string) []verify.Finding {
	return func(in Input, release string) []verify.Finding {
		in.Target = release
		return judge(in)
	}
}
