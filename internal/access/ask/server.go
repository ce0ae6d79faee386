package ask

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"regexp"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// reach reads whether a server answers, the user, and its version.
func (q Question) reach(ctx context.Context, a *access.API, config *rest.Config, object string) {
	if a.Err != nil {
		return
	}
	began := q.Clock.Now()
	defer func() { a.Took = q.Clock.Since(began) }()
	a.Server = fault.Server(config.Host)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		a.Err = fault.AsUsage(err)
		return
	}
	text, err := client.Discovery().RESTClient().Get().AbsPath("/version").DoRaw(ctx)
	switch {
	case apierrors.IsUnauthorized(err):
		a.Err = fault.Unauthorized(object, err)
	case err != nil && !apierrors.IsForbidden(err): // users without this right may still have all others
		a.Err = unreachable(object, a.Server, err)
	case err == nil:
		var info version.Info
		_ = json.Unmarshal(text, &info) // the version is only for display
		a.Version = info.GitVersion
	}
	if a.Err == nil {
		a.User = findUser(ctx, client, config)
	}
}

// findUser returns the user of the credentials as the API reports it, else as the kubeconfig names it.
func findUser(ctx context.Context, client kubernetes.Interface, config *rest.Config) string {
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err == nil && review.Status.UserInfo.Username != "" {
		return review.Status.UserInfo.Username
	}
	if user := userFromRefusal(ctx, client); user != "" {
		return user
	}
	return userOfConfig(config)
}

// refusedUser matches the user in an API server's refusal
// (kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/errors.go@v0.22.0 and @v0.26.13,
// forbiddenMessage).
var refusedUser = regexp.MustCompile(`User "([^"]+)" cannot get path`)

// userFromRefusal requests a path that does not exist and that only an administrator may read, and
// returns the user in the refusal, or "". Before Kubernetes 1.28, SelfSubjectReviews can be missing.
func userFromRefusal(ctx context.Context, client kubernetes.Interface) string {
	_, err := client.Discovery().RESTClient().Get().AbsPath("/awsmigrate").DoRaw(ctx)
	if !apierrors.IsForbidden(err) {
		return ""
	}
	if match := refusedUser.FindStringSubmatch(err.Error()); match != nil {
		return match[1]
	}
	return ""
}

// userOfConfig returns the user that a kubeconfig names, or "".
func userOfConfig(config *rest.Config) string {
	if config.Impersonate.UserName != "" {
		return config.Impersonate.UserName
	}
	text := config.CertData
	if len(text) == 0 && config.CertFile != "" {
		text, _ = os.ReadFile(config.CertFile) // the client reads the same file
	}
	if block, _ := pem.Decode(text); block != nil {
		if certificate, err := x509.ParseCertificate(block.Bytes); err == nil {
			return certificate.Subject.CommonName
		}
	}
	return config.Username
}

// maxReviews limits the concurrent reviews.
const maxReviews = 8

// rights reviews each right separately. SelfSubjectRulesReview can return an incomplete list without
// names.
func (q Question) rights(ctx context.Context, a *access.API, config *rest.Config, object string, needed []access.Right) {
	a.Needed = needed
	if a.Err != nil {
		a.Unknown = needed
		return
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		a.Err, a.Unknown = fault.AsUsage(err), needed
		return
	}
	has, errs := make([]bool, len(needed)), make([]error, len(needed))
	var group sync.WaitGroup
	slots := make(chan struct{}, maxReviews)
	for i, right := range needed {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			has[i], errs[i] = isAllowed(ctx, client, right)
		})
	}
	group.Wait()
	for i, right := range needed {
		switch {
		case errs[i] != nil:
			a.Unknown = append(a.Unknown, right)
		case !has[i]:
			a.Missing = append(a.Missing, right)
		}
	}
	if len(a.Unknown) > 0 {
		a.Err = reviewFailed(object, a.Server, errors.Join(errs...))
	}
}

func isAllowed(ctx context.Context, client kubernetes.Interface, r access.Right) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
		Verb: r.Verb, Group: r.Group, Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	switch {
	case err != nil:
		return false, err
	case !answer.Status.Allowed && !answer.Status.Denied && answer.Status.EvaluationError != "":
		return false, errors.New(answer.Status.EvaluationError)
	}
	return answer.Status.Allowed, nil
}

// reviewFailed returns the error that explains why rights are not known.
func reviewFailed(object, server string, err error) error {
	if joined, is := err.(interface{ Unwrap() []error }); is { // all failed for the same reason
		err = joined.Unwrap()[0]
	}
	switch {
	case apierrors.IsUnauthorized(err):
		return fault.Unauthorized(object, err)
	case apierrors.IsForbidden(err):
		return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: object, Seen: "these credentials may not even ask what they may",
			Wanted: "those of a user, whom system:basic-user lets ask; through Rancher: of a member of the cluster", Fix: "name other credentials with --kubeconfig", Err: err}
	}
	return unreachable(object, server, err)
}

// adviseUnreachable returns what to do about a server that was not reached.
func adviseUnreachable(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &authority), errors.As(err, &host), errors.As(err, &invalid):
		return "download the kubeconfig again: its certificate-authority-data does not fit what answers there; is there a proxy between?"
	case errors.As(err, &dns):
		return "use a server name that resolves here, or check VPN, DNS, HTTPS_PROXY and NO_PROXY"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "open the way to it: VPN, firewall, HTTPS_PROXY and NO_PROXY; a slow way: --request-timeout"
	}
	return "check with the same kubeconfig that the API server runs: kubectl get --raw /version"
}
