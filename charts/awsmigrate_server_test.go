package charts_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// request is a possible request of the controller, and whether RBAC allows it.
type request struct {
	namespace, group, resource, verb, name string
	allowed                                bool
}

// always returns the requests with the same answer for every installation.
func always() []request {
	return []request{
		{"fleet-default", "awsmigrate.io", "clustermigrations", "watch", "", true},
		{"fleet-default", "awsmigrate.io", "clustermigrations", "create", "", true},
		{"fleet-default", "awsmigrate.io", "clustermigrations/status", "update", "prod", true},
		{"fleet-default", "awsmigrate.io", "clustermigrations", "update", "prod", false},
		{"fleet-default", "awsmigrate.io", "clustermigrations", "delete", "prod", false},
		{"fleet-default", "awsmigrate.io", "migrationrollouts", "watch", "", true},
		{"fleet-default", "awsmigrate.io", "migrationrollouts/status", "update", "eu", true},
		{"fleet-default", "awsmigrate.io", "migrationrollouts", "patch", "eu", false},
		{"fleet-default", "awsmigrate.io", "migrationrollouts", "create", "", false},
		{"default", "awsmigrate.io", "clustermigrations", "list", "", false},
		{"", "awsmigrate.io", "clustermigrations", "list", "", false},
		{"fleet-default", "provisioning.cattle.io", "clusters", "watch", "", true},
		{"fleet-default", "provisioning.cattle.io", "clusters", "update", "prod", false},
		{"", "provisioning.cattle.io", "clusters", "list", "", false},
		{"fleet-default", "rke.cattle.io", "rkecontrolplanes", "get", "prod", true},
		{"fleet-default", "cluster.x-k8s.io", "machines", "list", "", true},
		{"fleet-default", "cluster.x-k8s.io", "clusters", "get", "prod", true},
		{"fleet-default", "cluster.x-k8s.io", "machines", "delete", "m", false},
		{"fleet-default", "plan.cattle.io", "beacons", "get", "prod", true},
		{"fleet-default", "", "secrets", "get", "prod-kubeconfig", true},
		{"fleet-default", "", "secrets", "list", "", false},
		{"fleet-default", "", "secrets", "watch", "", false},
		{"fleet-default", "", "secrets", "create", "", false},
		{"fleet-default", "", "secrets", "patch", "prod-kubeconfig", false},
		{"cattle-system", "", "secrets", "get", "tls-rancher", false},
		{home, "", "secrets", "get", "prod-kubeconfig", false},
		{"fleet-default", "", "configmaps", "get", "awsmigrate-prod", true},
		{"fleet-default", "", "configmaps", "list", "", true},
		{"fleet-default", "", "configmaps", "delete", "awsmigrate-prod", false},
		{"fleet-default", "", "events", "create", "", false},
		{"fleet-default", "coordination.k8s.io", "leases", "create", "", true},
		{"fleet-default", "coordination.k8s.io", "leases", "update", election, true},
		{"kube-system", "coordination.k8s.io", "leases", "get", "kube-controller-manager", false},
		{"", "apiextensions.k8s.io", "customresourcedefinitions", "get", "clustermigrations.awsmigrate.io", true},
		{"", "apiextensions.k8s.io", "customresourcedefinitions", "get", "clusters.provisioning.cattle.io", false},
		{"", "apiextensions.k8s.io", "customresourcedefinitions", "patch", "clustermigrations.awsmigrate.io", false},
		{"", "management.cattle.io", "settings", "get", "server-version", true},
		{"", "management.cattle.io", "settings", "get", "auth-token", false},
		{"", "management.cattle.io", "settings", "patch", "server-version", false},
		{"", "management.cattle.io", "clusters", "list", "", false},
		{"cattle-system", "apps", "deployments", "patch", "rancher", false},
		{"cattle-system", "apps", "deployments", "list", "", false},
		{"fleet-default", "", "pods", "create", "", false},
		{"fleet-default", "", "pods/exec", "create", "p", false},
		{"fleet-default", "", "serviceaccounts/token", "create", "default", false},
		{home, "", "serviceaccounts/token", "create", controller, false},
		{"fleet-default", "rbac.authorization.k8s.io", "rolebindings", "create", "", false},
		{"", "rbac.authorization.k8s.io", "clusterroles", "bind", "cluster-admin", false},
		{"", "", "users", "impersonate", "admin", false},
		{"", "", "nodes", "list", "", false},
	}
}

