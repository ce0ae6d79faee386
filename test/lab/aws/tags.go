package aws

import (
	"fmt"
	"maps"
	"slices"
)

// tags maps a resource ID to its tags.
type tags map[string]map[string]string

func (t tags) add(id string, add map[string]string) {
	if t[id] == nil {
		t[id] = map[string]string{}
	}
	maps.Copy(t[id], add)
}

// tagItem is a tag in EC2's answers.
type tagItem struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

func (t tags) items(id string) []tagItem {
	out := make([]tagItem, 0, len(t[id]))
	for _, key := range slices.Sorted(maps.Keys(t[id])) {
		out = append(out, tagItem{Key: key, Value: t[id][key]})
	}
	return out
}

// Tag sets tags on an EC2 resource, as a person in the console would: it is neither authorised
// nor recorded.
func (c *Cloud) Tag(resource string, add map[string]string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.exists(resource) {
		return fmt.Errorf("tag %s: no such resource", resource)
	}
	c.tags.add(resource, add)
	return nil
}

// Untag removes tags by key, as a person in the console would.
func (c *Cloud) Untag(resource string, keys ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.exists(resource) {
		return fmt.Errorf("untag %s: no such resource", resource)
	}
	for _, key := range keys {
		delete(c.tags[resource], key)
	}
	return nil
}

// Tags returns a resource's tags.
func (c *Cloud) Tags(resource string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.tags[resource])
}

// exists reports whether an EC2 resource that can be tagged exists.
func (c *Cloud) exists(id string) bool {
	return c.instances.has(id) || c.groups.has(id) || c.subnets.has(id) || c.routeTables.has(id) || id == c.vpc.ID
}

// queryTag is a tag in the answers of the load balancing APIs.
type queryTag struct {
	Key   string
	Value string
}

func (t tags) query(id string) []queryTag {
	out := make([]queryTag, 0, len(t[id]))
	for _, tag := range t.items(id) {
		out = append(out, queryTag(tag))
	}
	return out
}

// tagParams reads tags in the form of any service.
func tagParams(items []*params) map[string]string {
	out := make(map[string]string, len(items))
	for _, item := range items {
		out[item.str("Key")] = item.str("Value")
	}
	return out
}

// tagSpecification reads the tags for one type from a creating call.
func tagSpecification(p *params, resourceType string) map[string]string {
	for _, spec := range p.items("TagSpecification") {
		if spec.str("ResourceType") == resourceType {
			return tagParams(spec.items("Tag"))
		}
	}
	return nil
}
