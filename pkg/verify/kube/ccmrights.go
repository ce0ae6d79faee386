package kube

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"golang.org/x/sync/errgroup"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ccmCalls returns the API calls of the CCM's four controllers and its leader election. Each has
// group, resource and verb, and for leases a name (k8s.io/cloud-provider@v0.26.13, controllers/ and
// node/helpers).
func ccmCalls(flagged bool) []authorizationv1.ResourceAttributes {
	var all []authorizationv1.ResourceAttributes
	add := func(resource string, verbs ...string) {
		kind, sub, _ := strings.Cut(resource, "/")
		for _, verb := range verbs {
			all = append(all, authorizationv1.ResourceAttributes{Verb: verb, Resource: kind, Subresource: sub})
		}
	}
	add("events", "create", "patch")
	add("nodes", "get", "list", "watch", "update", "patch", "delete")
	add("nodes/status", "patch")
	add("services", "list", "watch")
	add("services/status", "patch")
	election := func(verb, name string) {
		all = append(all, authorizationv1.ResourceAttributes{Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: wellknown.System, Name: name})
	}
	election("create", "") // a create request has no name when it is authorized
	names := []string{wellknown.CCMLease}
	if flagged {
		names = append(names, wellknown.MigrationLease)
	}
	for _, name := range names {
		election("get", name)
		election("update", name)
	}
	return all
}

// ccmRights returns the missing rights of the ServiceAccounts of the CCM's DaemonSets.
func (r Reader) ccmRights(ctx context.Context, sets verify.Read[[]downstream.DaemonSet]) verify.Read[[]downstream.AccountRights] {
	if !sets.OK() {
		return verify.Failed[[]downstream.AccountRights](sets.Err)
	}
	var all []downstream.AccountRights
	for _, d := range sets.Value {
		c, _ := downstream.RunsCCM(d.Containers)
		flagged, _ := c.Flags().Bool(component.EnableLeaderMigration, false) // AWSM-210 reports an unreadable flag
		missing, err := r.missingRights(ctx, d.Namespace, d.ServiceAccount, flagged)
		if err != nil {
			return verify.Failed[[]downstream.AccountRights](err)
		}
		all = append(all, downstream.AccountRights{Namespace: d.Namespace, Name: accountOrDefault(d.ServiceAccount), Missing: missing})
	}
	return verify.Got(all)
}

func accountOrDefault(account string) string {
	if account == "" {
		return "default"
	}
	return account
}

func (r Reader) missingRights(ctx context.Context, namespace, account string, flagged bool) ([]string, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	return MissingRights(ctx, r.Kube, namespace, account, flagged)
}

// MissingRights returns the calls of a CCM that a ServiceAccount may not make, such as
// "patch nodes/status". flagged means that leader migration is on. An empty account is the
// default one.
func MissingRights(ctx context.Context, client kubernetes.Interface, namespace, account string, flagged bool) ([]string, error) {
	calls, account := ccmCalls(flagged), accountOrDefault(account)
	denied := make([]bool, len(calls))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range calls {
		group.Go(func() error {
			got, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{
					User:               "system:serviceaccount:" + namespace + ":" + account,
					Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
					ResourceAttributes: &calls[i],
				}}, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("reviewing the access of ServiceAccount %s/%s: %w", namespace, account, err)
			}
			denied[i] = !got.Status.Allowed
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var names []string
	for i, call := range calls {
		if denied[i] {
			names = append(names, callText(call))
		}
	}
	return names, nil
}

func callText(call authorizationv1.ResourceAttributes) string {
	text := call.Verb + " " + call.Resource
	if call.Subresource != "" {
		text += "/" + call.Subresource
	}
	if call.Name != "" {
		text += " " + call.Name
	}
	return text
}
