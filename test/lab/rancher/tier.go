package rancher

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// The tiers of a full reconciliation, in order; one that is not done holds back
// the next.
// Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (fullReconcile).
const (
	tierBootstrap    = "bootstrap"
	tierEtcd         = "etcd"
	tierControlPlane = "control plane"
	tierWorker       = "worker"
)

// tier is the input of decideTier.
type tier struct {
	Name              string
	Required          bool   // there must be at least one such machine, deleting or not
	Matched           int    // machines of the tier's roles, before any is excluded
	Concurrency       string // 1 if empty, no limit if "0", or a percentage
	Drain             drainOptions
	AgentConnected    bool
	KubernetesVersion string
	ClusterSize       int // machines of the whole cluster
}

// candidate is a machine of the tier with the plan that it should have.
type candidate struct {
	*entry
	Desired    nodePlan
	DesiredRaw string
	JoinedTo   string
}

func (c *candidate) isChanged() bool { return c.Plan != nil && c.Plan.Raw != c.DesiredRaw }

// unavailable reports whether the machine counts against the concurrency.
func (c *candidate) unavailable() bool {
	return c.Plan != nil && (!c.Plan.InSync || c.inDrain() || (!c.isChanged() && !c.Plan.Healthy))
}

// verdict is the decision on a tier: the writes in order, and the machines by the reported
// condition.
type verdict struct {
	Deliver    []*candidate      // write the desired plan
	Annotate   map[string]string // machine to requested drain options
	Uncordon   []string          // machines whose uncordoning is requested
	Ready      []string
	OutOfSync  []string
	Draining   []string
	Uncordoned []string
	Failing    []string
	NonReady   []string
	Messages   map[string][]string
}

// decideTier decides once about each of the tier's machines. Source:
// rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (reconcile).
func decideTier(t tier, candidates []*candidate) (*verdict, error) {
	v := &verdict{Messages: map[string][]string{}, Annotate: map[string]string{}}
	limit, err := concurrency(t.Concurrency, len(candidates))
	if err != nil {
		return nil, err
	}
	away := 0
	for _, c := range candidates {
		if c.unavailable() {
			away++
		}
	}
	for _, c := range candidates {
		if c.Errors {
			v.Failing = append(v.Failing, c.Name)
		}
		if c.Transitioning {
			v.NonReady = append(v.NonReady, c.Name)
		}
		message := planMessage(c.entry)
		v.Messages[c.Name] = append(v.Messages[c.Name], c.Summary...)
		if message != "" {
			v.say(c, message)
		}
		switch {
		case c.Plan == nil:
			v.Deliver = append(v.Deliver, c)
			v.OutOfSync = append(v.OutOfSync, c.Name)
		case c.isChanged():
			v.OutOfSync = append(v.OutOfSync, c.Name)
			if c.inDrain() || c.Plan.Failed || limit == 0 || away < limit || neverHealthy(c.Plan) {
				if !c.unavailable() {
					away++
				}
				v.change(t, c, message)
			}
		case message != "":
			v.OutOfSync = append(v.OutOfSync, c.Name)
		default:
			v.settle(t, c)
		}
	}
	return v, nil
}

func (v *verdict) say(c *candidate, m string) {
	v.Messages[c.Name] = append(v.Messages[c.Name], m)
}

// change delivers a changed plan, after a drain if one is due.
func (v *verdict) change(t tier, c *candidate, message string) {
	options, due := t.Drain.due(c.entry, &c.Desired, t.ClusterSize)
	switch {
	case !due:
	case c.Annotations[annotationDrain] != options:
		v.Annotate[c.Name] = options
		v.drains(c, "draining node")
		return
	case drainError(c.entry) != "":
		v.drains(c, "error draining machine "+c.Name+": "+drainError(c.entry))
		return
	case c.Annotations[annotationDrainDone] != options:
		v.drains(c, "draining node")
		return
	}
	v.Deliver = append(v.Deliver, c)
	if c.Annotations[annotationDrainDone] != "" {
		v.say(c, "drain completed")
	} else if message == "" {
		v.say(c, "waiting for plan to be applied")
	}
}

func (v *verdict) drains(c *candidate, m string) {
	v.Draining = append(v.Draining, c.Name)
	v.say(c, m)
}

// settle handles a machine whose plan is applied and healthy.
func (v *verdict) settle(t tier, c *candidate) {
	switch drain, uncordon := c.Annotations[annotationDrain], c.Annotations[annotationUncordon]; {
	case drain != "" && drain != uncordon:
		v.Uncordon = append(v.Uncordon, c.Name)
		fallthrough
	case uncordon != "":
		v.Uncordoned = append(v.Uncordoned, c.Name)
		if e := drainError(c.entry); e != "" {
			v.say(c, "error undraining machine "+c.Name+": "+e)
		} else {
			v.say(c, "waiting for uncordon to finish")
		}
	case t.AgentConnected && !sameVersion(c.KubeletVersion, t.KubernetesVersion):
		v.OutOfSync = append(v.OutOfSync, c.Name)
		v.say(c, "waiting for kubelet to update")
	case c.target.controlPlane() && !t.AgentConnected:
		v.OutOfSync = append(v.OutOfSync, c.Name)
		v.say(c, "waiting for cluster agent to connect")
	default:
		v.Ready = append(v.Ready, c.Name)
	}
}

// neverHealthy reports whether a plan was applied and its probes never passed. It may be
// overwritten, since it is probably a bad configuration.
func neverHealthy(p *planState) bool {
	return p.Applied != nil && p.InSync && !p.Healthy && !p.ProbesPassed
}

// concurrency returns the number of machines of count that may be unavailable; 0 means no
// limit.
func concurrency(setting string, count int) (int, error) {
	if setting == "" {
		return 1, nil
	}
	if n, err := strconv.Atoi(setting); err == nil {
		return n, nil
	}
	p, err := strconv.ParseFloat(strings.TrimSuffix(setting, "%"), 64)
	if err != nil {
		return 0, fmt.Errorf("concurrency must be a number or a percentage: %w", err)
	}
	return int(math.Ceil(float64(count) * p / 100)), nil
}

// sameVersion compares major, minor and patch; an unknown kubelet version passes.
func sameVersion(kubelet, want string) bool {
	if kubelet == "" {
		return true
	}
	k, err := semver.NewVersion(kubelet)
	if err != nil {
		return false
	}
	w, err := semver.NewVersion(want)
	if err != nil {
		return false
	}
	return k.Major() == w.Major() && k.Minor() == w.Minor() && k.Patch() == w.Patch()
}
