package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// probeSize is the number of instances that are read to find the cluster's tag.
const probeSize = 20

// region reads EC2 in one region: first by the cluster's tag with a thousand instances in a page,
// then by ID those without the tag.
type region struct {
	name     string // or "" for the configured region
	describe describeInstances
	words    *words

	mu    sync.Mutex
	found map[string]cloud.Instance
	err   error // why not all instances could be read

	tagged  string // the cluster that was read by tag, or ""
	tagErr  error  // why not all of its instances could be read
	started chan struct{}
}

func newRegion(name string, w *words) *region {
	return &region{name: name, words: w, found: map[string]cloud.Instance{}, started: make(chan struct{})}
}

// start finds the cluster's tag with a few instances, then reads all instances with the tag. It
// runs concurrently with the listing of Nodes and needs no complete list.
func (r *region) start(ctx context.Context, ids []string) {
	defer close(r.started)
	if r.err = r.byID(ctx, ids[:min(len(ids), probeSize)]); r.err != nil {
		return
	}
	var all []cloud.Tags
	for _, i := range r.found {
		all = append(all, i.Tags)
	}
	if id := cloud.MostTagged(all); id != "" {
		r.byTag(ctx, id)
	}
}

// finish reads the instances that start did not find. It asks twice for a missing instance, because
// EC2's answers can be incomplete.
func (r *region) finish(ctx context.Context, ids []string) {
	for range 2 {
		missing := r.missing(ids)
		if r.err != nil || len(missing) == 0 {
			return
		}
		r.err = r.byID(ctx, missing)
	}
}

func (r *region) missing(ids []string) []string {
	var out []string
	for _, id := range ids {
		if _, ok := r.found[id]; !ok {
			out = append(out, id)
		}
	}
	return out
}

func (r *region) byID(ctx context.Context, ids []string) error {
	return inBatches(ctx, ids, func(ctx context.Context, ids []string) error {
		return r.ask(ctx, fmt.Sprintf("%d instances of %s", len(ids), r.name), filter("instance-id", ids...))
	})
}

// byTag reads all instances of the cluster in any state, by either tag: the AWS provider accepts
// both. If it fails, instances without a Node stay unknown; those of Nodes are read by ID.
func (r *region) byTag(ctx context.Context, cluster string) {
	r.tagged = cluster
	r.tagErr = r.ask(ctx, "the instances of cluster "+cluster+" in "+r.name, filter("tag-key", cloud.TagCluster+cluster))
	if r.tagErr == nil {
		r.tagErr = r.ask(ctx, "the instances of cluster "+cluster+" in "+r.name, filter("tag:"+cloud.TagLegacy, cluster))
	}
}

func (r *region) ask(ctx context.Context, what string, filters []types.Filter) error {
	pages := ec2.NewDescribeInstancesPaginator(r.describe, &ec2.DescribeInstancesInput{Filters: filters, MaxResults: awssdk.Int32(pageSize)})
	return paging.Each(ctx, what, pages, func(out *ec2.DescribeInstancesOutput) (*string, error) {
		part := map[string]cloud.Instance{}
		for _, reservation := range out.Reservations {
			for _, i := range reservation.Instances {
				found := r.words.instance(i)
				if found.ID == "" {
					return nil, paging.ErrNameless
				}
				found.Region = r.name
				part[found.ID] = found
			}
		}
		r.mu.Lock()
		maps.Copy(r.found, part)
		r.mu.Unlock()
		return out.NextToken, nil
	})
}

// unclaimed returns the cluster's instances that are not in ids, sorted by ID.
func (r *region) unclaimed(cluster string, ids map[string]bool) []cloud.Instance {
	var out []cloud.Instance
	for _, id := range slices.Sorted(maps.Keys(r.found)) {
		if i := r.found[id]; !ids[id] && i.Tags.Has(cluster) {
			out = append(out, i)
		}
	}
	return out
}
