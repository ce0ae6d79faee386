package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// SchemaAnnotation holds the number of the schema, on the CustomResourceDefinition. An
	// API server silently prunes fields that its schema does not have, so a controller
	// that finds a lower number than Schema only audits.
	SchemaAnnotation = "awsmigrate.io/schema"
	// Schema is the number of these types.
	Schema = 1
	// CRD is the name of the CustomResourceDefinition.
	CRD = "clustermigrations.awsmigrate.io"
	// RolloutCRD is the name of the other one.
	RolloutCRD = "migrationrollouts.awsmigrate.io"
)

// SchemeGroupVersion is the group and version of the kinds here.
var SchemeGroupVersion = schema.GroupVersion{Group: "awsmigrate.io", Version: "v1alpha1"}

// AddToScheme registers the kinds in a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &ClusterMigration{}, &ClusterMigrationList{}, &MigrationRollout{}, &MigrationRolloutList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
