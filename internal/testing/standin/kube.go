package standin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// Nodes serves Count Nodes like an API server.
type Nodes struct {
	Count int
	// Before sees every request for a page first, and reports whether it answered.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// Change may alter the i-th Node before it is sent.
	Change func(i int, n *corev1.Node)

	mu    sync.Mutex
	pages int
}

// Pages returns the number of pages that were served.
func (s *Nodes) Pages() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages
}

const protobuf = "application/vnd.kubernetes.protobuf"

// ServeHTTP implements http.Handler.
func (s *Nodes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/version":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"major":"1","minor":"26","gitVersion":"v1.26.13+rke2r1"}`)
	case "/api/v1/nodes":
		if s.Before == nil || !s.Before(w, r) {
			s.list(w, r)
		}
	default:
		http.NotFound(w, r)
	}
}

func (s *Nodes) list(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	if limit <= 0 {
		limit = s.Count
	}
	to := min(from+limit, s.Count)
	list := &corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1000"}}
	if to < s.Count {
		list.Continue = strconv.Itoa(to)
	}
	for i := from; i < to; i++ {
		n := Node(i)
		if s.Change != nil {
			s.Change(i, n)
		}
		list.Items = append(list.Items, *n)
	}
	kind := "application/json"
	if strings.HasPrefix(r.Header.Get("Accept"), protobuf) {
		kind = protobuf
	}
	info, ok := runtime.SerializerInfoForMediaType(serializer.NewCodecFactory(scheme.Scheme).SupportedMediaTypes(), kind)
	if !ok {
		http.Error(w, "no serializer for "+kind, http.StatusNotAcceptable)
		return
	}
	s.mu.Lock()
	s.pages++
	s.mu.Unlock()
	w.Header().Set("Content-Type", kind)
	_ = info.Serializer.Encode(list, w) // the client is gone
}

// Refuse answers with an error Status, like an API server.
func Refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":%q,"code":%d}`, reason, message, code)
}
