// Package v1alpha1 defines the kind ClusterMigration: the goal of one cluster, and its
// status. The schema of its CustomResourceDefinition is generated from the markers here.
// Validate checks every rule of that schema again, because API servers before Kubernetes
// 1.25 drop CEL rules silently.
//
// Zero and absent mean the same in every field, so no tool sees drift if one writes a zero
// that another omits. Only goal and paused have a default in the schema. Within v1alpha1
// fields are only added; SchemaAnnotation counts the additions.
//
// It imports apimachinery alone: it knows no engine, no check, no client. A test of the
// command line compares its options with the flags.
//
// +kubebuilder:object:generate=true
// +groupName=awsmigrate.io
package v1alpha1
