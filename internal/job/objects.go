package job

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Objects returns all objects to apply, in an order in which each finds its references.
func Objects(o Options) []runtime.Object {
	var objects []runtime.Object
	if o.ServiceAccount == "" { // a named account belongs to the user
		objects = append(objects, o.account())
	}
	for _, scope := range o.Rights() {
		objects = append(objects, o.granted(scope)...)
	}
	if o.Plan != nil {
		objects = append(objects, o.planConfigMap())
	}
	return append(objects, o.job())
}

func (o Options) meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: o.labels()}
}

// account returns a ServiceAccount without an automatic token: the Job's pods request theirs, and
// other pods get none.
func (o Options) account() *corev1.ServiceAccount {
	no := false
	return &corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: o.meta(o.Namespace, o.serviceAccount()), AutomountServiceAccountToken: &no,
	}
}

// granted returns a role and its binding.
func (o Options) granted(s Scope) []runtime.Object {
	const version = rbacv1.GroupName + "/v1"
	meta := o.meta(s.Namespace, s.Name)
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: o.Namespace, Name: o.serviceAccount()}}
	if s.Namespace == "" {
		return []runtime.Object{
			&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRole"}, ObjectMeta: meta, Rules: s.Rules},
			&rbacv1.ClusterRoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ClusterRoleBinding"}, ObjectMeta: meta, Subjects: subjects,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: s.Name},
			},
		}
	}
	return []runtime.Object{
		&rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "Role"}, ObjectMeta: meta, Rules: s.Rules},
		&rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "RoleBinding"}, ObjectMeta: meta, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: s.Name},
		},
	}
}

const planKey = "plan.json"

// planName returns a name that the run's own RBAC rules cannot write to.
func (o Options) planName() string { return wellknown.ObjectName(wellknown.JobPlan, o.Cluster) }

func (o Options) planConfigMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: o.meta(o.Namespace, o.planName()), Data: map[string]string{planKey: string(o.Plan)},
	}
}
