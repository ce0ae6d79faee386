package aws

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// The states of an instance.
const (
	StatePending      = "pending"
	StateRunning      = "running"
	StateShuttingDown = "shutting-down"
	StateTerminated   = "terminated"
	StateStopping     = "stopping"
	StateStopped      = "stopped"
)

// Instance is one EC2 instance. Fields left zero in RunInstance get the value that EC2 would
// choose.
type Instance struct {
	ID   string
	Name string // the Name tag
	Zone string
	Type string // instance type

	PrivateIP      string
	PrivateDNSName string // EC2's private DNS name
	LocalHostname  string // metadata local-hostname; default: the private DNS name
	Hostname       string // metadata hostname; default: the private DNS name

	Role       string // IAM role of the instance profile, or empty without a profile
	HTTPTokens string // "optional" (default) or "required"
	HopLimit   int    // of metadata token answers; default 1
	// HTTPEndpoint enables the metadata service; the default is EndpointEnabled.
	HTTPEndpoint string

	// Tags defaults to the cluster tag with the value owned. An empty, non-nil map means no
	// tags. Name is added from the field.
	Tags map[string]string

	State           string // default running
	SubnetID, VpcID string
	SecurityGroups  []string // IDs; default: the node group
	InterfaceID     string
	MAC             string
	SourceDestCheck bool // true after RunInstance
	LaunchTime      time.Time
}

// RunInstance adds an instance and returns it with all fields set.
func (c *Cloud) RunInstance(i Instance) (Instance, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.fill(&i); err != nil {
		return Instance{}, err
	}
	stored := i
	stored.Tags = nil
	c.instances.put(i.ID, &stored)
	if i.Role != "" {
		c.credential(i.Role, i.ID) // valid before the instance requests them, so that a restarted lab accepts them
	}
	c.tags.add(i.ID, i.Tags)
	return c.view(&stored), nil
}

func (c *Cloud) fill(i *Instance) error {
	if i.ID == "" {
		i.ID = c.newID("i")
	}
	if c.instances.has(i.ID) {
		return fmt.Errorf("run instance %s: there is one with this ID", i.ID)
	}
	if i.Zone == "" {
		i.Zone = c.zones[0]
	}
	s, ok := c.subnetIn(i.Zone)
	if !ok {
		return fmt.Errorf("run instance %s: no subnet in zone %q; zones are %v", i.ID, i.Zone, c.zones)
	}
	if i.Role != "" && !c.roles.has(i.Role) {
		return fmt.Errorf("run instance %s: no role %q; SetPolicy makes one", i.ID, i.Role)
	}
	setDefault(&i.SubnetID, s.ID)
	setDefault(&i.VpcID, c.vpc.ID)
	setDefault(&i.Type, "m5.large")
	if i.PrivateIP == "" {
		ip, err := c.freeIP(s)
		if err != nil {
			return fmt.Errorf("run instance %s: %w", i.ID, err)
		}
		i.PrivateIP = ip
	}
	if user := c.userOf(i.PrivateIP); user != "" {
		return fmt.Errorf("run instance %s: address %s belongs to instance %s", i.ID, i.PrivateIP, user)
	}
	setDefault(&i.PrivateDNSName, c.privateDNSName(i.PrivateIP))
	setDefault(&i.LocalHostname, i.PrivateDNSName)
	setDefault(&i.Hostname, i.PrivateDNSName)
	setDefault(&i.HTTPTokens, "optional")
	setDefault(&i.HTTPEndpoint, EndpointEnabled)
	if i.HTTPTokens != "optional" && i.HTTPTokens != "required" {
		return fmt.Errorf("run instance %s: HTTPTokens is %q; wanted optional or required", i.ID, i.HTTPTokens)
	}
	setDefault(&i.State, StateRunning)
	if _, ok := stateCode(i.State); !ok {
		return fmt.Errorf("run instance %s: unknown state %q", i.ID, i.State)
	}
	if i.HopLimit == 0 {
		i.HopLimit = 1
	}
	if i.SecurityGroups == nil {
		i.SecurityGroups = []string{c.nodeGroupID}
	}
	for _, id := range i.SecurityGroups {
		if !c.groups.has(id) {
			return fmt.Errorf("run instance %s: no security group %q", i.ID, id)
		}
	}
	setDefault(&i.InterfaceID, c.newID("eni"))
	if i.MAC == "" {
		h := hex.EncodeToString(digest("mac", i.InterfaceID))
		i.MAC = strings.Join([]string{"0e", h[0:2], h[2:4], h[4:6], h[6:8], h[8:10]}, ":")
	}
	i.SourceDestCheck = true
	if i.LaunchTime.IsZero() {
		i.LaunchTime = c.now().UTC().Truncate(time.Second)
	}
	if i.Tags == nil {
		i.Tags = map[string]string{clusterTag(c.clusterID): "owned"}
	}
	i.Tags = maps.Clone(i.Tags)
	if i.Name != "" {
		i.Tags["Name"] = i.Name
	}
	i.SecurityGroups = slices.Clone(i.SecurityGroups)
	return nil
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// freeIP returns the subnet's next address without a living instance. EC2 reserves the first
// four addresses of every subnet, and its last.
func (c *Cloud) freeIP(s *subnet) (string, error) {
	prefix, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return "", fmt.Errorf("subnet %s: %w", s.ID, err)
	}
	first := prefix.Addr().Next().Next().Next().Next()
	addr := s.free
	if !addr.IsValid() {
		addr = first
	}
	for range 1 << (32 - prefix.Bits()) {
		if !prefix.Contains(addr.Next()) {
			addr = first
		}
		ip := addr.String()
		addr = addr.Next()
		if c.userOf(ip) == "" {
			s.free = addr
			return ip, nil
		}
	}
	return "", fmt.Errorf("subnet %s (%s) has no free address; give PrivateIP", s.ID, s.CIDR)
}

// userOf returns the running instance with an address, or empty.
func (c *Cloud) userOf(ip string) string {
	for _, e := range c.instances.order {
		if e.value.PrivateIP == ip && e.value.State != StateTerminated {
			return e.id
		}
	}
	return ""
}

// privateDNSName returns the IP-based name that EC2 gives by default. us-east-1 has a domain of
// its own.
func (c *Cloud) privateDNSName(ip string) string {
	domain := c.region + ".compute.internal"
	if c.region == "us-east-1" {
		domain = "ec2.internal"
	}
	return "ip-" + strings.ReplaceAll(ip, ".", "-") + "." + domain
}

// view returns a copy with the current tags.
func (c *Cloud) view(i *Instance) Instance {
	out := *i
	out.Tags = maps.Clone(c.tags[i.ID])
	out.Name = out.Tags["Name"]
	out.SecurityGroups = slices.Clone(i.SecurityGroups)
	return out
}

// Instance returns one instance, also a terminated one.
func (c *Cloud) Instance(id string) (Instance, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.instances.get(id)
	if !ok {
		return Instance{}, false
	}
	return c.view(i), true
}

// Instances returns all of them in the order in which they were run.
func (c *Cloud) Instances() []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Instance
	for _, i := range c.instances.all() {
		out = append(out, c.view(i))
	}
	return out
}
