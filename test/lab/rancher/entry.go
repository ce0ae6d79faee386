package rancher

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// entry is one machine in the planner: the Machine, its plan Secret's labels and annotations,
// and the state of its plan.
type entry struct {
	machine         *object
	Name, Namespace string
	target          target
	Annotations     map[string]string // of the plan Secret
	InitNode        bool
	Deleting        bool
	InfraReady      bool
	NodeRef         string
	KubeletVersion  string
	Errors          bool     // the Machine reports an error
	Transitioning   bool     // the Machine is in transition
	Summary         []string // the Machine's messages on both
	Plan            *planState
}

// planState holds the content of a plan Secret.
type planState struct {
	Raw          string
	Plan         nodePlan
	Applied      *nodePlan
	InSync       bool
	Failed       bool
	Healthy      bool
	Unhealthy    []string
	ProbesPassed bool
}

func (e *entry) joinURL() string { return e.Annotations[annotationJoinURL] }

// inDrain reports whether any part of a drain is under way.
func (e *entry) inDrain() bool {
	for _, a := range []string{annotationPreDrain, annotationPostDrain, annotationDrain, annotationUncordon} {
		if e.Annotations[a] != "" {
			return true
		}
	}
	return false
}

// readPlan parses a plan Secret, and returns nil without a plan. Source:
// rancher/rancher:pkg/capr/planner/store.go@v2.8.5 (SecretToNode).
func readPlan(s *corev1.Secret) (*planState, error) {
	raw := s.Data["plan"]
	if len(raw) == 0 {
		return nil, nil
	}
	p := &planState{Raw: string(raw), InSync: string(raw) == string(s.Data["appliedPlan"]), ProbesPassed: s.Annotations[annotationProbesPassed] != ""}
	if err := json.Unmarshal(raw, &p.Plan); err != nil {
		return nil, fmt.Errorf("plan of Secret %s/%s: %w", s.Namespace, s.Name, err)
	}
	if a := s.Data["appliedPlan"]; len(a) > 0 {
		p.Applied = &nodePlan{}
		if err := json.Unmarshal(a, p.Applied); err != nil {
			return nil, fmt.Errorf("appliedPlan of Secret %s/%s: %w", s.Namespace, s.Name, err)
		}
	}
	if n := s.Data["failure-count"]; len(n) > 0 && checksum(raw) == string(s.Data["failed-checksum"]) {
		count, err := strconv.Atoi(string(n))
		if err != nil {
			return nil, fmt.Errorf("failure-count of Secret %s/%s: %w", s.Namespace, s.Name, err)
		}
		threshold := 1
		if t := s.Data["failure-threshold"]; len(t) > 0 {
			if threshold, err = strconv.Atoi(string(t)); err != nil {
				return nil, fmt.Errorf("failure-threshold of Secret %s/%s: %w", s.Namespace, s.Name, err)
			}
		}
		p.Failed = count > 0 && threshold != -1 && count >= threshold
	}
	return p, p.readProbes(s)
}

func (p *planState) readProbes(s *corev1.Secret) error {
	statuses := map[string]struct {
		Healthy bool `json:"healthy"`
	}{}
	if d := s.Data["probe-statuses"]; len(d) > 0 {
		if err := json.Unmarshal(d, &statuses); err != nil {
			return fmt.Errorf("probe-statuses of Secret %s/%s: %w", s.Namespace, s.Name, err)
		}
	} else if p.InSync {
		for name := range p.Plan.Probes {
			p.Unhealthy = append(p.Unhealthy, name)
		}
	}
	for name, st := range statuses {
		if !st.Healthy {
			p.Unhealthy = append(p.Unhealthy, name)
		}
	}
	sort.Strings(p.Unhealthy)
	p.Healthy = len(p.Unhealthy) == 0
	return nil
}

// planMessage returns what a machine's plan waits for, or empty. Source:
// rancher/rancher:pkg/capr/planner/store.go@v2.8.5 (getPlanStatusReasonMessage).
func planMessage(e *entry) string {
	p := e.Plan
	switch {
	case p == nil || len(p.Plan.Instructions) == 0:
		switch {
		case e.target.etcd():
			return "waiting for bootstrap etcd to be available"
		case e.target.controlPlane():
			return "waiting for etcd to be available"
		}
		return "waiting for control plane to be available"
	case p.Applied == nil:
		return "waiting for agent to check in and apply initial plan"
	case !p.Healthy:
		return "waiting for probes: " + strings.Join(p.Unhealthy, ", ")
	case p.InSync:
		return ""
	case p.Failed:
		return "failure while applying plan"
	}
	return "waiting for plan to be applied"
}
