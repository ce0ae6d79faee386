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

// Purpose is what the rights are for.
type Purpose string

const (
	// Audit is `verify`.
	Audit Purpose = "audit"
	// Run is a whole migration, and its undo.
	Run Purpose = "run"
)

// Purposes are all of them, for whoever completes a flag.
func Purposes() []string { return []string{string(Audit), string(Run)} }

// Right is one right on an API server, as a SelfSubjectAccessReview asks for it.
type Right struct {
	Verb      string `json:"verb"`
	Group     string `json:"group,omitempty"` // "": the core group
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"` // "": in all
	Name      string `json:"name,omitempty"`      // "": of all objects
}

// Cluster is what the rights depend on.
type Cluster struct {
	Distribution wellknown.Distribution // "": of a cluster of which only the API is known
	Namespace    string                 // RKE2: of the Cluster object; RKE: its Fleet workspace
	Name         string                 // RKE: the id, c-xxxxx
	// Asked is the name as it was given, AskedIn the namespace that an audit looks in first.
	Asked, AskedIn string
	// Kept: the way to the cluster is the kubeconfig that Rancher keeps in a Secret.
	Kept bool
	// CloudConfig is the Secret that holds the cluster's cloud config, where it is in one.
	CloudConfig job.SecretReference
}

// everything is what only cluster-admin has.
func everything() Right { return Right{Verb: "*", Group: "*", Resource: "*"} }

// InRancher are the rights in the cluster that Rancher runs in.
func (c Cluster) InRancher(p Purpose) []Right {
	o := job.Options{Distribution: c.Distribution, Cluster: c.Name, Namespace: c.Namespace, Undo: p == Run}
	if p == Run {
		o.CloudConfig = c.CloudConfig // of an installation, which an audit does not prepare
	}
	if !c.Kept {
		o.DownstreamSecret = "none" // the way is another, and no Secret is read for it
	}
	var all []Right
	for _, scope := range o.Rights() {
		all = append(all, flat(scope.Namespace, scope.Rules)...)
	}
	if p == Run {
		return all
	}
	return slices.DeleteFunc(unique(append(c.find(), all...)), func(r Right) bool { return !ofAudit(r) })
}

// ofAudit leaves of a run's rights those to read, without the lock and the records, which
// only a run takes and keeps.
func ofAudit(r Right) bool {
	return !archive.Keeps(r.Name) && (r.Verb == "get" || r.Verb == "list") && r.Group != "coordination.k8s.io"
}

// find are the rights by which an audit learns that a name is that of an RKE cluster: it
// looks for one of RKE2 first, and an id can be asked for by itself.
func (c Cluster) find() []Right {
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

// Here are the rights in the cluster itself.
func (c Cluster) Here(p Purpose) ([]Right, error) {
	if p == Run {
		return []Right{everything()}, nil
	}
	rights, err := documented("awsmigrate-audit", "awsmigrate-audit-helm")
	if c.Distribution == wellknown.RKE {
		rights = append(rights, Right{Verb: "get", Resource: "secrets", Namespace: wellknown.System, Name: rkestate.ObjectName})
	}
	return rights, err
}

// documented are the rights of roles in the documentation, by their names.
func documented(names ...string) ([]Right, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(docs.ReadOnlyRoles), 4096)
	var all []Right
	for {
		var role rbacv1.Role // a ClusterRole has its fields, and no namespace
		switch err := decoder.Decode(&role); {
		case err == io.EOF: //nolint:errorlint // as its documentation says
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("the roles of the documentation: %w", err)
		}
		if strings.HasSuffix(role.Kind, "Role") && slices.Contains(names, role.Name) {
			all = append(all, flat(role.Namespace, role.Rules)...)
		}
	}
}

// flat are the rights that rules give in a namespace, one by one.
func flat(namespace string, rules []rbacv1.PolicyRule) []Right {
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
