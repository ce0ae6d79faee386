package v1alpha1

// ClusterMigrationSpec holds the goal of one cluster and the options of its migration.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.edits) && self.edits == 'Handoff' && has(self.options) && has(self.options.installMethod) && self.options.installMethod == 'AdditionalManifest')",message="edits Handoff does not go with options.installMethod AdditionalManifest, which is an edit as well"
type ClusterMigrationSpec struct {
	// The goal of the cluster. Audit only reads; it also stops a migration at its next
	// rest.
	// +kubebuilder:default=Audit
	// +optional
	Goal Goal `json:"goal,omitempty"`
	// The approved plan: the complete status.plan.hash. Nothing is written to the cluster
	// without it, and a changed plan needs a new approval.
	// +kubebuilder:validation:Pattern=`^(sha256:[0-9a-f]{64})?$`
	// +kubebuilder:validation:MaxLength=71
	// +optional
	ApprovedPlan string `json:"approvedPlan,omitempty"`
	// Begins no further step. A rollout is still watched.
	// +kubebuilder:default=false
	// +optional
	Paused bool `json:"paused,omitempty"`
	// The last step of the run. A step of the other direction has no effect, so the goal
	// can be reversed at any time.
	// +optional
	Until Step `json:"until,omitempty"`
	// The editor of Rancher's Cluster. With Apply the run makes every edit. With Handoff
	// the owner of the object, such as Terraform or Git, makes them, and the run waits for
	// each. No default exists, because Terraform leaves no visible mark.
	// +optional
	Edits Edits `json:"edits,omitempty"`
	// The times in which a block of steps may begin; empty for any time. The end of a
	// window interrupts nothing.
	// +kubebuilder:validation:MaxItems=14
	// +listType=atomic
	// +optional
	Windows []Window `json:"windows,omitempty"`
	// Options of the migration, as the flags of awsmigrate rke2 and awsmigrate rke.
	// +optional
	Options Options `json:"options,omitzero"`
}

// Goal is a state to reach, not an action: it can be changed at any time.
// +kubebuilder:validation:Enum="";Audit;Migrate;Undo
type Goal string

const (
	// GoalAudit only reads. An absent goal means the same.
	GoalAudit Goal = "Audit"
	// GoalMigrate reaches the external provider.
	GoalMigrate Goal = "Migrate"
	// GoalUndo restores the in-tree provider.
	GoalUndo Goal = "Undo"
)

// OrDefault returns the goal, or GoalAudit if it is absent.
func (g Goal) OrDefault() Goal {
	if g == "" {
		return GoalAudit
	}
	return g
}

// Edits is the editor of Rancher's Cluster.
// +kubebuilder:validation:Enum="";Apply;Handoff
type Edits string

const (
	// EditsApply lets the run make every edit.
	EditsApply Edits = "Apply"
	// EditsHandoff leaves every edit to the owner of the object.
	EditsHandoff Edits = "Handoff"
)

// Step is a step of a migration or of an undo, as in docs/steps. The upgrade is not one of
// them, because it cannot be undone.
// +kubebuilder:validation:Enum="";preflight;etcd-snapshot;lease-access;enable-leader-migration;cordon;install-ccm;hand-over;switch-provider;uncordon;verify;disable-leader-migration;undo-preflight;undo-disable-leader-migration;undo-switch-provider;undo-install-ccm;undo-enable-leader-migration;undo-lease-access
type Step string

// Steps returns the steps that may be the last one of a run.
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
	// The time at which it opens: minute, hour, day of month, month and day of week, as in
	// cron.
	// +kubebuilder:validation:Pattern=`^[0-9A-Za-z*,/?-]+( [0-9A-Za-z*,/?-]+){4}$`
	// +kubebuilder:validation:MaxLength=128
	Schedule string `json:"schedule"`
	// The length of the window, such as 4h or 90m; 30 minutes to 7 days.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('30m') && duration(self) <= duration('168h')",message="must be from 30m to 168h"
	Duration string `json:"duration"`
	// Name of a time zone in the IANA database, such as Europe/Berlin; empty for UTC.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*)?$`
	// +kubebuilder:validation:MaxLength=64
	// +optional
	TimeZone string `json:"timeZone,omitempty"`
}
