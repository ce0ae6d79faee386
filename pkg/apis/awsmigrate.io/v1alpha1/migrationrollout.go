package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MigrationRollout migrates, or undoes, the ClusterMigrations of its namespace in waves. It
// makes no object. A cluster begins when its wave has its turn, and a wave in which too many
// clusters failed keeps every later one from beginning.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=migrationrollouts,scope=Namespaced,shortName=awsr,categories=awsmigrate
// +kubebuilder:printcolumn:name="Goal",type=string,JSONPath=`.spec.goal`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.display.state`
// +kubebuilder:printcolumn:name="Wave",type=string,JSONPath=`.status.wave`
// +kubebuilder:printcolumn:name="Clusters",type=integer,JSONPath=`.status.counts.total`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.counts.done`
// +kubebuilder:printcolumn:name="Active",type=integer,JSONPath=`.status.counts.active`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.counts.failed`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.display.message`
// +kubebuilder:metadata:annotations="awsmigrate.io/schema=1"
// +kubebuilder:metadata:annotations="helm.sh/resource-policy=keep"
type MigrationRollout struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The waves. The right to write them is the right of an owner of every cluster in the
	// namespace.
	Spec MigrationRolloutSpec `json:"spec"`
	// The status. The controller computes it, and never decides by it.
	// +kubebuilder:default={display:{state:"Pending",message:"no controller has looked at it yet",transitioning:true},conditions:{{type:"Ready",status:"Unknown",reason:"NotLookedAt",message:"no controller has looked at it yet",lastTransitionTime:"1970-01-01T00:00:00Z"}}}
	// +optional
	Status MigrationRolloutStatus `json:"status,omitzero"`
}

// MigrationRolloutList is a list of MigrationRollouts.
//
// +kubebuilder:object:root=true
type MigrationRolloutList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []MigrationRollout `json:"items"`
}

// MigrationRolloutSpec selects clusters, and orders them.
//
// +kubebuilder:validation:XValidation:rule="!has(self.goal) || self.goal != 'Audit'",message="goal must be Migrate or Undo"
type MigrationRolloutSpec struct {
	// The goal of every cluster: Migrate or Undo. Undo takes the waves from the last to the
	// first. A changed goal needs a new approval.
	// +kubebuilder:default=Migrate
	// +optional
	Goal Goal `json:"goal,omitempty"`
	// The editor of Rancher's Clusters, for ClusterMigrations that have none.
	// +optional
	Edits Edits `json:"edits,omitempty"`
	// Labels of Rancher's Clusters that it selects; absent for all with a ClusterMigration.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// The waves, in order. A cluster belongs to the first wave that matches it. A cluster
	// that no wave matches does not take part.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=map
	// +listMapKey=name
	Waves []Wave `json:"waves"`
	// The maximum number of clusters that migrate at a time, in all waves; 0 for 5. The
	// controller has a limit of its own (--max-concurrent).
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxConcurrent int64 `json:"maxConcurrent,omitempty"`
	// Begins no further cluster, and no further block of steps of one. A rollout of Rancher
	// is still watched.
	// +kubebuilder:default=false
	// +optional
	Paused bool `json:"paused,omitempty"`
	// The approved clusters with their waves and plans. Without it no cluster begins. The
	// command awsmigrate rollout approve writes it.
	// +optional
	Approved *RolloutApproval `json:"approved,omitempty"`
}

