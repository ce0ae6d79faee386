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
	wire "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
)

// ManyPods serves the pods of Nodes nodes like an API server. Each node has a kube-proxy of its
// kubelet and Each pods of ReplicaSets. ManyPods answers only requests for the pods' metadata,
// and for full kube-proxies by their label.
type ManyPods struct {
	Nodes, Each int

	mu    sync.Mutex
	asked map[string]int
	bytes map[string]int
}

// Asked returns the numbers of requests and of answered bytes by kind: "metadata", "pods",
// "other".
func (s *ManyPods) Asked() (requests, bytes map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.bytes
}

// ServeHTTP implements http.Handler.
func (s *ManyPods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/api/v1/pods" && strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata"):
		list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
		s.serve(w, r, "metadata", s.Nodes*(1+s.Each), func(i int) {
			list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: s.meta(i)})
		}, list, &list.ListMeta)
	case r.URL.Path == "/api/v1/namespaces/kube-system/pods" && r.URL.Query().Get("labelSelector") == "component=kube-proxy,tier=control-plane":
		s.full(w, r)
	default:
		s.count("other", 0)
		Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "none")
	}
}

// meta returns the metadata of the i-th pod; the first pod of each node is a kube-proxy.
func (s *ManyPods) meta(i int) metav1.ObjectMeta {
	m := Pods(i, 1)[0].ObjectMeta
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: Name(i), UID: "0c3a6a0e-3b1c-4d53-9d0a-6f2f6d1c7b11", Controller: ptr.To(true)}}
	if i%(1+s.Each) > 0 {
		m.Namespace, m.Name = fmt.Sprintf("team-%d", i%40), fmt.Sprintf("app-%d-5d8f7c9b6c-x2x9z", i)
		m.Labels = map[string]string{"app.kubernetes.io/name": "app", "app.kubernetes.io/instance": "prod", "pod-template-hash": "5d8f7c9b6c"}
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "app-5d8f7c9b6c", UID: "0c3a6a0e-3b1c-4d53-9d0a-6f2f6d1c7b11", Controller: ptr.To(true)}}
	}
	m.UID, m.ResourceVersion = "7be2b6a6-7c6a-4f0d-8a07-52a2c1f7d2c0", "123456789"
	for _, manager := range []string{"kube-controller-manager", "kubelet"} { // 1 KB of fields each
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{Manager: manager, Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"` + strings.Repeat("f", 1000) + `":{}}}}`)})
	}
	return m
}

func (s *ManyPods) full(w http.ResponseWriter, r *http.Request) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	s.serve(w, r, "pods", s.Nodes, func(i int) {
		p := Pods(i, 1)[0]
		p.ObjectMeta = s.meta(i * (1 + s.Each))
		list.Items = append(list.Items, *p)
	}, list, &list.ListMeta)
}

func (s *ManyPods) serve(w http.ResponseWriter, r *http.Request, kind string, total int, add func(int), list runtime.Object, meta *metav1.ListMeta) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	to := min(from+limit, total)
	for i := from; i < to; i++ {
		add(i)
	}
	if to < total {
		meta.Continue = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", protobuf)
	counted := &countingWriter{w: w}
	_ = wire.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(list, counted) // the client is gone
	s.count(kind, counted.n)
}

func (s *ManyPods) count(kind string, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked, s.bytes = map[string]int{}, map[string]int{}
	}
	s.asked[kind]++
	s.bytes[kind] += bytes
}

type countingWriter struct {
	w http.ResponseWriter
	n int
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}
