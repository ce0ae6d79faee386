package cluster

import (
	"fmt"
	"strings"
	"time"
)

// Options configures a lab. They are written to the lab's folder, where the supervisor process
// reads them.
type Options struct {
	Distro        Distro `json:"distro"`
	Real          bool   `json:"real"`   // machines are hosts in namespaces with real kubelets, and rke is the real one
	Number        int    `json:"number"` // 0: the first free one
	Layout        Layout `json:"layout"`
	ControlPlanes int    `json:"controlPlanes"` // the layout's own if negative
	Workers       int    `json:"workers"`       // the layout's own if negative
	Nodes         int    `json:"nodes"`         // additional ones that only send heartbeats

	Version      string `json:"version"`      // Kubernetes version, as Rancher writes it
	Rancher      string `json:"rancher"`      // Rancher's version, which determines the releases that it manages
	ClusterPatch []byte `json:"clusterPatch"` // YAML merge patch over the Cluster object; RKE: cluster.yml after its nodes

	RKEVersion       string        `json:"rkeVersion"`       // RKE: release of the rke binary
	RKERetry         time.Duration `json:"rkeRetry"`         // RKE: pause between rke's attempts; its own 5 s if zero
	HostnameOverride string        `json:"hostnameOverride"` // RKE: hostname_override of every node; "" for none; %m and %d as below
	AWSBlock         bool          `json:"awsBlock"`         // RKE: an awsCloudProvider with options; RKE1: the empty one of Rancher's UI

	IMDS              string `json:"imds"`              // "optional" or "required" (IMDSv2 only)
	ExplicitNodeNames bool   `json:"explicitNodeNames"` // plan Secrets carry the node name
	OSHostname        string `json:"osHostname"`        // output of `hostname`, or empty for the layout's; %m and %d as below
	HostnameF         string `json:"hostnameF"`         // output of `hostname -f`, or empty for the layout's; %m machine, %d private DNS name

	PodImages     map[string]string `json:"podImages"`     // of the management cluster: image → program, or folder of an image; empty: it runs no pods
	TokenLifetime time.Duration     `json:"tokenLifetime"` // of the tokens of these pods; zero: what they ask for

	APIServerDown time.Duration `json:"apiServerDown"` // a changed kube-apiserver stays away this long
	ComponentDown time.Duration `json:"componentDown"` // the same for other components
	ProbePeriod   time.Duration `json:"probePeriod"`   // of rancher-system-agent; zero: half a second, a real one's is 5 s
	Leases        Leases        `json:"leases"`        // the components' own 15 s, 10 s, 2 s if zero
}

// Leases holds the durations of leader election.
type Leases struct {
	Duration time.Duration `json:"duration"`
	Renew    time.Duration `json:"renew"`
	Retry    time.Duration `json:"retry"`
}

// Defaults returns the options of a highly available cluster made by the UI, with real timings.
func Defaults() Options {
	return Options{
		Distro: RKE2, Layout: Combined, ControlPlanes: -1, Workers: -1,
		Version:       "v1.26.13+rke2r1", // the version of the lab's binaries and its kubelet
		Rancher:       RancherVersion,
		IMDS:          "optional",
		APIServerDown: 20 * time.Second, ComponentDown: 3 * time.Second,
	}
}

// DefaultsRKE returns the options of a highly available cluster of rke, with real timings.
func DefaultsRKE() Options {
	o := Defaults()
	o.Distro, o.Version, o.RKEVersion = RKE, DefaultRKEKubernetes, DefaultRKEVersion
	return o
}

// Pools returns the groups of machines for the options.
func (o Options) Pools() ([]Pool, error) {
	return Pools(o.Layout, o.ControlPlanes, o.Workers)
}

// Validate returns an error if no lab can be made with the options.
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
	if o.Real {
		return o.validateReal()
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

// ParseLeases parses "15s/10s/2s".
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
