package choices

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// NamesRoles reports whether an entry of the installation's list is the ARN of a role, or the
// prefix of such ARNs with a trailing *. Every entry must name partition and account.
func NamesRoles(entry string) bool {
	return strings.HasPrefix(entry, "arn:aws") && strings.Contains(entry, ":role/")
}

// AllowRole returns an error if an object names a role that the installation does not allow. A
// user who may write objects in one namespace must not get every role that trusts the controller.
// With a Secret, AWS decides which roles its keys may assume. An entry of allowed that ends in *
// is a prefix.
func AllowRole(key types.NamespacedName, object v1alpha1.AWS, allowed []string) error {
	role := object.AssumeRole
	if role == "" || object.SecretRef != nil || slices.ContainsFunc(allowed, func(entry string) bool {
		begin, prefix := strings.CutSuffix(entry, "*")
		return entry == role || prefix && strings.HasPrefix(role, begin)
	}) {
		return nil
	}
	return &fault.Error{Class: fault.Usage, Reason: "RoleRefused", Object: "ClusterMigration " + key.String(),
		Seen:   "spec.options.aws.assumeRole names " + role + ", which aws.assumableRoles of this installation does not allow",
		Wanted: "a role that the installation allows, or a Secret whose keys assume it",
		Fix:    "add the role to the value aws.assumableRoles of the chart awsmigrate (flag --assumable-roles of the controller), or name a Secret in spec.options.aws.secretRef"}
}
