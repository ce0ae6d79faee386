package rules

import "github.com/awsmigrate/awsmigrate/pkg/verify/component"

// Migratable reports whether a Kubernetes version has both leader migration and the in-tree
// provider to migrate from: 1.22 to 1.26 (k8s.io/controller-manager:pkg/leadermigration/options;
// kubernetes/kubernetes 1.27 changelog). An unknown version has neither.
func Migratable(v component.Version) bool { return v.AtLeast(1, 22) && !v.AtLeast(1, 27) }
