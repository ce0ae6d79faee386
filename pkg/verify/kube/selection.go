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

// selection reads those objects of a resource in full that their metadata cannot judge. A large
// cluster has 150,000 pods, and for nearly all of them the metadata names the owner.
type selection[T any] struct {
	name      string
	resource  schema.GroupVersionResource
	needsRead func(metav1.Object) bool // whether the metadata is not enough
	get       func(ctx context.Context, namespace, name string) ([]T, error)
	list      func(ctx context.Context, namespace string, opts metav1.ListOptions) verify.Read[[]T]
}

// metadataPage summarizes one page of metadata.
type metadataPage struct {
	all        map[string]int // objects by namespace
	candidates []candidate
}

type candidate struct{ namespace, name, selector string }

func (s selection[T]) read(ctx context.Context, r Reader) verify.Read[[]T] {
	what := "metadata of " + s.name
	pages := collect(ctx, r, what, metav1.ListOptions{}, r.Metadata.Resource(s.resource).List, func(l *metav1.PartialObjectMetadataList) []metadataPage {
		page := metadataPage{all: map[string]int{}}
		for i := range l.Items {
			m := &l.Items[i]
			page.all[m.Namespace]++
			if s.needsRead(m) {
				page.candidates = append(page.candidates, candidate{m.Namespace, m.Name, labels.SelectorFromSet(m.Labels).String()})
			}
		}
		return []metadataPage{page}
	})
	if !pages.OK() {
		return verify.Failed[[]T](pages.Err)
	}
	all, candidates := map[string]int{}, []candidate(nil)
	for _, p := range pages.Value {
		for ns, n := range p.all {
			all[ns] += n
		}
		candidates = append(candidates, p.candidates...)
	}
	return s.send(ctx, r, planRequests(candidates, all))
}

// request is a GET if it has a name, else a LIST.
type request struct{ namespace, name, selector string }

// minGroup is the minimum number of objects with equal labels for which one LIST replaces their
// GETs. Static pods, one on every node, form such groups.
const minGroup = 20

// planRequests returns few requests. Objects with equal labels are listed by their labels. A
// namespace with too many other candidates is listed as a whole. The cost is at most that of two
// full lists, if a page of 500 counts as 20 GETs.
func planRequests(candidates []candidate, all map[string]int) []request {
	same := map[candidate]int{}
	group := func(c candidate) candidate { return candidate{namespace: c.namespace, selector: c.selector} }
	for _, c := range candidates {
		same[group(c)]++
	}
	single := map[string][]candidate{}
	var out []request
	for _, c := range candidates {
		g := group(c)
		switch {
		case c.selector == "" || same[g] > 0 && same[g] < minGroup:
			single[c.namespace] = append(single[c.namespace], c)
		case same[g] >= minGroup:
			out = append(out, request{namespace: c.namespace, selector: c.selector})
			same[g] = 0 // already listed
		}
	}
	for namespace, cs := range single {
		if len(cs) > minGroup+all[namespace]/(DefaultPageSize/minGroup) {
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

// send makes the requests. Objects deleted in the meantime are left out.
func (s selection[T]) send(ctx context.Context, r Reader, requests []request) verify.Read[[]T] {
	var mu sync.Mutex
	var found []T
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, q := range requests {
		g.Go(func() error {
			one, err := s.sendOne(ctx, r, q)
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

func (s selection[T]) sendOne(ctx context.Context, r Reader, q request) ([]T, error) {
	if q.name == "" {
		listed := s.list(ctx, q.namespace, metav1.ListOptions{LabelSelector: q.selector})
		return listed.Value, listed.Err
	}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	got, err := s.get(ctx, q.namespace, q.name)
	switch {
	case isNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading one of the %s, %s/%s: %w", s.name, q.namespace, q.name, err)
	}
	return got, nil
}
