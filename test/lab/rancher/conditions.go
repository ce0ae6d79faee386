package rancher

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is one entry of status.conditions, in Rancher's generic form or, with a severity,
// in Cluster API's.
type condition struct {
	Type, Status, Reason, Message, Severity string
}

func isTrue(o *object, kind string) bool { return conditionOf(o, kind).Status == "True" }

func conditionOf(o *object, kind string) condition {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, e := range all {
		m, ok := e.(map[string]any)
		if !ok || m["type"] != kind {
			continue
		}
		text := func(k string) string { s, _ := m[k].(string); return s }
		return condition{Type: kind, Status: text("status"), Reason: text("reason"), Message: text("message"), Severity: text("severity")}
	}
	return condition{Type: kind}
}

// setCondition sets one condition. The transition time changes only with the status, Rancher's
// update time with every change. An equal condition is left unchanged.
func setCondition(o *object, c condition, now time.Time, capi bool) error {
	if conditionOf(o, c.Type) == c {
		return nil
	}
	stamp := now.UTC().Format(time.RFC3339)
	m := map[string]any{"type": c.Type, "status": c.Status, "lastTransitionTime": stamp}
	for k, v := range map[string]string{"reason": c.Reason, "message": c.Message, "severity": c.Severity} {
		if v != "" {
			m[k] = v
		}
	}
	if !capi {
		m["lastUpdateTime"] = stamp
	}
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for i, e := range all {
		old, ok := e.(map[string]any)
		if !ok || old["type"] != c.Type {
			continue
		}
		if old["status"] == c.Status {
			m["lastTransitionTime"] = old["lastTransitionTime"]
		}
		all[i] = m
		return unstructured.SetNestedSlice(o.Object, all, "status", "conditions")
	}
	return unstructured.SetNestedSlice(o.Object, append(all, m), "status", "conditions")
}
