package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// readFrom reads the nodes of a stand-in for a faulty API server.
func readFrom(t *testing.T, s http.Handler, change ...func(*Reader)) verify.Read[[]downstream.Node] {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	r, err := New(&rest.Config{Host: server.URL}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	r.PageSize, r.Timeout = 10, 5*time.Second
	for _, c := range change {
		c(&r)
	}
	return r.nodes(t.Context())
}

// times answers the first n requests for later pages, and passes the others on.
func times(n int32, answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
	var left atomic.Int32
	left.Store(n)
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("continue") == "" || left.Add(-1) < 0 {
			return false
		}
		answer(w, r)
		return true
	}
}

func refusal(code int, reason metav1.StatusReason, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		standin.Refuse(w, code, reason, "on request")
	}
}

func TestListsThatBreakOff(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		w.Header().Set("Content-Length", "1000000")
		fmt.Fprint(w, "k8s\x00 and no more")
	}
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>log in</html>")
	}
	const forever = 1 << 20
	for _, tc := range []struct {
		name   string
		before func(http.ResponseWriter, *http.Request) bool
		says   string // or empty if the list is complete
	}{
		{"nothing", nil, ""},
		{"410 once", times(1, refusal(http.StatusGone, metav1.StatusReasonExpired)), ""},
		{"410 Gone once", times(1, refusal(http.StatusGone, metav1.StatusReasonGone)), ""},
		{"410 for ever", times(forever, refusal(http.StatusGone, metav1.StatusReasonExpired)), "on request"},
		{"429 with Retry-After", times(1, refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "Retry-After", "1")), ""},
		{"429 for ever", times(forever, refusal(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "Retry-After", "1")), "listing nodes"},
		{"forbidden", times(forever, refusal(http.StatusForbidden, metav1.StatusReasonForbidden)), "on request"},
		{"half a page", times(forever, cut), "listing nodes"},
		{"a proxy's log-in page", times(forever, page), "listing nodes"},
		{"no answer", times(forever, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "no answer within"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := readFrom(t, &standin.Nodes{Count: 35, Before: tc.before})
			if tc.says == "" {
				complete(t, got, 35)
				return
			}
			if got.OK() || !got.Looked || len(got.Value) != 0 || !strings.Contains(got.Err.Error(), tc.says) {
				t.Errorf("%d nodes, %v; want an error with %q and no node", len(got.Value), got.Err, tc.says)
			}
		})
	}
}

func complete(t *testing.T, got verify.Read[[]downstream.Node], want int) {
	t.Helper()
	names := map[string]bool{}
	for _, n := range got.Value {
		names[n.Name] = true
	}
	if !got.OK() || len(got.Value) != want || len(names) != want {
		t.Errorf("%d nodes with %d names, want %d: %v", len(got.Value), len(names), want, got.Err)
	}
}

// A server that repeats a continue token ends the list with an error.
func TestListPages_repeatedToken_error(t *testing.T) {
	pages := &standin.Nodes{Count: 35}
	circle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("continue") == "30" {
			q.Set("continue", "10")
			r.URL.RawQuery = q.Encode()
		}
		pages.ServeHTTP(w, r)
	})
	got := readFrom(t, circle)
	if got.OK() || !strings.Contains(got.Err.Error(), "continue token") {
		t.Errorf("%d nodes, %v", len(got.Value), got.Err)
	}
}

// A list contains Nodes that are deleted while it is read. A restarted list does not.
func TestListPages_deletedNodes_listConsistent(t *testing.T) {
	pages := &standin.Nodes{Count: 35}
	pages.Before = times(1, func(w http.ResponseWriter, _ *http.Request) {
		pages.Count = 25
		standin.Refuse(w, http.StatusGone, metav1.StatusReasonExpired, "too old")
	})
	var listed int
	got := readFrom(t, pages, func(r *Reader) { r.OnNodes = func(page []downstream.Node) { listed += len(page) } })
	complete(t, got, 25)
	if listed != 35 {
		t.Errorf("%d nodes were passed on, want ten before and 25 after", listed)
	}
}

// The reader keeps the fields that rules use and limits their size, whatever a Node contains.
func TestJunkInNodes(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	got := readFrom(t, &standin.Nodes{Count: 3, Change: func(i int, n *corev1.Node) {
		switch i {
		case 0:
			n.Name, n.Spec.ProviderID = "\x1b[2Jname\u202e", "aws:///us-east-1a/i-0123456７"
			n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "\x00\u200b"}}
		case 1:
			n.Annotations[downstream.AnnotationArgs] = `["` + big + `"]`
			n.Annotations["other"], n.Labels["big"], n.Spec.ProviderID = big, big, "aws:///us-east-1a/i-"+big
			n.Status.Conditions[4].Message, n.Status.Addresses[0].Address = big, big
			n.Spec.Taints = []corev1.Taint{{Key: "k", Value: big}}
		case 2:
			n.Labels, n.Annotations, n.Status, n.Spec = nil, nil, corev1.NodeStatus{}, corev1.NodeSpec{}
		}
	}})
	complete(t, got, 3)
	if _, _, ok := downstream.ParseProviderID(got.Value[0].ProviderID); ok {
		t.Error("a full-width digit was taken for a digit")
	}
	n := got.Value[1]
	for what, size := range map[string]int{
		"ProviderID": len(n.ProviderID), "label": len(n.Labels["big"]), "message": len(n.Ready.Message), "address": len(n.Addresses[0].Address), "taint": len(n.Taints[0].Value),
	} {
		if size > textLimit+40 || size < textLimit {
			t.Errorf("%s keeps %d bytes", what, size)
		}
	}
	if len(n.Annotations) != 2 {
		t.Errorf("annotations %d", len(n.Annotations))
	}
	if _, _, err := n.NodeArgs(); err == nil {
		t.Error("arguments that were cut are read as if they were whole")
	}
}

// Of the 20 KB of a Node little is kept, and no page outlives its conversion. The memory is
// measured when the next page is requested.
func TestNodesAreReadInBoundedMemory(t *testing.T) {
	const count, size, perNode, slack = 3000, 100, 4 << 10, 12 << 20
	var base, most uint64
	measure := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	pages := 0
	s := &standin.Nodes{Count: count, Before: func(http.ResponseWriter, *http.Request) bool {
		if now := measure(); pages == 0 {
			base = now
		} else {
			most = max(most, now)
		}
		pages++
		return false
	}}
	got := readFrom(t, s, func(r *Reader) { r.PageSize, r.Timeout = size, time.Minute })
	complete(t, got, count)
	if grown := int64(most) - int64(base); pages != count/size || grown > count*perNode+slack {
		t.Errorf("%d pages, %d KB more in use, want at most %d for %d nodes", pages, grown>>10, (count*perNode+slack)>>10, count)
	}
	runtime.KeepAlive(got)
}
