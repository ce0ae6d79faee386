package aws

import "slices"

type describeZonesReply struct {
	reply
	Zones []zoneItem `xml:"availabilityZoneInfo>item"`
}

type zoneItem struct {
	Name   string `xml:"zoneName"`
	ID     string `xml:"zoneId"`
	State  string `xml:"zoneState"`
	Region string `xml:"regionName"`
	Group  string `xml:"groupName"`
	Type   string `xml:"zoneType"`
	OptIn  string `xml:"optInStatus"`
}

func describeAvailabilityZones(c *Cloud, q *call) (any, error) {
	filters, err := parseFilters(q.params)
	if err != nil {
		return nil, err
	}
	names, ids := q.list("ZoneName"), q.list("ZoneId")
	for _, name := range names {
		if !slices.Contains(c.zones, name) {
			return nil, invalidValue("Invalid availability zone: [%s]", name)
		}
	}
	attr := func(zone string) attributes {
		return func(name string) ([]string, bool) { return c.zoneAttr(zone, name) }
	}
	if err := knownFilters(filters, attr("")); err != nil {
		return nil, err
	}
	out := &describeZonesReply{}
	for _, zone := range c.zones {
		if len(names) > 0 && !slices.Contains(names, zone) || len(ids) > 0 && !slices.Contains(ids, c.zoneID(zone)) {
			continue
		}
		if !matchAll(filters, attr(zone), nil) {
			continue
		}
		out.Zones = append(out.Zones, zoneItem{
			Name: zone, ID: c.zoneID(zone), State: "available", Region: c.region,
			Group: c.region, Type: "availability-zone", OptIn: "opt-in-not-required",
		})
	}
	return out, nil
}

func (c *Cloud) zoneAttr(zone, name string) ([]string, bool) {
	switch name {
	case "zone-name":
		return []string{zone}, true
	case "zone-id":
		return []string{c.zoneID(zone)}, true
	case "zone-type":
		return []string{"availability-zone"}, true
	case "region-name", "group-name":
		return []string{c.region}, true
	case "state":
		return []string{"available"}, true
	default:
		return nil, false
	}
}

type describeRegionsReply struct {
	reply
	Regions []regionItem `xml:"regionInfo>item"`
}

type regionItem struct {
	Name     string `xml:"regionName"`
	Endpoint string `xml:"regionEndpoint"`
	OptIn    string `xml:"optInStatus"`
}

func describeRegions(c *Cloud, _ *call) (any, error) {
	return &describeRegionsReply{Regions: []regionItem{{
		Name: c.region, Endpoint: "ec2." + c.region + ".amazonaws.com", OptIn: "opt-in-not-required",
	}}}, nil
}

type describeVolumesReply struct {
	reply
	Volumes []struct{} `xml:"volumeSet>item"`
}

func describeVolumes(_ *Cloud, q *call) (any, error) {
	if ids := q.list("VolumeId"); len(ids) > 0 {
		return nil, fail("InvalidVolume.NotFound", "The volume '%s' does not exist.", ids[0])
	}
	return &describeVolumesReply{}, nil
}

type describeTopologyReply struct {
	reply
	Instances []struct{} `xml:"instanceSet>item"`
}

// describeInstanceTopology returns nothing: none of the lab's instance types has a topology.
func describeInstanceTopology(*Cloud, *call) (any, error) {
	return &describeTopologyReply{}, nil
}
