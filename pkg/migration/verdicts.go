package migration

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// EditReverted returns the verdict on a rollout whose edit was reverted in the object. Such a
// rollout can never finish. lacks holds the reverted locations. by is the last writer of the
// object, empty if unknown. The fault is of class Stale.
func EditReverted(object string, lacks []string, by string) runner.Verdict {
	seen := "the edit was reverted by " + OrElse(by, "an unknown writer") + " during its rollout"
	if len(lacks) > 0 {
		seen += ": " + strings.Join(lacks, ", ")
	}
	return Failed(&fault.Error{Class: fault.Stale, Reason: "EditTakenBack", Object: object, Seen: seen,
		Wanted: "the edit in place until its rollout ends",
		Fix:    "make the edit at the source of that configuration (Terraform, Fleet, a pipeline, a person), or pause the source; then run the same command again, or undo"})
}

// LastWriter returns the field manager that last wrote an object's spec, or "" if unknown.
// Times are whole seconds. Of two writers in the same second it returns the other one than
// awsmigrate, since the caller looks for a writer that reverted awsmigrate's edit.
func LastWriter(object *unstructured.Unstructured) string {
	var name string
	var when int64
	for _, entry := range object.GetManagedFields() {
		if entry.Subresource != "" || entry.Time == nil || entry.FieldsV1 == nil || !strings.Contains(string(entry.FieldsV1.GetRawBytes()), `"f:spec"`) {
			continue
		}
		if at := entry.Time.Unix(); at > when || at == when && name == wellknown.FieldManager {
			name, when = entry.Manager, at
		}
	}
	return name
}

// Met returns the verdict that a step reached its end.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// MustPause returns the verdict that the rollout must pause, since continuing would do harm.
func MustPause(err error) runner.Verdict { return runner.Verdict{Kind: runner.MustPause, Err: err} }

// Failed returns the verdict that waiting does not help.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
