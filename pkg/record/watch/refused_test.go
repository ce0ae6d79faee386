package watch

import (
	"slices"
	"testing"
)

// It is told once of each.
func TestRefusalsAreToldOnce(t *testing.T) {
	var told []string
	s := &session{recorder: Recorder{Refused: func(what string) { told = append(told, what) }}, refused: map[string]bool{}}
	for _, what := range []string{"pods", "nodes", "pods"} {
		s.told(what)
	}
	if !slices.Equal(told, []string{"pods", "nodes"}) {
		t.Errorf("%q", told)
	}
}
