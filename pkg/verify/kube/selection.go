package kube

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// whole reads in full the few objects of a resource that cannot be judged by their
// metadata. A large cluster has 150,000 pods, and of nearly all of them the metadata
// says who made them.
type whole[T any] struct {
	what     string
	resource schema.GroupVersionResource
	open     func(metav1.Object) bool // cannot be judged by its metadata
	get      func(ctx context.Context, namespace, name string) ([]T, error)
	list     func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]T]
}

// sighted is one page of metadata.
type sighted struct {
	all  map[string]int // objects by namespace
	open []candidate
}

type candidate struct{ namespace, name, selector string }

func (w whole[T]) read(ctx context.Context, r Reader) verify.Read[[]T] {
	what := "metadata of " + w.what
	pages := collect(ctx, r, what, metav1.ListOptions{}, r.Metadata.Resource(w.resource).List, func(l *metav1.PartialObjectMetadataList) []sighted {
		page := sighted{all: map[string]int{}}
		for i := range l.Items {
			m := &l.Items[i]
			page.all[m.Namespace]++
			if w.open(m) {
				page.open = append(page.open, candidate{m.Namespace, m.Name, labels.SelectorFromSet(m.Labels).String()})
			}
		}
		return []sighted{page}
	})
	if !pages.OK() {
		return verify.Failed[[]T](pages.Err)
	}
	all, open := map[string]int{}, []candidate(nil)
	for _, p := range pages.Value {
		for ns, n := range p.all {
			all[ns] += n
		}
		open = append(open, p.open...)
	}
	return w.ask(ctx, r, requests(open, all))
}

// request is a GET if it has a name, else a LIST.
type request struct{ namespace, name, selector string }

// alike is from how many objects with equal labels on one LIST takes the place of
// their GETs: the static pods that every node has.
const alike = 20

// requests are few: objects with equal labels are listed by them, and where too many
// others are open in a namespace, the namespace is listed. So it is never asked for
// more than two whole lists, and a page of 500 counts like 20 GETs.
func requests(open []candidate, all map[string]int) []request {
	same := map[candidate]int{}
	group := func(c candidate) candidate { return candidate{namespace: c.namespace, selector: c.selector} }
	for _, c := range open {
		same[group(c)]++
	}
	single := map[string][]candidate{}
	var out []request
	for _, c := range open {
		g := group(c)
		switch {
		case c.selector == "" || same[g] > 0 && same[g] < alike:
			single[c.namespace] = append(single[c.namespace], c)
		case same[g] >= alike:
			out = append(out, request{namespace: c.namespace, selector: c.selector})
			same[g] = 0 // it is in
		}
	}
	for namespace, cs := range single {
		if len(cs) > alike+all[namespace]/(DefaultPageSize/alike) {
			out = slices.DeleteFunc(out, func(q request) bool { return q.namespace == namespace })
			out = append(out, request{namespace: namespace})
			continue
		}
		for _, c := range cs {
			out = append(out, request{namespace: namespace, name: c.name})
		}
	}
	return out
}

// ask makes the requests. An object that is gone meanwhile has no say any more.
func (w whole[T]) ask(ctx context.Context, r Reader, asked []request) verify.Read[[]T] {
	var mu sync.Mutex
	var found []T
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, q := range asked {
		g.Go(func() error {
			one, err := w.one(ctx, r, q)
			mu.Lock()
			defer mu.Unlock()
			found = append(found, one...)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return verify.Failed[[]T](err)
	}
	return verify.Got(found)
}

func (w whole[T]) one(ctx context.Context, r Reader, q request) ([]T, error) {
	if q.name == "" {
		listed := w.list(ctx, q.namespace, metav1.ListOptions{LabelSelector: q.selector})
		return listed.Value, listed.Err
	}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	got, err := w.get(ctx, q.namespace, q.name)
	switch {
	case absent(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading one of the %s, %s/%s: %w", w.what, q.namespace, q.name, err)
	}
	return got, nil
}
