// Package v1alpha1 is the kind ClusterMigration: what somebody wants of one cluster, and
// what is shown of it. The schema of its CustomResourceDefinition is generated from the
// markers here, and Validate checks every rule of that schema again, because API servers
// before Kubernetes 1.25 drop rules of CEL without a word.
//
// Zero and absent mean the same in every field, so that no tool sees drift where one
// writes what another leaves out. Only goal and paused have a default in the schema.
// Within v1alpha1 fields are only added; SchemaAnnotation counts the additions.
//
// It imports apimachinery alone: it knows no engine, no check, no client. That its
// options are the flags of the command line is held by a test of the command line.
//
// +kubebuilder:object:generate=true
// +groupName=awsmigrate.io
package v1alpha1
