package rancher

import (
	"encoding/json"
	"strings"
)

// drainOptions are upgradeStrategy.{controlPlane,worker}DrainOptions. Source:
// rancher/rancher:pkg/apis/rke.cattle.io/v1/cluster.go@v2.8.5.
type drainOptions struct {
	Enabled                         bool        `json:"enabled"`
	Force                           bool        `json:"force"`
	IgnoreDaemonSets                *bool       `json:"ignoreDaemonSets"`
	IgnoreErrors                    bool        `json:"ignoreErrors"`
	DeleteEmptyDirData              bool        `json:"deleteEmptyDirData"`
	DisableEviction                 bool        `json:"disableEviction"`
	GracePeriod                     int         `json:"gracePeriod"` // seconds; negative: the pod's own
	Timeout                         int         `json:"timeout"`     // seconds; 600 if 0
	SkipWaitForDeleteTimeoutSeconds int         `json:"skipWaitForDeleteTimeoutSeconds"`
	PreDrainHooks                   []drainHook `json:"preDrainHooks"`
	PostDrainHooks                  []drainHook `json:"postDrainHooks"`
}

type drainHook struct {
	Annotation string `json:"annotation,omitempty"`
}

// due reports whether a node must be drained (or its hooks run) before it gets a plan, and
// returns the options as text. Without drain options and hooks no node is cordoned or
// uncordoned. A lone machine's hooks run, but its drain does not. A plan without a restart
// drains nothing. Source: rancher/rancher:pkg/capr/planner/drain.go@v2.8.5.
func (o drainOptions) due(e *entry, desired *nodePlan, clusterSize int) (string, bool) {
	if e.NodeRef == "" {
		return "", false
	}
	if (!o.Enabled || clusterSize == 1) && len(o.PreDrainHooks) == 0 && len(o.PostDrainHooks) == 0 {
		return "", false
	}
	if e.Plan.Applied == nil || stampOf(e.Plan.Applied) == stampOf(desired) {
		return "", false
	}
	if clusterSize == 1 {
		o.Enabled = false
	}
	b, err := json.Marshal(o)
	if err != nil {
		return "", false
	}
	return string(b), true
}

// drainError returns the error of a drain in progress. It omits errors which only say that the
// cluster could not be reached while one of its nodes restarts.
func drainError(e *entry) string {
	if s := e.Annotations[annotationDrainError]; !strings.Contains(s, "error trying to reach service") {
		return s
	}
	return ""
}
