package kube

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

type countingTransport struct{ n int }

func (s *countingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	s.n++
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestReadOnly(t *testing.T) {
	const nodes, rancher = "https://x/api/v1/nodes", "https://x/k8s/clusters/c-m-1"
	for _, c := range []struct {
		method, url string
		header      string
		pass        bool
	}{
		{"GET", nodes, "", true},
		{"HEAD", nodes, "", true},
		{"OPTIONS", nodes, "", true},
		{"GET", "https://x/version", "", true},
		{"GET", "https://x/api/v1/namespaces/a/configmaps/exec", "", true},
		{"POST", nodes, "", false},
		{"PUT", nodes + "/n", "", false},
		{"PATCH", nodes + "/n", "", false},
		{"DELETE", nodes + "/n", "", false},
		{"BREW", nodes, "", false},
		{"POST", "https://x/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", true},
		{"POST", "https://x/apis/authorization.k8s.io/v1/subjectaccessreviews", "", true},
		{"POST", rancher + "/apis/authorization.k8s.io/v1/subjectaccessreviews", "", true},
		{"POST", "https://x/apis/authentication.k8s.io/v1/selfsubjectreviews", "", true},
		{"POST", "https://x/apis/authentication.k8s.io/v1/tokenreviews", "", false},
		{"POST", "https://x/apis/authorization.k8s.io/v1/subjectaccessreviews/x", "", false},
		{"PUT", "https://x/apis/authorization.k8s.io/v1/subjectaccessreviews", "", false},
		{"POST", "https://x/api/v1/namespaces/a/services/s/proxy/apis/authorization.k8s.io/v1/subjectaccessreviews", "", false},
		{"PATCH", nodes + "/n?dryRun=All", "", true},
		{"POST", rancher + "/apis/apps/v1/namespaces/a/daemonsets?fieldManager=x&dryRun=All", "", true},
		{"PATCH", nodes + "/n?dryRun=", "", false},
		{"PATCH", nodes + "/n?dryRun=All&dryRun=None", "", false},
		{"POST", "https://x/v3/clusters?dryRun=All", "", false},
		{"POST", "https://x/api/v1/namespaces/a/pods/p/exec?dryRun=All", "", false},
		{"GET", "https://x/api/v1/namespaces/a/pods/p/exec?command=rm", "", false},
		{"GET", rancher + "/api/v1/namespaces/a/pods/p/portforward", "", false},
		{"GET", nodes, "websocket", false},
		{"POST", "https://x/api/v1/namespaces/a/services/s/proxy/delete?dryRun=All", "", false},
		{"GET", "https://x/api/v1/namespaces/a/services/s/proxy/delete", "", false},
		{"GET", "https://x/api/v1/namespaces/a/services/s/proxy", "", false},
		{"GET", rancher + "/api/v1/nodes/n/proxy/logs", "", false},
		{"GET", rancher + "/api/v1/namespaces/a/pods/p/attach", "", false},
		{"GET", "https://x/api/v1/namespaces/proxy/pods", "", true},
		{"GET", "https://x/api/v1/namespaces/a/pods/exec", "", true},
		{"GET", "https://x/api/v1/namespaces/pods/pods/proxy", "", true},
		{"POST", "https://x/api/v1/namespaces/a/pods?dryRun=All", "", true},
		{"POST", "https://x/api/v1/namespaces/a/pods?dryRun=None", "", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if c.header != "" {
			req.Header.Set("Upgrade", c.header)
		}
		next := &countingTransport{}
		res, err := ReadOnly(next).RoundTrip(req)
		if res != nil {
			res.Body.Close()
		}
		var refused *WriteRefused
		switch {
		case c.pass && (err != nil || next.n != 1):
			t.Errorf("%s %s: %v", c.method, c.url, err)
		case !c.pass && (!errors.As(err, &refused) || next.n != 0):
			t.Errorf("%s %s went through", c.method, c.url)
		case !c.pass && (refused.Verb != c.method || refused.Path != req.URL.Path):
			t.Errorf("%s %s: named as %v", c.method, c.url, refused)
		}
	}
}
