package aws

import "strings"

func createTags(c *Cloud, q *call) (any, error) {
	ids := q.list("ResourceId")
	if err := c.taggable(ids); err != nil {
		return nil, err
	}
	add := tagParams(q.items("Tag"))
	if len(add) == 0 {
		return nil, missingParameter("Tag")
	}
	for _, id := range ids {
		c.tags.add(id, add)
	}
	return &done{Return: true}, nil
}

// deleteTags removes a tag by key, or only if it has the given value.
func deleteTags(c *Cloud, q *call) (any, error) {
	ids := q.list("ResourceId")
	if err := c.taggable(ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		for _, item := range q.items("Tag") {
			key := item.str("Key")
			if !item.has("Value") || c.tags[id][key] == item.str("Value") {
				delete(c.tags[id], key)
			}
		}
	}
	return &done{Return: true}, nil
}

func (c *Cloud) taggable(ids []string) error {
	if len(ids) == 0 {
		return missingParameter("ResourceId")
	}
	for _, id := range ids {
		if !c.exists(id) {
			return absentResource(id)
		}
	}
	return nil
}

func absentResource(id string) error {
	switch prefix, _, _ := strings.Cut(id, "-"); prefix {
	case "i":
		return instanceID(id)
	case "sg":
		return noGroup(id)
	case "subnet":
		return noSubnet(id)
	case "rtb":
		return noRouteTable(id)
	default:
		return fail("InvalidID", "The ID '%s' is not valid", id)
	}
}
