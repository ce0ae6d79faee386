package migration

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// TakenBack is the verdict on a roll whose edit is no longer in the object that it
// was made in: what is waited for cannot come any more. lacks are the places, by is
// who wrote there last, empty where that cannot be seen. The fault is of class Stale.
func TakenBack(object string, lacks []string, by string) runner.Verdict {
	seen := "the edit was taken back by " + OrElse(by, "somebody who left no name") + " while it was rolled out"
	if len(lacks) > 0 {
		seen += ": " + strings.Join(lacks, ", ")
	}
	return Failed(&fault.Error{Class: fault.Stale, Reason: "EditTakenBack", Object: object, Seen: seen,
		Wanted: "the edit, until it is rolled out",
		Fix:    "change it where that configuration comes from (Terraform, Fleet, a pipeline, a person), or pause that; then run the same command again, or undo"})
}

// LastWriter is the field manager that wrote an object's spec last; "" if nothing
// tells. Times are whole seconds: of two in the same one it is not awsmigrate, whose
// write came first or was not taken back.
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

// Met is the verdict that a step's end was seen.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// Braked is the verdict that going on would do harm.
func Braked(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

// Failed is the verdict on what waiting does not put right.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
