package aws

func ec2Actions() map[string]action {
	return map[string]action{
		"DescribeInstances":             reads(describeInstances),
		"TerminateInstances":            writes(terminateInstances),
		"ModifyInstanceAttribute":       writes(modifyInstanceAttribute),
		"ModifyInstanceMetadataOptions": writes(modifyInstanceMetadataOptions),
		"DescribeInstanceTopology":      reads(describeInstanceTopology),
		"DescribeVolumes":               reads(describeVolumes),
		"DescribeNetworkInterfaces":     reads(describeNetworkInterfaces),
		"DescribeVpcs":                  reads(describeVpcs),
		"DescribeSubnets":               reads(describeSubnets),
		"DescribeRouteTables":           reads(describeRouteTables),
		"CreateRoute":                   writes(createRoute),
		"DeleteRoute":                   writes(deleteRoute),
		"DescribeAvailabilityZones":     reads(describeAvailabilityZones),
		"DescribeRegions":               reads(describeRegions),
		"DescribeSecurityGroups":        reads(describeSecurityGroups),
		"CreateSecurityGroup":           writes(createSecurityGroup),
		"DeleteSecurityGroup":           writes(deleteSecurityGroup),
		"AuthorizeSecurityGroupIngress": writes(authorizeIngress),
		"RevokeSecurityGroupIngress":    writes(revokeIngress),
		"CreateTags":                    writes(createTags),
		"DeleteTags":                    writes(deleteTags),
	}
}

// describe is a Describe call of EC2: it returns resources by ID or by filter, in pages. ids is
// the parameter with IDs; absent is the error code for an unknown one.
type describe[T any] struct {
	ids     string
	absent  func(id string) error
	attr    func(id string, thing T, filter string) ([]string, bool)
	maximum int
	capped  bool // by the Cloud's own page size
}

func (d describe[T]) run(c *Cloud, q *call, s *store[T]) ([]T, string, error) {
	filters, err := parseFilters(q.params)
	if err != nil {
		return nil, "", err
	}
	asked, err := q.number("MaxResults")
	if err != nil {
		return nil, "", err
	}
	wanted := map[string]bool{}
	for _, id := range q.list(d.ids) {
		if !s.has(id) {
			return nil, "", d.absent(id)
		}
		wanted[id] = true
	}
	if asked > 0 && len(wanted) > 0 {
		return nil, "", fail("InvalidParameterCombination", "The parameter %s cannot be used with the parameter maxResults", d.ids)
	}
	var none T
	if err := knownFilters(filters, func(name string) ([]string, bool) { return d.attr("", none, name) }); err != nil {
		return nil, "", err
	}
	maximum := d.maximum
	if d.capped && c.pageSize > 0 {
		maximum = min(maximum, c.pageSize)
	}
	p, err := newPager(q.action, q.str("NextToken"), asked, maximum)
	if err != nil {
		return nil, "", err
	}
	if len(wanted) > 0 {
		p.size = max(p.size, len(wanted))
	}
	out, next := page(s, q.action, p, func(id string, thing T) bool {
		if len(wanted) > 0 && !wanted[id] {
			return false
		}
		return matchAll(filters, func(name string) ([]string, bool) { return d.attr(id, thing, name) }, c.tags[id])
	})
	return out, next, nil
}
