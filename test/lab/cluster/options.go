package cluster

import (
	"fmt"
	"strings"
	"time"
)

// Options of a lab. They are written to the lab's folder, from where the
// supervisor process reads them.
type Options struct {
	Distro        Distro `json:"distro"`
	Number        int    `json:"number"` // 0: the first free one
	Layout        Layout `json:"layout"`
	ControlPlanes int    `json:"controlPlanes"` // negative: the layout's own
	Workers       int    `json:"workers"`       // negative: the layout's own
	Nodes         int    `json:"nodes"`         // more that only exist and heartbeat

	Version      string `json:"version"`      // Kubernetes version, as Rancher writes it
	Rancher      string `json:"rancher"`      // Rancher's own version, which decides the releases that it manages
	ClusterPatch []byte `json:"clusterPatch"` // YAML merge patch over the Cluster object; RKE: cluster.yml after its nodes

	RKEVersion       string        `json:"rkeVersion"`       // RKE: release of the rke binary
	RKERetry         time.Duration `json:"rkeRetry"`         // RKE: pause between rke's attempts; zero: its own 5 s
	HostnameOverride string        `json:"hostnameOverride"` // RKE: hostname_override of every node; "" for none; %m and %d as below
	AWSBlock         bool          `json:"awsBlock"`         // RKE: an awsCloudProvider with options; RKE1: the empty one of Rancher's UI

	IMDS              string `json:"imds"`              // "optional" or "required" (IMDSv2 only)
	ExplicitNodeNames bool   `json:"explicitNodeNames"` // plan Secrets carry the node name
	OSHostname        string `json:"osHostname"`        // what `hostname` prints; "" by layout; %m and %d as below
	HostnameF         string `json:"hostnameF"`         // what `hostname -f` prints; "" by layout; %m machine, %d private DNS name

	PodImages     map[string]string `json:"podImages"`     // of the management cluster: image → program, or folder of an image; empty: it runs no pods
	TokenLifetime time.Duration     `json:"tokenLifetime"` // of the tokens of these pods; zero: what they ask for

	APIServerDown time.Duration `json:"apiServerDown"` // a changed kube-apiserver stays away this long
	ComponentDown time.Duration `json:"componentDown"` // the same for other components
	ProbePeriod   time.Duration `json:"probePeriod"`   // of rancher-system-agent; zero: half a second, a real one's is 5 s
	Leases        Leases        `json:"leases"`        // zero: the components' own 15 s, 10 s, 2 s
}

// Leases are leader election's durations.
type Leases struct {
	Duration time.Duration `json:"duration"`
	Renew    time.Duration `json:"renew"`
	Retry    time.Duration `json:"retry"`
}

// Defaults are a highly available UI-made cluster at real timings.
func Defaults() Options {
	return Options{
		Distro: RKE2, Layout: Combined, ControlPlanes: -1, Workers: -1,
		Version:       "v1.26.13+rke2r1", // what the lab's binaries and its kubelet are
		Rancher:       RancherVersion,
		IMDS:          "optional",
		APIServerDown: 20 * time.Second, ComponentDown: 3 * time.Second,
	}
}

// DefaultsRKE are a highly available cluster of rke's at real timings.
func DefaultsRKE() Options {
	o := Defaults()
	o.Distro, o.Version, o.RKEVersion = RKE, DefaultRKEKubernetes, DefaultRKEVersion
	return o
}

// Pools are the groups of machines that the options ask for.
func (o Options) Pools() ([]Pool, error) {
	return Pools(o.Layout, o.ControlPlanes, o.Workers)
}

// Validate finds what no lab can be made of.
func (o Options) Validate() error {
	if _, err := o.Pools(); err != nil {
		return err
	}
	if o.IMDS != "optional" && o.IMDS != "required" {
		return fmt.Errorf("--imds is %q; wanted optional or required", o.IMDS)
	}
	if l := o.Leases; l != (Leases{}) && (l.Duration <= l.Renew || l.Renew <= l.Retry || l.Retry <= 0) {
		return fmt.Errorf("--lease %s/%s/%s: wanted lease > renew deadline > retry period > 0", l.Duration, l.Renew, l.Retry)
	}
	if o.Distro == RKE && len(o.PodImages) > 0 {
		return fmt.Errorf("--pod-image: a cluster of rke's has no management cluster")
	}
	if o.Distro.ByRKE() {
		return o.validateRKE()
	}
	_, err := Object(o)
	return err
}

// ParseLeases reads "15s/10s/2s".
func ParseLeases(text string) (Leases, error) {
	var l Leases
	if text == "" {
		return l, nil
	}
	fields := strings.Split(text, "/")
	if len(fields) != 3 {
		return l, fmt.Errorf("--lease %q: wanted three durations as in 15s/10s/2s", text)
	}
	for i, to := range []*time.Duration{&l.Duration, &l.Renew, &l.Retry} {
		d, err := time.ParseDuration(fields[i])
		if err != nil {
			return l, fmt.Errorf("--lease %q: %w", text, err)
		}
		*to = d
	}
	return l, nil
}