// Wave is a part of the clusters. The next wave begins when all of them are done, or have
// failed within the limit.
type Wave struct {
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Names of ClusterMigrations.
	// +kubebuilder:validation:MaxItems=500
	// +kubebuilder:validation:items:MaxLength=253
	// +listType=set
	// +optional
	Clusters []string `json:"clusters,omitempty"`
	// Labels of Rancher's Clusters. A wave with neither names nor labels has all clusters
	// that are left.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// The maximum number of its clusters that migrate at a time; 0 for 1.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxConcurrent int64 `json:"maxConcurrent,omitempty"`
	// The number of clusters that may fail without an effect on the others.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=500
	// +optional
	FailuresAllowed int64 `json:"failuresAllowed,omitempty"`
	// The time in which each cluster must reach the goal, from its turn on, such as 24h; empty
	// for 24h. Afterwards it counts as failed, and begins no further block of steps.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self == '' || (duration(self) >= duration('10m') && duration(self) <= duration('720h'))",message="must be from 10m to 720h"
	// +optional
	Deadline string `json:"deadline,omitempty"`
	// The time between the end of its last migration and the audits that end the wave, such as
	// 12h; empty for none.
	// +kubebuilder:validation:Pattern=`^([0-9]+h)?([0-9]+m)?$`
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self == '' || (duration(self) >= duration('1m') && duration(self) <= duration('720h'))",message="must be from 1m to 720h"
	// +optional
	Soak string `json:"soak,omitempty"`
}

// RolloutApproval is a list of clusters that was approved as a whole.
type RolloutApproval struct {
	// The goal that was approved. The approval counts while it is the goal of the rollout.
	Goal Goal `json:"goal"`
	// +kubebuilder:validation:MaxItems=500
	// +listType=map
	// +listMapKey=cluster
	// +optional
	Members []RolloutMember `json:"members,omitempty"`
}

// RolloutMember is an approved cluster.
type RolloutMember struct {
	// The name of its ClusterMigration.
	// +kubebuilder:validation:MaxLength=253
	Cluster string `json:"cluster"`
	// Its wave.
	// +kubebuilder:validation:MaxLength=63
	Wave string `json:"wave"`
	// The plan as in status.plan.hash of its ClusterMigration; empty if it had none. A cluster
	// with another plan withdraws.
	// +kubebuilder:validation:Pattern=`^(sha256:[0-9a-f]{64})?$`
	// +kubebuilder:validation:MaxLength=71
	// +optional
	Plan string `json:"plan,omitempty"`
}

// MigrationRolloutStatus describes how far a rollout is.
type MigrationRolloutStatus struct {
	// The generation of the spec that this status is based on.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The wave that has its turn.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Wave string `json:"wave,omitempty"`
	// The number of clusters by state, in all waves.
	// +optional
	Counts RolloutCounts `json:"counts,omitzero"`
	// The waves in the order of the spec.
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	// +optional
	Waves []WaveStatus `json:"waves,omitempty"`
	// Clusters that need a person, or do not take part.
	// +kubebuilder:validation:MaxItems=50
	// +listType=atomic
	// +optional
	Notes []RolloutNote `json:"notes,omitempty"`
	// The number of clusters that are not in that list.
	// +optional
	More int64 `json:"more,omitempty"`
	// The state for Rancher's UI.
	// +optional
	Display *Display `json:"display,omitempty"`
	// The state for tools.
	// +kubebuilder:validation:MaxItems=8
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RolloutCounts counts clusters. Zeros are written: columns show them.
type RolloutCounts struct {
	Total int64 `json:"total"`
	// Clusters that wait for their turn.
	Waiting int64 `json:"waiting"`
	// Clusters whose turn has begun and has not ended.
	Active int64 `json:"active"`
	Done   int64 `json:"done"`
	Failed int64 `json:"failed"`
	// Clusters that the rollout leaves alone, such as those with a goal set by a person.
	Withdrawn int64 `json:"withdrawn"`
}

// WaveStatus describes one wave.
type WaveStatus struct {
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Waiting, Active, Soaking, Stopped or Done.
	// +kubebuilder:validation:MaxLength=16
	State string `json:"state"`
	// +optional
	Counts RolloutCounts `json:"counts,omitzero"`
}

// RolloutNote says why a cluster failed, is active, or does not take part.
type RolloutNote struct {
	// +kubebuilder:validation:MaxLength=253
	Cluster string `json:"cluster"`
	// Its name in Rancher's UI, if that differs.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	DisplayName string `json:"displayName,omitempty"`
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Wave string `json:"wave,omitempty"`
	// Active, Failed, Withdrawn or NotApproved.
	// +kubebuilder:validation:MaxLength=16
	State string `json:"state"`
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Message string `json:"message,omitempty"`
}