// writes returns the writes that mode migrate may make, and mode audit must not.
func writes(allowed bool) []request {
	return []request{
		{"fleet-default", "awsmigrate.io", "clustermigrations", "get", "prod", allowed},
		{"fleet-default", "awsmigrate.io", "clustermigrations", "patch", "prod", allowed},
		{"fleet-default", "awsmigrate.io", "migrationrollouts", "get", "eu", allowed},
		{"fleet-default", "events.k8s.io", "events", "patch", "e", allowed},
		{"cattle-system", "apps", "deployments", "get", "rancher", allowed},
		{"fleet-default", "provisioning.cattle.io", "clusters", "patch", "prod", allowed},
		{"fleet-default", "rke.cattle.io", "rkecontrolplanes", "patch", "prod", allowed},
		{"fleet-default", "", "configmaps", "create", "", allowed},
		{"fleet-default", "", "configmaps", "patch", "awsmigrate-prod", allowed},
		{"fleet-default", "", "configmaps", "patch", "awsmigrate.plans.prod", allowed},
		{"fleet-default", "", "configmaps", "patch", "awsmigrate.record.prod", allowed},
		{"fleet-default", "coordination.k8s.io", "leases", "get", "awsmigrate-prod", allowed},
		{"fleet-default", "coordination.k8s.io", "leases", "update", "awsmigrate-prod", allowed},
	}
}

// others returns requests for objects outside of the named clusters.
func others(allowed bool) []request {
	return []request{
		{"fleet-default", "", "secrets", "get", "other-kubeconfig", allowed},
		{"fleet-default", "", "secrets", "get", "any", allowed},
		{"fleet-default", "", "configmaps", "get", "awsmigrate-other", allowed},
		{"fleet-default", "awsmigrate.io", "clustermigrations/status", "update", "other", allowed},
		{"fleet-default", "provisioning.cattle.io", "clusters", "get", "other", allowed},
		{"fleet-default", "rke.cattle.io", "rkecontrolplanes", "get", "other", allowed},
	}
}

// othersWrites returns writes to a cluster that is not named.
func othersWrites(allowed bool) []request {
	return []request{
		{"fleet-default", "awsmigrate.io", "clustermigrations", "get", "other", allowed},
		{"fleet-default", "awsmigrate.io", "clustermigrations", "patch", "other", allowed},
		{"fleet-default", "provisioning.cattle.io", "clusters", "patch", "other", allowed},
		{"fleet-default", "rke.cattle.io", "rkecontrolplanes", "patch", "other", allowed},
		{"fleet-default", "", "configmaps", "patch", "awsmigrate-other", allowed},
		{"fleet-default", "coordination.k8s.io", "leases", "update", "awsmigrate-other", allowed},
		{"fleet-default", "coordination.k8s.io", "leases", "update", "kube-controller-manager", allowed},
	}
}

func rke1(reads, writes bool) []request {
	return []request{
		{"", "management.cattle.io", "clusters", "get", "c-7kq2x", reads},
		{"", "management.cattle.io", "clusters", "patch", "c-7kq2x", writes},
		{"", "management.cattle.io", "clusters", "patch", "c-00000", false},
		{"", "management.cattle.io", "clusters", "get", "local", false},
		{"c-7kq2x", "management.cattle.io", "nodes", "list", "", reads},
		{"c-7kq2x", "", "configmaps", "get", "awsmigrate-c-7kq2x", reads},
		{"c-7kq2x", "", "configmaps", "patch", "awsmigrate-c-7kq2x", writes},
		{"c-7kq2x", "", "configmaps", "patch", "other", false},
		{"c-7kq2x", "", "configmaps", "list", "", false},
		{"c-7kq2x", "coordination.k8s.io", "leases", "update", "awsmigrate-c-7kq2x", writes},
		{"c-7kq2x", "", "secrets", "create", "", writes},
		{"c-7kq2x", "", "secrets", "get", "kept", writes},
		{"c-7kq2x", "", "secrets", "list", "", false},
		{"fleet-default", "provisioning.cattle.io", "clusters", "get", "c-7kq2x", true},
		{"fleet-default", "", "secrets", "get", "c-7kq2x-kubeconfig", true},
		{"fleet-default", "awsmigrate.io", "clustermigrations/status", "update", "c-7kq2x", true},
	}
}

// A real API server accepts every object of an installation, twice, and Kubernetes' strictest
// level of pod security accepts its pods. Then the test asks what the controller may do.
func TestObjects_realServer_accepted(t *testing.T) {
	installationsOn(t, apiserver.New(t, apiserver.Options{}))
}

func installationsOn(t *testing.T, server *apiserver.Server) {
	t.Helper()
	kube := kubernetes.NewForConfigOrDie(server.Config())
	client := dynamic.NewForConfigOrDie(server.Config())
	namespaces(t, kube)
	for name, values := range installations() {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				apply(t, client, ownKinds(objects(t, values)))
			}
			for namespace, pod := range pods(t, values) {
				created := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-", Labels: pod.Labels}, Spec: pod.Spec}
				created.Spec.ServiceAccountName = "" // it is there by then, and here is not
				if _, err := kube.CoreV1().Pods(namespace).Create(t.Context(), created, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
					t.Error(err)
				}
			}
			for _, r := range requests()[name] {
				if got := isAllowed(t, kube, r); got != r.allowed {
					t.Errorf("%+v: allowed %t", r, got)
				}
			}
			remove(t, client, ownKinds(objects(t, values))) // another has some of the same names
		})
	}
}

