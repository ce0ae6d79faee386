package v1alpha1

// ClusterMigrationSpec is what is wanted of one cluster.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.edits) && self.edits == 'Handoff' && has(self.options) && has(self.options.installMethod) && self.options.installMethod == 'AdditionalManifest')",message="edits Handoff does not go with options.installMethod AdditionalManifest, which is an edit as well"
type ClusterMigrationSpec struct {
	// What the cluster is to come to. Audit looks and writes nothing; it also stops a
	// migration at its next rest.
	// +kubebuilder:default=Audit
	// +optional
	Goal Goal `json:"goal,omitempty"`
	// The plan that may be carried out: the whole of status.plan.hash. Nothing is written
	// to the cluster without it, and a plan that changes needs a new one.
	// +kubebuilder:validation:Pattern=`^(sha256:[0-9a-f]{64})?$`
	// +kubebuilder:validation:MaxLength=71
	// +optional
	ApprovedPlan string `json:"approvedPlan,omitempty"`
	// Begin no further step. What rolls out is watched all the same.
	// +kubebuilder:default=false
	// +optional
	Paused bool `json:"paused,omitempty"`
	// The last step to take. A step of the other direction than the goal's changes
	// nothing, so that the goal can be turned round at any time.
	// +optional
	Until Step `json:"until,omitempty"`
	// Who edits Rancher's Cluster: Apply has the run make every edit, Handoff leaves them
	// to whoever keeps the object, such as Terraform or Git, and waits for each. There is
	// no default: Terraform leaves no mark that could be seen.
	// +optional
	Edits Edits `json:"edits,omitempty"`
	// When a block of steps may begin; none: at any time. A window that closes interrupts
	// nothing.
	// +kubebuilder:validation:MaxItems=14
	// +listType=atomic
	// +optional
	Windows []Window `json:"windows,omitempty"`
	// How the migration is made, as by the flags of awsmigrate rke2 and awsmigrate rke.
	// +optional
	Options Options `json:"options,omitzero"`
}

// Goal is a state to come to, and not an action: it can be changed at any time.
// +kubebuilder:validation:Enum="";Audit;Migrate;Undo
type Goal string

const (
	// GoalAudit looks and changes nothing. An absent goal is the same.
	GoalAudit Goal = "Audit"
	// GoalMigrate is the external provider.
	GoalMigrate Goal = "Migrate"
	// GoalUndo is the in-tree provider, as it was.
	GoalUndo Goal = "Undo"
)

// OrDefault is the goal that an absent one stands for.
func (g Goal) OrDefault() Goal {
	if g == "" {
		return GoalAudit
	}
	return g
}

// Edits says who edits Rancher's Cluster.
// +kubebuilder:validation:Enum="";Apply;Handoff
type Edits string

const (
	// EditsApply has the run make every edit.
	EditsApply Edits = "Apply"
	// EditsHandoff leaves every edit to whoever keeps the object.
	EditsHandoff Edits = "Handoff"
)

// Step is a step of a migration or of an undo, as in docs/steps. The upgrade has no way
// back and is none of them.
// +kubebuilder:validation:Enum="";preflight;etcd-snapshot;lease-access;enable-leader-migration;cordon;install-ccm;hand-over;switch-provider;uncordon;verify;disable-leader-migration;undo-preflight;undo-disable-leader-migration;undo-switch-provider;undo-install-ccm;undo-enable-leader-migration;undo-lease-access
type Step string

// Steps are those that may be the last.
func Steps() []Step {
	return []Step{
		"preflight", "etcd-snapshot", "lease-access", "enable-leader-migration", "cordon", "install-ccm", "hand-over", "switch-provider",
		"uncordon", "verify", "disable-leader-migration",
		"undo-preflight", "undo-disable-leader-migration", "undo-switch-provider", "undo-install-ccm",
		"undo-enable-leader-migration", "undo-lease-access",
	}
}

// Window is a time in which blocks of steps may begin.
type Window struct {
	// When it opens: minute, hour, day of month, month and day of week, as in cron.
	// +kubebuilder:validation:Pattern=`^[0-9A-Za-z*,/?-]+( [0-9A-Za-z*,/?-]+){4}$`
	// +kubebuilder:validation:MaxLength=128
	Schedule string `json:"schedule"`
	// How long it stays open, such as 4h or 90m; 30 minutes to 7 days.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('30m') && duration(self) <= duration('168h')",message="must be from 30m to 168h"
	Duration string `json:"duration"`
	// Name of a time zone in the IANA database, such as Europe/Berlin; none: UTC.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*)?$`
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
}
