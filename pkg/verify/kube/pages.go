package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// maxRestarts limits how often a list is restarted because its continue token expired. A token
// expires after five minutes (etcd compaction).
const maxRestarts = 2

// collect calls listPages and adds the name of the objects to its error.
func collect[L metav1.ListInterface, T any](ctx context.Context, r Reader, what string, opts metav1.ListOptions,
	list func(context.Context, metav1.ListOptions) (L, error), convert func(L) []T,
) verify.Read[[]T] {
	all, err := listPages(ctx, r, opts, list, convert)
	if err != nil {
		return verify.Failed[[]T](fmt.Errorf("listing %s: %w", what, err))
	}
	return verify.Got(all)
}

// listPages reads a list page by page and keeps what convert returns for each page, so that a
// large list is never completely in memory.
func listPages[L metav1.ListInterface, T any](ctx context.Context, r Reader, opts metav1.ListOptions,
	list func(context.Context, metav1.ListOptions) (L, error), convert func(L) []T,
) ([]T, error) {
	switch {
	case r.PageSize > 0:
		opts.Limit = r.PageSize
	case opts.Limit == 0:
		opts.Limit = DefaultPageSize
	}
	var err error
	for range maxRestarts + 1 {
		var all []T
		if all, err = listOnce(ctx, r, opts, list, convert); err == nil {
			return all, nil
		}
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			break
		}
	}
	return nil, err
}

func listOnce[L metav1.ListInterface, T any](ctx context.Context, r Reader, opts metav1.ListOptions,
	list func(context.Context, metav1.ListOptions) (L, error), convert func(L) []T,
) ([]T, error) {
	var all []T
	tokens := map[string]bool{}
	for {
		page, err := listPage(ctx, r, opts, list)
		if err != nil {
			return nil, err
		}
		all = append(all, convert(page)...)
		if opts.Continue = page.GetContinue(); opts.Continue == "" {
			return all, nil
		}
		if tokens[opts.Continue] {
			return nil, errors.New("the server returned the same continue token twice; the rest of the list is unknown")
		}
		tokens[opts.Continue] = true
	}
}

func listPage[L metav1.ListInterface](ctx context.Context, r Reader, opts metav1.ListOptions, list func(context.Context, metav1.ListOptions) (L, error)) (L, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	page, err := list(ctx, opts)
	if err != nil && ctx.Err() != nil && r.Timeout != NoTimeout {
		err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	return page, err
}

func decode(raw []byte, into any) error { return json.Unmarshal(raw, into) }

// filter converts the items of a page and drops those for which keep returns false.
func filter[S, T any](items []S, keep func(*S) (T, bool)) []T {
	var out []T
	for i := range items {
		if t, ok := keep(&items[i]); ok {
			out = append(out, t)
		}
	}
	return out
}
