package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterMigration is the migration of the cluster with the same name in the same
// namespace: Rancher's provisioning Cluster, or for an RKE cluster its mirror c-xxxxx. So
// a cluster has at most one.
//
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=clustermigrations,scope=Namespaced,shortName=awsm,categories=awsmigrate
// +kubebuilder:printcolumn:name="Goal",type=string,JSONPath=`.spec.goal`
// +kubebuilder:printcolumn:name="Position",type=string,JSONPath=`.status.position`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.display.state`
// +kubebuilder:printcolumn:name="Step",type=string,JSONPath=`.status.run.step.id`
// +kubebuilder:printcolumn:name="Fails",type=integer,JSONPath=`.status.audit.fail`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Cluster",type=string,priority=1,JSONPath=`.status.displayName`
// +kubebuilder:printcolumn:name="Plan",type=string,priority=1,JSONPath=`.status.plan.hash`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.display.message`
// +kubebuilder:metadata:annotations="awsmigrate.io/schema=1"
// +kubebuilder:metadata:annotations="helm.sh/resource-policy=keep"
type ClusterMigration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The goal. The right to write it is the right of an owner of the cluster.
	// +optional
	Spec ClusterMigrationSpec `json:"spec,omitzero"`
	// The status. The controller computes it from the cluster and the journal, and never
	// decides by it. Before the first look it has the state Pending.
	// +kubebuilder:default={display:{state:"Pending",message:"no controller has looked at it yet",transitioning:true},conditions:{{type:"Ready",status:"Unknown",reason:"NotLookedAt",message:"no controller has looked at it yet",lastTransitionTime:"1970-01-01T00:00:00Z"}}}
	// +optional
	Status ClusterMigrationStatus `json:"status,omitzero"`
}

// ClusterMigrationList is a list of ClusterMigrations.
//
// +kubebuilder:object:root=true
type ClusterMigrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ClusterMigration `json:"items"`
}
