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

// Commands in an error begin with the words that start the program.
func TestAsTyped_plugin_commandsAsStarted(t *testing.T) {
	for text, want := range map[string]string{
		"awsmigrate rke --config cluster.yml":                  "kubectl awsmigrate rke --config cluster.yml",
		"did you mean kubectl awsmigrate plan --cluster prod?": "did you mean kubectl awsmigrate plan --cluster prod?",
		"`awsmigrate list` shows them":                         "`kubectl awsmigrate list` shows them",
		"an edit of awsmigrate that can be undone":             "an edit of awsmigrate that can be undone",
	} {
		if got := asTyped("kubectl awsmigrate", text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
