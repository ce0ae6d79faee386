package view

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// An answer without an object is printed with the attempted operation.
func TestFaultLines_noObject_operationNamed(t *testing.T) {
	refused := &fault.Error{Class: fault.CouldNotLook, Reason: "Forbidden", Seen: "not allowed", Fix: "use others", Err: errors.New("forbidden")}
	got := faultLines(fmt.Errorf("cordon Node a: %w", refused))
	want := []faultLine{{"", "cordon Node a: not allowed"}, {"cause    ", "forbidden"}, {labelFix, "use others"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(faultLine{})); diff != "" {
		t.Error(diff)
	}
}
