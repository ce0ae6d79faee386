package watch

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// pageSize is the number of objects per request.
const pageSize = 250

// streams returns all streams.
func (s *session) streams() []*stream {
	var all []*stream
	for _, name := range record.LeaseNames() {
		all = append(all, s.stream(s.leaseSource(name)))
	}
	core := s.kube.CoreV1()
	for _, one := range []source{
		typed(record.Pods, metav1.ListOptions{}, core.Pods(wellknown.System), func(l *corev1.PodList) []corev1.Pod { return l.Items }, podEntry),
		typed(record.Nodes, metav1.ListOptions{}, core.Nodes(), func(l *corev1.NodeList) []corev1.Node { return l.Items }, nodeEntry),
		typed(record.Services, metav1.ListOptions{}, core.Services(metav1.NamespaceAll), func(l *corev1.ServiceList) []corev1.Service { return l.Items }, serviceEntry),
	} {
		all = append(all, s.stream(one))
	}
	return all
}

func (s *session) stream(of source) *stream {
	return &stream{session: s, source: of, known: map[string]digest{}, last: map[string]record.Entry{}}
}

// leaseSource returns a lease by its name, so that a permission for that name suffices.
func (s *session) leaseSource(name string) source {
	of := typed(record.Leases, metav1.ListOptions{FieldSelector: "metadata.name=" + name}, s.kube.CoordinationV1().Leases(wellknown.System),
		func(l *coordinationv1.LeaseList) []coordinationv1.Lease { return l.Items }, leaseEntry)
	of.none = func() record.Entry { return record.Entry{Lease: &record.Lease{Name: name, Gone: true}} }
	return of
}

// client is a part of a typed client.
type client[L any] interface {
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// list is a typed list of the API.
type list interface {
	runtime.Object
	metav1.ListInterface
}

// typed returns the source of one kind of object.
func typed[L list, O any](stream record.Stream, opts metav1.ListOptions, from client[L], items func(L) []O, entry func(*O, bool) (record.Entry, bool)) source {
	return source{
		stream: stream,
		list: func(ctx context.Context, page string, each func(any)) (string, error) {
			opts := opts
			opts.Limit, opts.Continue = pageSize, page
			for {
				found, err := from.List(ctx, opts)
				if err != nil {
					return "", fmt.Errorf("list %s: %w", stream, err)
				}
				all := items(found)
				for i := range all {
					each(&all[i])
				}
				if opts.Continue = found.GetContinue(); opts.Continue == "" {
					return found.GetResourceVersion(), nil
				}
			}
		},
		watch: func(ctx context.Context, version string) (watch.Interface, error) {
			opts := opts
			seconds := int64(watchTimeout.Seconds())
			opts.ResourceVersion, opts.AllowWatchBookmarks, opts.TimeoutSeconds = version, true, &seconds
			return from.Watch(ctx, opts)
		},
		entry: func(object any, gone bool) (record.Entry, bool) {
			o, is := object.(*O)
			if !is {
				return record.Entry{}, false
			}
			return entry(o, gone)
		},
	}
}
