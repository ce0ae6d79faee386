package access

import (
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/awsmigrate/awsmigrate/docs"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Purpose names what the rights are for.
type Purpose string

const (
	// Audit is `verify`.
	Audit Purpose = "audit"
	// Run is a whole migration, and its undo.
	Run Purpose = "run"
)

// Purposes returns all purposes, for the completion of a flag.
func Purposes() []string { return []string{string(Audit), string(Run)} }

// Right is one right on an API server, as in a SelfSubjectAccessReview.
type Right struct {
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"` // empty for the core group
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"` // empty for all namespaces
	Name      string `json:"name,omitempty"`      // empty for all objects
}

// Cluster holds the properties of a cluster that its rights depend on.
type Cluster struct {
	Distribution wellknown.Distribution // empty if only the API is known
	Namespace    string                 // RKE2: of the Cluster object; RKE: its Fleet workspace
	Name         string                 // RKE: the ID, c-xxxxx
	// Asked is the name as given. AskedIn is the namespace where an audit looks first.
	Asked, AskedIn string
	// Kept reports whether the cluster is reached by a kubeconfig that Rancher stores in a Secret.
	Kept bool
	// CloudConfig is the Secret with the cluster's cloud config, or zero.
	CloudConfig job.SecretReference
}

// everything returns the right that only cluster-admin has.
func everything() Right { return Right{Verb: "*", Group: "*", Resource: "*"} }

// InRancher returns the needed rights in Rancher's own cluster.
func (c Cluster) InRancher(p Purpose) []Right {
	o := job.Options{Distribution: c.Distribution, Cluster: c.Name, Namespace: c.Namespace, Undo: p == Run}
	if p == Run {
		o.CloudConfig = c.CloudConfig // used by an installation, which an audit does not prepare
	}
	if !c.Kept {
		o.DownstreamSecret = "none" // no Secret is read to reach the cluster
	}
	var all []Right
	for _, scope := range o.Rights() {
		all = append(all, flatten(scope.Namespace, scope.Rules)...)
	}
	if p == Run {
		return all
	}
	all = append(all, c.templateRights()...)
	return slices.DeleteFunc(unique(append(c.findRights(), all...)), func(r Right) bool { return !isForAudit(r) })
}

// templateRights returns the rights to the templates of machine pools. A Job does not have them:
// templates hold user data, and no rule can select those of one cluster.
func (c Cluster) templateRights() []Right {
	if c.Distribution != wellknown.RKE2 {
		return nil
	}
	return []Right{{Verb: "get", Group: "rke-machine-config.cattle.io", Resource: "amazonec2configs", Namespace: c.Namespace}}
}

// isForAudit reports whether an audit needs a right of a run: a reading right that is not for the lock
// or the records, which only a run has.
func isForAudit(r Right) bool {
	return !archive.Keeps(r.Name) && (r.Verb == "get" || r.Verb == "list") && r.Group != "coordination.k8s.io"
}

// findRights returns the rights with which an audit finds out that a name belongs to an RKE cluster. It
// looks for an RKE2 cluster first, and reads an ID directly.
func (c Cluster) findRights() []Right {
	if c.Distribution != wellknown.RKE {
		return nil
	}
	rights := []Right{{Verb: "get", Group: "provisioning.cattle.io", Resource: "clusters", Namespace: c.AskedIn, Name: c.Asked}}
	if c.Asked != c.Name {
		rights = append(rights, Right{Verb: "list", Group: "provisioning.cattle.io", Resource: "clusters"},
			Right{Verb: "list", Group: "management.cattle.io", Resource: "clusters"})
	}
	return rights
}

// Here returns the needed rights in the cluster to migrate.
func (c Cluster) Here(p Purpose) ([]Right, error) {
	if p == Run {
		return []Right{everything()}, nil
	}
	rights, err := documentedRights("awsmigrate-audit", "awsmigrate-audit-helm")
	if c.Distribution == wellknown.RKE {
		rights = append(rights, Right{Verb: "get", Resource: "secrets", Namespace: wellknown.System, Name: rkestate.ObjectName})
	}
	return rights, err
}

// documentedRights returns the rights of the documented roles with these names.
func documentedRights(names ...string) ([]Right, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(docs.ReadOnlyRoles), 4096)
	var all []Right
	for {
		var role rbacv1.Role // a ClusterRole has the same fields
		switch err := decoder.Decode(&role); {
		case err == io.EOF: //nolint:errorlint // Decode documents this comparison
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read the documented roles: %w", err)
		}
		if strings.HasSuffix(role.Kind, "Role") && slices.Contains(names, role.Name) {
			all = append(all, flatten(role.Namespace, role.Rules)...)
		}
	}
}

// flatten returns the rights of rules in a namespace, one by one.
func flatten(namespace string, rules []rbacv1.PolicyRule) []Right {
	var all []Right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						all = append(all, Right{Verb: verb, Group: group, Resource: resource, Namespace: namespace, Name: name})
					}
				}
			}
		}
	}
	return all
}

func unique(rights []Right) []Right {
	var all []Right
	for _, r := range rights {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}
