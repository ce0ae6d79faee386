package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// Config configures a node agent.
type Config struct {
	Facts
	Dir        string // the lab's folder; the machine's own is Dir/nodes/<machine>
	Supervisor *proc.Supervisor
	Binaries   string // folder of the Kubernetes binaries
	// LabBinary is the program that runs `klipper-helm` as its first argument, or empty for
	// this program.
	LabBinary string

	// Docker makes the machine a host of rke: no RKE2 and no plans, only the containers that
	// callers of Agent.Docker create.
	Docker bool
	// Real runs the kubelet and its pods. Without it, they are the agent's.
	Real Real

	Mgmt          *rest.Config // reads and writes the machine-plan Secret; not with Docker
	PlanNamespace string       // default "fleet-default"

	CA                *pki.CA // signs servers and clients of the downstream cluster
	ServiceAccountKey []byte  // PEM, private; the same on every server
	EtcdServers       string  // e.g. http://127.3.0.4:2379
	EtcdPrefix        string  // /registry if empty
	BalancedAddress   string  // host:port of the balanced downstream API
	TokenFile         string  // --token-auth-file
	AuditPolicyFile   string
	AuditLog          string // audit log of this machine's API server, or empty

	// AWSEndpoint returns the address of AWS for a caller's name.
	AWSEndpoint func(caller string) string
	// Cloud is the access of an in-tree kubelet to EC2, for its own machine. If it is nil, the
	// kubelet takes identity and credentials from the metadata service and calls AWSEndpoint.
	Cloud Cloud

	Timing Timing
	Clock  clock.WithTicker
	Log    io.Writer // one line per action; may be nil
}

// Timing holds the durations of the machine. Zero values mean those of a real cluster, except
// for the two downtimes and the period of probes, where zero means no wait.
type Timing struct {
	APIServerDown time.Duration // a changed or killed kube-apiserver stays away this long
	ComponentDown time.Duration // the same for every other component and the kubelet
	Leases        LeaseTiming
	Heartbeat     time.Duration // Node Lease and status; default 10 s
	PlanPoll      time.Duration // default 0.5 s
	ProbePeriod   time.Duration // between two probes of a plan, 5 s for a real agent; zero means at every poll
	PlanRetry     time.Duration // between attempts at a plan that fails; default 5 s
	BackOff       time.Duration // first crash back-off, doubled up to 30 times it; default 10 s
	Grace         time.Duration // between SIGTERM and SIGKILL of a component; default 5 s
	// Relist is the time after which a kubelet notices that a container has ended. A real
	// kubelet lists them each second and showed an end after 0.8 to 1.0 s. The default is 0.9
	// s.
	Relist time.Duration
}

func (c *Config) complete() error {
	if err := c.validate(); err != nil {
		return err
	}
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if c.PlanNamespace == "" {
		c.PlanNamespace = "fleet-default"
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	if c.LabBinary == "" {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("machine %s: finding the lab's own program: %w", c.Name, err)
		}
		c.LabBinary = exe
	}
	c.Timing.complete()
	if c.Cloud == nil {
		c.Cloud = EC2(c.IMDSURL, c.Region(), c.AWSEndpoint("kubelet."+c.Name))
	}
	return nil
}

func (c *Config) validate() error {
	if err := c.Facts.validate(); err != nil {
		return err
	}
	for what, missing := range map[string]bool{
		"a folder": c.Dir == "", "a supervisor": c.Supervisor == nil, "the binaries' folder": c.Binaries == "",
		"a management cluster": c.Mgmt == nil && !c.Docker, "a certificate authority": c.CA == nil,
		"a service-account key": len(c.ServiceAccountKey) == 0, "etcd": c.EtcdServers == "",
		"a balanced address": c.BalancedAddress == "", "AWS endpoints": c.AWSEndpoint == nil,
	} {
		if missing {
			return errors.New("machine " + c.Name + ": the node agent is not given " + what)
		}
	}
	return nil
}

func (t *Timing) complete() {
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&t.Heartbeat, 10 * time.Second}, {&t.PlanPoll, 500 * time.Millisecond},
		{&t.PlanRetry, 5 * time.Second}, {&t.BackOff, 10 * time.Second}, {&t.Grace, 5 * time.Second}, {&t.Relist, 900 * time.Millisecond},
	} {
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
}
