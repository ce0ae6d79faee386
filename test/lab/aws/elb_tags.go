package aws

// classicNames returns the load balancers of a tag call; all must exist.
func (c *Cloud) classicNames(q *call) ([]string, error) {
	names := q.list("LoadBalancerNames")
	if len(names) == 0 {
		return nil, fail("ValidationError", "LoadBalancerNames is required")
	}
	for _, name := range names {
		if !c.classic.has(name) {
			return nil, noClassic(name)
		}
	}
	return names, nil
}

func addClassicTags(c *Cloud, q *call) (any, error) {
	names, err := c.classicNames(q)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		c.tags.add(classicKey(name), tagParams(q.items("Tags")))
	}
	return empty{}, nil
}

func removeClassicTags(c *Cloud, q *call) (any, error) {
	names, err := c.classicNames(q)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		for _, item := range q.items("Tags") {
			delete(c.tags[classicKey(name)], item.str("Key"))
		}
	}
	return empty{}, nil
}

type classicTagsResult struct {
	Descriptions []classicTagsItem `xml:"TagDescriptions>member"`
}

type classicTagsItem struct {
	Name string     `xml:"LoadBalancerName"`
	Tags []queryTag `xml:"Tags>member"`
}

func describeClassicTags(c *Cloud, q *call) (any, error) {
	names, err := c.classicNames(q)
	if err != nil {
		return nil, err
	}
	var out classicTagsResult
	for _, name := range names {
		out.Descriptions = append(out.Descriptions, classicTagsItem{Name: name, Tags: c.tags.query(classicKey(name))})
	}
	return out, nil
}
