package kube

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	wire "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

// scribed returns metadata with all fields that an API server writes.
func scribed(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: "team", UID: "u-" + "1", ResourceVersion: "17", Generation: 3,
		Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"note": strings.Repeat("long ", 60)},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "x", Controller: ptr.To(true)}},
		Finalizers:      []string{"one", "two"},
		ManagedFields: []metav1.ManagedFieldsEntry{
			{Manager: "kubelet", Operation: "Update", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"` + strings.Repeat("f", 500) + `":{}}}`)},
			{Manager: "kube-controller-manager", Operation: "Apply"},
		},
	}
}

func metadataOf(list metav1.ListMeta, of ...metav1.ObjectMeta) *metav1.PartialObjectMetadataList {
	out := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: metadataList}, ListMeta: list}
	for _, m := range of {
		out.Items = append(out.Items, metav1.PartialObjectMetadata{ObjectMeta: m})
	}
	return out
}

func encoded(t testing.TB, object runtime.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := wire.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decoded(t *testing.T, raw []byte, into runtime.Object) {
	t.Helper()
	if _, _, err := wire.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(raw, nil, into); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutManagedFields(t *testing.T) {
	kind := func(api, kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: api, Kind: kind} }
	list := metav1.ListMeta{ResourceVersion: "99", Continue: "next", RemainingItemCount: ptr.To[int64](7)}
	lease := coordinationv1.Lease{ObjectMeta: scribed("l"), Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me")}}
	for _, c := range []struct {
		name string
		have runtime.Object
		into runtime.Object
		lean bool
	}{
		{"metadata", metadataOf(list, scribed("a"), metav1.ObjectMeta{}, scribed("b")), &metav1.PartialObjectMetadataList{}, true},
		{"of nothing", metadataOf(list), &metav1.PartialObjectMetadataList{}, true},
		{"nodes", &corev1.NodeList{TypeMeta: kind("v1", "NodeList"), ListMeta: list, Items: []corev1.Node{{ObjectMeta: scribed("n")}}}, &corev1.NodeList{}, false},
		{"leases, whose fields say who renews", &coordinationv1.LeaseList{TypeMeta: kind("coordination.k8s.io/v1", "LeaseList"), Items: []coordinationv1.Lease{lease}}, &coordinationv1.LeaseList{}, false},
		{"a lease", &coordinationv1.Lease{TypeMeta: kind("coordination.k8s.io/v1", "Lease"), ObjectMeta: lease.ObjectMeta, Spec: lease.Spec}, &coordinationv1.Lease{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := encoded(t, c.have)
			got := withoutManagedFields(raw)
			if !c.lean && !bytes.Equal(got, raw) {
				t.Error("changed")
			}
			want := c.into.DeepCopyObject()
			decoded(t, raw, want)
			decoded(t, got, c.into)
			if c.lean {
				_ = meta.EachListItem(want, func(o runtime.Object) error { o.(metav1.Object).SetManagedFields(nil); return nil })
			}
			if !equality.Semantic.DeepEqual(want, c.into) {
				t.Errorf("got  %+v\nwant %+v", c.into, want)
			}
		})
	}
}

// Only the metadata client drops managedFields: the typed client reads the renewer of a lease from
// them.
func TestNew_metadataClient_dropsManagedFields(t *testing.T) {
	metadata := encoded(t, metadataOf(metav1.ListMeta{}, scribed("a")))
	lease := encoded(t, &coordinationv1.Lease{TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}, ObjectMeta: scribed("l")})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		if strings.Contains(r.URL.Path, "/leases/") {
			_, _ = w.Write(lease) // the client is gone
			return
		}
		_, _ = w.Write(metadata)
	}))
	defer server.Close()
	r, err := New(&rest.Config{Host: server.URL}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Metadata.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Labels["app"] != "x" || len(list.Items[0].ManagedFields) != 0 {
		t.Errorf("%v, %+v", err, list)
	}
	got, err := r.Kube.CoordinationV1().Leases("kube-system").Get(t.Context(), "l", metav1.GetOptions{})
	if err != nil || len(got.ManagedFields) != 2 {
		t.Errorf("%v, %+v", err, got)
	}
}

// Other responses reach the decoder, whose error describes them.
func TestDropManagedFields_otherResponses_unchanged(t *testing.T) {
	list := encoded(t, metadataOf(metav1.ListMeta{}, scribed("a")))
	const protobuf = "application/vnd.kubernetes.protobuf"
	for _, c := range []struct {
		name, contentType string
		status            int
		body              []byte
	}{
		{"another type", "application/json", 200, list},
		{"a refusal", protobuf, 403, list},
		{"a watch", protobuf + ";stream=watch", 200, list},
		{"no magic", protobuf, 200, list[1:]},
		{"cut short", protobuf, 200, list[:len(list)-20]},
		{"nothing", protobuf, 200, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {c.contentType}}, Body: io.NopCloser(bytes.NewReader(c.body))}
			resp, err := dropManagedFields(answers{answer}).RoundTrip(&http.Request{Method: http.MethodGet})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, c.body) {
				t.Errorf("%d bytes of %d, %v", len(got), len(c.body), err)
			}
		})
	}
}

type answers struct{ *http.Response }

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(*http.Request) (*http.Response, error) { return a.Response, nil }

// For every valid response the decoder returns the same result as without the transport. For
// other bytes, the transport only must not panic.
func FuzzWithoutManagedFields(f *testing.F) {
	f.Add(encoded(f, metadataOf(metav1.ListMeta{}, scribed("n"), metav1.ObjectMeta{})))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		lean := withoutManagedFields(raw)
		message, _ := bytes.CutPrefix(raw, []byte(magic))
		var want, got metav1.PartialObjectMetadataList
		list := findField(message, unknownRaw)
		if readKind(message) != metadataList || want.Unmarshal(list) != nil {
			return
		}
		if again, err := want.Marshal(); err != nil || !bytes.Equal(again, list) {
			return
		}
		if err := got.Unmarshal(findField(lean[len(magic):], unknownRaw)); err != nil {
			t.Fatalf("decoded before, and now: %v", err)
		}
		for i := range want.Items {
			want.Items[i].ManagedFields = nil
		}
		if !equality.Semantic.DeepEqual(want, got) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
