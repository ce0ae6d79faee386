package kube

import (
	"fmt"
	"net/http"
	"strings"
)

// ReadOnly refuses every request that could change something: all but GET and
// HEAD, creates of SubjectAccessReviews, and creates with dryRun=All.
func ReadOnly(next http.RoundTripper) http.RoundTripper { return readOnly{next} }

type readOnly struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t readOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if !Harmless(req) {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper must, also on errors
		}
		return nil, fmt.Errorf("refused: %s %s would write, and this client only reads", req.Method, req.URL.Path)
	}
	return t.next.RoundTrip(req)
}

// Harmless says whether a request leaves the cluster as it is.
func Harmless(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		return !acting[subresource(req.URL.Path)]
	case http.MethodPost:
		dry := req.URL.Query()["dryRun"]
		return strings.HasSuffix(req.URL.Path, "/subjectaccessreviews") || strings.HasSuffix(req.URL.Path, "/selfsubjectaccessreviews") ||
			len(dry) == 1 && dry[0] == "All"
	}
	return false
}

// acting are the subresources that do something when they are read.
var acting = map[string]bool{"exec": true, "attach": true, "portforward": true, "proxy": true}

// subresource is what follows an object's name in a path of the core API, also
// behind a proxy's prefix; "" when nothing does.
func subresource(path string) string {
	_, rest, ok := strings.Cut(path, "/api/v1/")
	if !ok {
		return ""
	}
	segments := strings.Split(strings.Trim(rest, "/"), "/")
	if segments[0] == "namespaces" && len(segments) > 2 {
		segments = segments[2:]
	}
	if len(segments) < 3 {
		return ""
	}
	return segments[2]
}
