package kube

import (
	"net/http"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

func TestHarmless(t *testing.T) {
	for _, tc := range []struct {
		method, url string
		want        bool
	}{
		{"GET", "/api/v1/nodes?limit=500", true},
		{"HEAD", "/version", true},
		{"GET", "/api/v1/namespaces/a/pods/b/exec?command=sh", false},
		{"GET", "/api/v1/namespaces/a/services/b/proxy/x", false},
		{"GET", "/k8s/clusters/c-1/api/v1/nodes", true},
		{"GET", "/k8s/clusters/c-1/api/v1/namespaces/a/pods/b/attach", false},
		{"GET", "/api/v1/nodes/a/proxy/logs", false},
		{"GET", "/api/v1/namespaces/proxy/pods", true},
		{"GET", "/api/v1/namespaces/a/pods/exec", true},
		{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", true},
		{"POST", "/k8s/clusters/c-1/apis/authorization.k8s.io/v1/subjectaccessreviews", true},
		{"POST", "/api/v1/namespaces/a/pods", false},
		{"POST", "/api/v1/namespaces/a/pods?dryRun=All", true},
		{"POST", "/api/v1/namespaces/a/pods?dryRun=None", false},
		{"POST", "/api/v1/namespaces/a/pods?dryRun=All&dryRun=None", false},
		{"PUT", "/api/v1/nodes/a?dryRun=All", false},
		{"PATCH", "/api/v1/nodes/a", false},
		{"DELETE", "/api/v1/nodes/a", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, "https://host"+tc.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := Harmless(req); got != tc.want {
			t.Errorf("%s %s: %v, want %v", tc.method, tc.url, got, tc.want)
		}
	}
}

func TestReadOnlyRefuses(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "https://host/api/v1/nodes/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	passed := false
	rt := ReadOnly(roundTrip(func(*http.Request) (*http.Response, error) { passed = true; return nil, nil }))
	if _, err := rt.RoundTrip(req); err == nil || passed { //nolint:bodyclose // no response
		t.Errorf("the delete went through: %v, %v", err, passed)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSettled(t *testing.T) {
	t0 := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	series := func(renewed bool, ago time.Duration) lease.Series {
		o := lease.Observation{Exists: true, Holder: "a_1", Renew: t0.Add(-ago)}
		s := lease.Series{First: o, Last: o}
		if renewed {
			s.Last.Renew = s.Last.Renew.Add(time.Second)
		}
		return s
	}
	empty := lease.Series{First: lease.Observation{Exists: true}, Last: lease.Observation{Exists: true}}
	cases := []struct {
		name   string
		leases lease.Leases
		looked time.Duration
		want   bool
	}{
		{"nothing there", lease.Leases{}, 0, true},
		{"not renewed yet", lease.Leases{KCM: series(false, 0)}, time.Second, false},
		{"renewed", lease.Leases{KCM: series(true, 0)}, time.Second, true},
		{"one missing still", lease.Leases{KCM: series(true, 0), Migration: series(false, 0)}, 3 * time.Second, false},
		{"one long dead, too early", lease.Leases{KCM: series(true, 0), Migration: series(false, time.Hour)}, time.Second, false},
		{"one long dead", lease.Leases{KCM: series(true, 0), Migration: series(false, time.Hour)}, 3 * time.Second, true},
		{"all dead are waited for", lease.Leases{KCM: series(false, time.Hour)}, 3 * time.Second, false},
		{"patience is over", lease.Leases{KCM: series(false, 0)}, 10 * time.Second, true},
		{"nobody holds it", lease.Leases{Migration: empty}, 0, true},
	}
	for _, tc := range cases {
		if got := settled(tc.leases, tc.looked, 10*time.Second); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
