package node

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// plan is the document in a machine-plan Secret.
type plan struct {
	Files        []planFile           `json:"files"`
	Instructions []planInstruction    `json:"instructions"`
	Probes       map[string]planProbe `json:"probes"`
}

type planFile struct {
	Path    string `json:"path"`
	Content string `json:"content"` // base64
	Dynamic bool   `json:"dynamic"`
}

type planInstruction struct {
	Name  string   `json:"name"`
	Image string   `json:"image"`
	Env   []string `json:"env"`
}

type planProbe struct {
	InitialDelaySeconds int         `json:"initialDelaySeconds"`
	TimeoutSeconds      int         `json:"timeoutSeconds"`
	SuccessThreshold    int         `json:"successThreshold"`
	FailureThreshold    int         `json:"failureThreshold"`
	HTTPGet             planHTTPGet `json:"httpGet"`
}

type planHTTPGet struct {
	URL        string `json:"url"`
	Insecure   bool   `json:"insecure"`
	ClientCert string `json:"clientCert"`
	ClientKey  string `json:"clientKey"`
	CACert     string `json:"caCert"`
}

// Keys of a machine-plan Secret.
const (
	keyPlan            = "plan"
	keyAppliedPlan     = "appliedPlan"
	keyAppliedChecksum = "applied-checksum"
	keyFailedChecksum  = "failed-checksum"
	keyFailureCount    = "failure-count"
	keyProbeStatuses   = "probe-statuses"
)

func planChecksum(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func parsePlan(raw []byte) (plan, []File, error) {
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return plan{}, nil, fmt.Errorf("reading the plan: %w", err)
	}
	files := make([]File, 0, len(p.Files))
	for _, file := range p.Files {
		content, err := base64.StdEncoding.DecodeString(file.Content)
		if err != nil {
			return plan{}, nil, fmt.Errorf("reading the plan: file %s: %w", file.Path, err)
		}
		files = append(files, File{Path: file.Path, Content: content, Dynamic: file.Dynamic})
	}
	return p, files, nil
}

// restartStamp returns the value that rke2's installer compares with the previous one to decide
// whether the service restarts. Without one, as in the plan for a snapshot, it restarts nothing and
// keeps the previous one (rancher/system-agent-installer-rke2:package/run.sh@v1.26.13+rke2r1).
func (p plan) restartStamp() string {
	for _, instruction := range p.Instructions {
		for _, variable := range instruction.Env {
			if value, ok := strings.CutPrefix(variable, "RESTART_STAMP="); ok {
				return value
			}
		}
	}
	return ""
}

// probeStatus is one entry of probe-statuses, as rancher/system-agent writes it.
type probeStatus struct {
	Healthy      bool `json:"healthy,omitempty"`
	SuccessCount int  `json:"successCount,omitempty"`
	FailureCount int  `json:"failureCount,omitempty"`
}

// next counts one more result, up to the threshold, which is 1 by default.
func (s probeStatus) next(ok bool, p planProbe) probeStatus {
	if ok {
		s.FailureCount = 0
		if goal := max(p.SuccessThreshold, 1); s.SuccessCount < goal {
			s.SuccessCount++
			s.Healthy = s.Healthy || s.SuccessCount >= goal
		}
		return s
	}
	s.SuccessCount = 0
	if limit := max(p.FailureThreshold, 1); s.FailureCount < limit {
		if s.FailureCount++; s.FailureCount >= limit {
			s.Healthy = false
		}
	}
	return s
}
