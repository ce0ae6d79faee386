package kube

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// WriteRefused is the error for a request that a read-only client must not send.
type WriteRefused struct {
	Verb string // HTTP method
	Path string
}

// Error implements error.
func (e *WriteRefused) Error() string {
	return fmt.Sprintf("%s %s refused: this command only reads", e.Verb, e.Path)
}

// ReadOnly passes requests that cannot change a cluster: GET, HEAD and OPTIONS that execute
// nothing, access reviews, and requests to the Kubernetes API with dryRun=All. Any other
// request fails with *WriteRefused and is not sent.
func ReadOnly(next http.RoundTripper) http.RoundTripper { return readOnly{next} }

type readOnly struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t readOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if onlyReads(req) {
		return t.next.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close() // required of a RoundTripper, even on error
	}
	return nil, &WriteRefused{Verb: req.Method, Path: req.URL.Path}
}

// WrappedRoundTripper returns the wrapped transport for client-go.
func (t readOnly) WrappedRoundTripper() http.RoundTripper { return t.next }

var (
	// apiPath splits a path into a proxy's prefix (Rancher: /k8s/clusters/<id>) and the API's own
	// path.
	apiPath = regexp.MustCompile(`^(/.*?)??/(api/v1|apis/[^/]+/[^/]+)/(.+)$`)
	review  = regexp.MustCompile(`^apis/(authorization\.k8s\.io/v[^/]+/(self)?subjectaccessreviews|authentication\.k8s\.io/v[^/]+/selfsubjectreviews)$`)
	// connects matches subresources that execute something with any verb and have no dry run:
	// the server behind a proxy may act on a GET.
	connects = regexp.MustCompile(`^(namespaces/[^/]+/)?(pods|services|nodes)/[^/]+/(exec|attach|portforward|proxy)(/|$)`)
)

func onlyReads(req *http.Request) bool {
	m := apiPath.FindStringSubmatch(req.URL.Path)
	if m != nil && m[2] == "api/v1" && connects.MatchString(m[3]) {
		return false
	}
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return req.Header.Get("Upgrade") == ""
	}
	if m == nil {
		return false
	}
	if req.Method == http.MethodPost && review.MatchString(m[2]+"/"+m[3]) {
		return true
	}
	// An aggregated API may have such subresources too.
	if strings.Contains("/"+m[3]+"/", "/proxy/") {
		return false
	}
	dry := req.URL.Query()["dryRun"]
	return len(dry) == 1 && dry[0] == "All"
}
