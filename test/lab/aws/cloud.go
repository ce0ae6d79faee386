package aws

import (
	"cmp"
	"io"
	"slices"
	"sync"
	"time"
)

// Options describes the account. The zero value of each field selects a default.
type Options struct {
	// Region defaults to us-east-1.
	Region string
	// Account is the twelve-digit account number, default 123456789012.
	Account string
	// ClusterID is the value after kubernetes.io/cluster/ in the tags of
	// subnets, node security group and instances; default "demo".
	ClusterID string
	// Zones defaults to a, b and c of the region; each gets one public subnet
	// of 4,091 addresses. At most 16.
	Zones []string
	// Now defaults to time.Now.
	Now func() time.Time
	// Record gets one JSON line per call (type Call), each in a single Write and never two at
	// once. It may be nil.
	Record io.Writer
	// PageSize caps the pages of DescribeInstances, DescribeNetworkInterfaces,
	// DescribeSecurityGroups and SimulatePrincipalPolicy, whose callers all
	// follow tokens; 0 leaves AWS's own limits in force.
	PageSize int
	// Throttle is called before each call is authorised, and must not call the Cloud. A nil
	// Throttle never throttles.
	Throttle Throttle
}

// Cloud is one account in one region.
type Cloud struct {
	region, account, clusterID string
	now                        func() time.Time
	pageSize                   int
	actions                    map[string]map[string]action

	recordMu sync.Mutex
	record   io.Writer

	mu           sync.Mutex
	throttle     Throttle
	counter      uint64
	requests     uint64
	zones        []string
	vpc          vpc
	nodeGroupID  string
	tags         tags
	instances    *store[*Instance]
	subnets      *store[*subnet]
	routeTables  *store[*routeTable]
	groups       *store[*securityGroup]
	classic      *store[*classicBalancer]
	balancers    *store[*networkBalancer]
	targetGroups *store[*targetGroup]
	roles        *store[*role]
	keys         map[string]*credential
	metadataKeys map[string]metadataToken
}

// New returns an account with a VPC, one public subnet for each zone, a node security group and
// the roles of DefaultPolicies.
func New(o Options) *Cloud {
	c := &Cloud{
		region:       cmp.Or(o.Region, "us-east-1"),
		account:      cmp.Or(o.Account, "123456789012"),
		clusterID:    cmp.Or(o.ClusterID, "demo"),
		zones:        slices.Clone(o.Zones),
		now:          o.Now,
		pageSize:     o.PageSize,
		record:       o.Record,
		throttle:     o.Throttle,
		actions:      actionTable(),
		tags:         tags{},
		instances:    newStore[*Instance](),
		subnets:      newStore[*subnet](),
		routeTables:  newStore[*routeTable](),
		groups:       newStore[*securityGroup](),
		classic:      newStore[*classicBalancer](),
		balancers:    newStore[*networkBalancer](),
		targetGroups: newStore[*targetGroup](),
		roles:        newStore[*role](),
		keys:         map[string]*credential{},
		metadataKeys: map[string]metadataToken{},
	}
	if c.now == nil {
		c.now = time.Now
	}
	if len(c.zones) == 0 {
		c.zones = []string{c.region + "a", c.region + "b", c.region + "c"}
	}
	c.seedNetwork()
	c.defaultPolicies()
	return c
}

// ResetPolicies restores the DefaultPolicies of the roles that every Cloud has, so that
// scenarios can share one.
func (c *Cloud) ResetPolicies() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.defaultPolicies()
}

func (c *Cloud) defaultPolicies() {
	policies := DefaultPolicies()
	for _, name := range []string{RoleControlPlane, RoleWorker, RoleOperator, RoleAdministrator} {
		c.setDocument(name, allow(policies[name]))
	}
}

// SetThrottle replaces the throttle at run time; nil stops throttling.
func (c *Cloud) SetThrottle(t Throttle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.throttle = t
}

// Network holds the identifiers that a cloud config or a node needs.
type Network struct {
	Region, ClusterID string
	VpcID             string
	RouteTableID      string
	NodeSecurityGroup string
	Subnets           map[string]string // by zone
}

// Network returns the IDs of the account's network.
func (c *Cloud) Network() Network {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := Network{
		Region: c.region, ClusterID: c.clusterID, VpcID: c.vpc.ID,
		NodeSecurityGroup: c.nodeGroupID, Subnets: map[string]string{},
	}
	for _, s := range c.subnets.all() {
		n.Subnets[s.Zone] = s.ID
	}
	if tables := c.routeTables.all(); len(tables) > 0 {
		n.RouteTableID = tables[0].ID
	}
	return n
}
