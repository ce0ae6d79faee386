package runner

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// WriteRefused is a request that a read-only command must not make.
type WriteRefused struct {
	Verb string // HTTP method
	Path string
}

// Error implements error.
func (e *WriteRefused) Error() string {
	return fmt.Sprintf("%s %s refused: this command only reads", e.Verb, e.Path)
}

// ReadOnly lets through what cannot change a cluster: GET, HEAD and OPTIONS
// that run nothing, reviews of one's own or somebody's access, and requests to
// the Kubernetes API with dryRun=All. Everything else fails with *WriteRefused
// and is not sent.
func ReadOnly(next http.RoundTripper) http.RoundTripper { return fence{next} }

type fence struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f fence) RoundTrip(req *http.Request) (*http.Response, error) {
	if readsOnly(req) {
		return f.next.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close() // a RoundTripper must, also on error
	}
	return nil, &WriteRefused{Verb: req.Method, Path: req.URL.Path}
}

// WrappedRoundTripper lets client-go find the transport beneath.
func (f fence) WrappedRoundTripper() http.RoundTripper { return f.next }

var (
	// apiPath splits a request into what a proxy puts in front (Rancher:
	// /k8s/clusters/<id>) and the API's own path.
	apiPath = regexp.MustCompile(`^(/.*?)??/(api/v1|apis/[^/]+/[^/]+)/(.+)$`)
	review  = regexp.MustCompile(`^apis/(authorization\.k8s\.io/v[^/]+/(self)?subjectaccessreviews|authentication\.k8s\.io/v[^/]+/selfsubjectreviews)$`)
)

// connects are subresources that run something whatever the verb, and that
// know no dry run.
var connects = regexp.MustCompile(`(^|/)pods/[^/]+/(exec|attach|portforward)$`)

func readsOnly(req *http.Request) bool {
	m := apiPath.FindStringSubmatch(req.URL.Path)
	if m != nil && connects.MatchString(m[3]) {
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
	// Behind a proxy subresource sits a server that may not know dryRun.
	if strings.Contains("/"+m[3]+"/", "/proxy/") {
		return false
	}
	dry := req.URL.Query()["dryRun"]
	return len(dry) == 1 && dry[0] == "All"
}
