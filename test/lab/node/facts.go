package node

import (
	"fmt"
	"net"
	"strings"
)

// Roles holds the roles of a machine, as Rancher's machine pools assign them.
type Roles struct {
	ControlPlane, Etcd, Worker bool
}

// Server reports whether the machine runs rke2-server rather than rke2-agent.
func (r Roles) Server() bool { return r.ControlPlane || r.Etcd }

// Facts holds properties of a machine that do not depend on its configuration. Names are
// derived from them by rule; no API shows them.
type Facts struct {
	Name       string // machine name in Rancher, e.g. "demo-cp-0"
	MachineUID string // metadata.uid of the Machine
	InstanceID string // "i-…"
	IP         string // loopback address that the machine's processes bind
	PrivateIP  string // address that EC2 and the Node show
	Zone       string // e.g. "us-east-1a"

	OSHostname     string // gethostname(2)
	HostnameFQDN   string // `hostname -f`
	PrivateDNSName string // in EC2 at the launch; the current one comes from EC2
	IMDSURL        string // the machine's metadata service, without a path
	// PodIMDSURL is the metadata service for pods outside the host network (hop limit), or
	// empty if it is IMDSURL.
	PodIMDSURL string

	Roles Roles
}

// Region returns the zone without its letter.
func (f Facts) Region() string { return strings.TrimRight(f.Zone, "abcdefghijklmnopqrstuvwxyz") }

func (f Facts) validate() error {
	for _, field := range []struct{ name, value string }{
		{"Name", f.Name}, {"IP", f.IP}, {"PrivateIP", f.PrivateIP}, {"OSHostname", f.OSHostname},
	} {
		if field.value == "" {
			return fmt.Errorf("machine %q: facts without %s", f.Name, field.name)
		}
	}
	for _, ip := range []string{f.IP, f.PrivateIP} {
		if net.ParseIP(ip) == nil {
			return fmt.Errorf("machine %s: %q is no IP address", f.Name, ip)
		}
	}
	return nil
}
