package elb

import (
	"context"
	"fmt"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// maxTagged is the limit of load balancers in one DescribeTags (Elastic Load Balancing API
// references, 2012-06-01 and 2015-12-01).
const maxTagged = 20

// readTags stores the tags of load balancers. ask returns those of a batch, by the key of each.
func readTags(ctx context.Context, all []cloud.Balancer, key func(cloud.Balancer) string, ask func([]string) (map[string]map[string]string, error)) {
	for batch := range slices.Chunk(all, maxTagged) {
		var keys []string
		for i := range batch {
			keys = append(keys, key(batch[i]))
		}
		tags, err := ask(keys)
		if err != nil {
			err = failed(ctx, "tags of load balancers", err)
		}
		for i := range batch {
			batch[i].Tags = tagsOf(batch[i], tags, key, err)
		}
	}
}

// tagsOf returns the tags of one load balancer. One that the answer leaves out was deleted
// meanwhile, or the answer is incomplete.
func tagsOf(b cloud.Balancer, tags map[string]map[string]string, key func(cloud.Balancer) string, err error) verify.Read[map[string]string] {
	own, has := tags[key(b)]
	if err == nil && !has {
		err = fmt.Errorf("AWS's answer leaves out the tags of %s", b)
	}
	return verify.ReadOf(own, err)
}

// byKey returns a list of tags as a map.
func byKey[T any](list []T, pair func(T) (key, value *string)) map[string]string {
	tags := map[string]string{}
	for _, t := range list {
		key, value := pair(t)
		tags[awssdk.ToString(key)] = awssdk.ToString(value)
	}
	return tags
}
