package job

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// Scope holds rules and where they apply.
type Scope struct {
	Namespace string // empty means the whole cluster
	Name      string // of role and binding
	Rules     []rbacv1.PolicyRule
}

// Rights returns the rights of a run in the management cluster. Rules name objects wherever
// Kubernetes allows it: create and list cannot be limited to names.
func (o Options) Rights() []Scope {
	if o.Distribution.NamedByID() {
		return o.rightsRKE()
	}
	scopes := []Scope{
		{Name: o.clusterWide(), Rules: []rbacv1.PolicyRule{rule("management.cattle.io", "settings", []string{"server-version"}, "get")}},
		{Namespace: o.Namespace, Name: o.name(), Rules: slices.Concat([]rbacv1.PolicyRule{
			rule("provisioning.cattle.io", "clusters", []string{o.Cluster}, "get", "patch"),
			rule("rke.cattle.io", "rkecontrolplanes", []string{o.Cluster}, "get", "patch"),
			rule("cluster.x-k8s.io", "clusters", []string{o.Cluster}, "get"),
			rule("cluster.x-k8s.io", "machines", nil, "list"),
			rule("plan.cattle.io", "beacons", []string{o.Cluster}, "get"),
		}, o.record())},
	}
	if o.DownstreamSecret == "" {
		scopes[1].Rules = append(scopes[1].Rules, rule("", "secrets", []string{o.Cluster + "-kubeconfig"}, "get"))
	}
	return o.withCloudConfig(scopes)
}

// rightsRKE returns the rights for a cluster that Rancher runs rke for. Values that an edit
// removes and the journal must not hold are stored in a Secret, which only an undo reads. The
// kubeconfig is next to Rancher's mirror of the cluster, in its Fleet workspace.
func (o Options) rightsRKE() []Scope {
	kept := []string{"create"}
	if o.Undo {
		kept = append(kept, "get") // its name is derived from its content
	}
	scopes := []Scope{
		{Name: o.clusterWide(), Rules: []rbacv1.PolicyRule{rule("management.cattle.io", "clusters", []string{o.Cluster}, "get", "patch")}},
		{Namespace: o.home(), Name: o.name(), Rules: slices.Concat([]rbacv1.PolicyRule{
			rule("management.cattle.io", "nodes", nil, "list"),
		}, o.record(), []rbacv1.PolicyRule{
			rule("", "secrets", nil, kept...),
		})},
	}
	if o.DownstreamSecret == "" {
		scopes = append(scopes, Scope{Namespace: o.Namespace, Name: o.name(), Rules: []rbacv1.PolicyRule{
			rule("provisioning.cattle.io", "clusters", []string{o.Cluster}, "get"),
			rule("", "secrets", []string{o.Cluster + "-kubeconfig"}, "get"),
		}})
	}
	return scopes
}

// record returns the rights for the journal, the lock and the records of runs.
func (o Options) record() []rbacv1.PolicyRule {
	names := []string{o.name()}
	return []rbacv1.PolicyRule{
		rule("", "configmaps", []string{o.name(), archive.Name(o.Cluster)}, "get", "patch"),
		rule("", "configmaps", nil, "create"),
		rule("coordination.k8s.io", "leases", names, "get", "update"),
		rule("coordination.k8s.io", "leases", nil, "create"),
	}
}

// withCloudConfig adds the right to read the Secret with the cloud config.
func (o Options) withCloudConfig(scopes []Scope) []Scope {
	if o.CloudConfig == (SecretReference{}) {
		return scopes
	}
	get := rule("", "secrets", []string{o.CloudConfig.Name}, "get")
	for i := range scopes {
		if scopes[i].Namespace == o.CloudConfig.Namespace {
			scopes[i].Rules = append(scopes[i].Rules, get)
			return scopes
		}
	}
	return append(scopes, Scope{Namespace: o.CloudConfig.Namespace, Name: o.clusterWide(), Rules: []rbacv1.PolicyRule{get}})
}

func rule(group, resource string, names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}
}
