package component

// Values of --cloud-provider.
const (
	ProviderAWS      = "aws"      // kube-controller-manager runs the cloud controllers itself
	ProviderExternal = "external" // a cloud controller manager runs them
)

// Mode describes which cloud controllers a kube-controller-manager runs, and by which lease.
// Rules: leader migration of kube-controller-manager 1.22 to 1.26
// (kubernetes/kubernetes:cmd/kube-controller-manager/app/controllermanager.go@v1.26.13).
type Mode uint8

// The modes. Decisions by mode must handle ModeUnknown and ModeOther explicitly.
const (
	ModeUnknown       Mode = iota // the arguments are not visible or cannot be read
	ModeOther                     // another provider than aws and external, or none
	InTree                        // runs the cloud controllers while it holds its own lease
	InTreeMigrating               // runs them while it holds the migration lease
	External                      // runs none
	ExternalMigrating             // runs none, and can hold the migration lease: wrong
)

// Mode returns the mode that the last --cloud-provider and --enable-leader-migration select.
// An unreadable flag counts as on: the component would not have started with it.
func (a Args) Mode() Mode {
	on, err := a.Bool(EnableLeaderMigration, false)
	migrating := on || err != nil
	switch provider := a.Last(CloudProvider); {
	case provider == ProviderAWS && migrating:
		return InTreeMigrating
	case provider == ProviderAWS:
		return InTree
	case provider == ProviderExternal && migrating:
		return ExternalMigrating
	case provider == ProviderExternal:
		return External
	}
	return ModeOther
}

// IsInTree reports whether the provider is aws.
func (m Mode) IsInTree() bool { return m == InTree || m == InTreeMigrating }

// IsExternal reports whether the provider is external.
func (m Mode) IsExternal() bool { return m == External || m == ExternalMigrating }

// IsMigrating reports whether leader migration is on. It is false for other providers.
func (m Mode) IsMigrating() bool { return m == InTreeMigrating || m == ExternalMigrating }

// String returns the mode as part of a sentence: "runs in-tree with leader migration".
func (m Mode) String() string {
	switch m {
	case InTree:
		return "in-tree"
	case InTreeMigrating:
		return "in-tree with leader migration"
	case External:
		return "external"
	case ExternalMigrating:
		return "external with leader migration"
	case ModeOther:
		return "another provider"
	case ModeUnknown:
	}
	return "unknown arguments"
}