// namespaces creates those that installations name, each at the strictest level of pod security.
func namespaces(t *testing.T, kube kubernetes.Interface) {
	t.Helper()
	for _, name := range []string{home, "cattle-system", "cattle-dashboards", "fleet-default", "team-a", "c-7kq2x", "c-b9b9b"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "v1.26"}}}
		if _, err := kube.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// pods returns those of an installation, in one namespace each.
func pods(t *testing.T, values string) iter.Seq2[string, corev1.PodTemplateSpec] {
	return func(yield func(string, corev1.PodTemplateSpec) bool) {
		for _, object := range objects(t, values) {
			var pod corev1.PodTemplateSpec
			switch object.GetKind() {
			case "Deployment":
				pod = strictly[appsv1.Deployment](t, object).Spec.Template
			case "Job":
				pod = strictly[batchv1.Job](t, object).Spec.Template
			default:
				continue
			}
			if !yield(object.GetNamespace(), pod) {
				return
			}
		}
	}
}

// requests returns the requests for each installation, by its name.
func requests() map[string][]request {
	join := func(lists ...[]request) (all []request) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	return map[string][]request{
		"defaults": join(always(), writes(false), others(true), othersWrites(false)),
		"migrate":  join(always(), writes(true), others(true), othersWrites(true)),
		"bound": join(always(), writes(false), others(false), othersWrites(false), []request{
			{"team-a", "", "secrets", "get", "staging-kubeconfig", true},
			{"team-a", "coordination.k8s.io", "leases", "create", "", false},
			{"team-a", "coordination.k8s.io", "leases", "get", election, false},
		}),
		"bound-writes": join(always(), writes(true), others(false), othersWrites(false), rke1(true, true), []request{
			{"fleet-default", "", "secrets", "get", "cloud", true},
			{"fleet-default", "provisioning.cattle.io", "clusters", "patch", "c-7kq2x", false},
			{"c-b9b9b", "", "secrets", "get", "kept", false},
		}),
		"rke1": join(always(), writes(true), others(true), rke1(true, true)),
	}
}

func isAllowed(t *testing.T, kube kubernetes.Interface, r request) bool {
	t.Helper()
	resource, subresource, _ := strings.Cut(r.resource, "/")
	review, err := kube.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   "system:serviceaccount:" + home + ":" + controller,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + home, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: r.namespace, Group: r.group, Resource: resource, Subresource: subresource, Verb: r.verb, Name: r.name,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

var served = map[string]schema.GroupVersionResource{
	"Deployment":          {Group: "apps", Version: "v1", Resource: "deployments"},
	"Job":                 {Group: "batch", Version: "v1", Resource: "jobs"},
	"ConfigMap":           {Version: "v1", Resource: "configmaps"},
	"NetworkPolicy":       {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"Service":             {Version: "v1", Resource: "services"},
	"ServiceAccount":      {Version: "v1", Resource: "serviceaccounts"},
	"ClusterRole":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"Role":                {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"ClusterRoleBinding":  {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	"RoleBinding":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

// ownKinds excludes the kinds of the Prometheus operator, which the server lacks, and hooks,
// which are not applied twice.
func ownKinds(objects []unstructured.Unstructured) []unstructured.Unstructured {
	return slices.DeleteFunc(objects, func(object unstructured.Unstructured) bool {
		return object.GroupVersionKind().Group == "monitoring.coreos.com" || object.GetAnnotations()["helm.sh/hook"] != ""
	})
}

func resourceOf(client dynamic.Interface, object unstructured.Unstructured) dynamic.ResourceInterface {
	resource := client.Resource(served[object.GetKind()])
	if object.GetNamespace() == "" {
		return resource
	}
	return resource.Namespace(object.GetNamespace())
}

// apply runs `kubectl apply --server-side --validate=strict`; with metav1.DryRunAll it stores
// nothing.
func apply(t *testing.T, client dynamic.Interface, objects []unstructured.Unstructured, dryRun ...string) {
	t.Helper()
	yes := true
	for _, object := range objects {
		raw, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		options := metav1.PatchOptions{FieldManager: "test", Force: &yes, FieldValidation: metav1.FieldValidationStrict, DryRun: dryRun}
		if _, err := resourceOf(client, object).Patch(t.Context(), object.GetName(), "application/apply-patch+yaml", raw, options); err != nil {
			t.Fatalf("%s %s/%s: %v", object.GetKind(), object.GetNamespace(), object.GetName(), err)
		}
	}
}

func remove(t *testing.T, client dynamic.Interface, objects []unstructured.Unstructured) {
	t.Helper()
	for _, object := range objects {
		if err := resourceOf(client, object).Delete(t.Context(), object.GetName(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
