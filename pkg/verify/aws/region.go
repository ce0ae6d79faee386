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

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// probe is how many instances are asked for to learn the cluster's tag.
const probe = 20

// region asks EC2 in one region. First by the tag of the cluster, a thousand
// instances to a page; then by id for those that do not carry it.
type region struct {
	name     string // "": the configured one
	describe describeInstances
	words    *words

	mu    sync.Mutex
	found map[string]cloud.Instance
	err   error // why the instances could not all be asked for

	tagged  string // the cluster that was asked for by tag; "": none yet
	tagErr  error  // why not all of its instances were seen
	started chan struct{}
}

func newRegion(name string, w *words) *region {
	return &region{name: name, words: w, found: map[string]cloud.Instance{}, started: make(chan struct{})}
}

// start learns the cluster's tag from a few instances and then reads all that
// carry it. It needs no complete list of Nodes and runs beside its reading.
func (r *region) start(ctx context.Context, ids []string) {
	defer close(r.started)
	if r.err = r.byID(ctx, ids[:min(len(ids), probe)]); r.err != nil {
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

// finish asks for what start did not see. An instance that is missing is asked
// for a second time: that an answer was short is not that there is none.
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

// byTag reads every instance of the cluster, in whatever state: the AWS provider
// takes one with either tag for its own. Failing, it costs
// the look for instances without a Node; the Nodes' own are then asked for by id.
func (r *region) byTag(ctx context.Context, cluster string) {
	r.tagged = cluster
	r.tagErr = r.ask(ctx, "the instances of cluster "+cluster+" in "+r.name, filter("tag-key", cloud.TagCluster+cluster))
	if r.tagErr == nil {
		r.tagErr = r.ask(ctx, "the instances of cluster "+cluster+" in "+r.name, filter("tag:"+cloud.TagLegacy, cluster))
	}
}

func (r *region) ask(ctx context.Context, what string, filters []types.Filter) error {
	pages := ec2.NewDescribeInstancesPaginator(r.describe, &ec2.DescribeInstancesInput{Filters: filters, MaxResults: awssdk.Int32(pageSize)})
	return eachPage(ctx, what, pages, func(out *ec2.DescribeInstancesOutput) (*string, error) {
		part := map[string]cloud.Instance{}
		for _, reservation := range out.Reservations {
			for _, i := range reservation.Instances {
				found := r.words.instance(i)
				if found.ID == "" {
					return nil, errNameless
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

// unclaimed are the instances of the cluster that are in none of ids, by id.
func (r *region) unclaimed(cluster string, ids map[string]bool) []cloud.Instance {
	var out []cloud.Instance
	for _, id := range slices.Sorted(maps.Keys(r.found)) {
		if i := r.found[id]; !ids[id] && i.Tags.Has(cluster) {
			out = append(out, i)
		}
	}
	return out
}
