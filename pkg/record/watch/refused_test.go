package watch

import (
	"errors"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no role"))
}

// What is forbidden is asked for less and less often, anything else as often as before.
func TestRefusalsAreAskedForSeldom(t *testing.T) {
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	asked := func(answer func(n int) error) (n int) {
		var r refusals
		for at := began; at.Before(began.Add(time.Hour)); at = at.Add(time.Second) {
			if r.over(at) {
				r.heard(answer(n), at, time.Second)
				n++
			}
		}
		return n
	}
	if n := asked(func(int) error { return forbidden() }); n < 12 || n > 25 {
		t.Errorf("what is forbidden was asked for %d times in an hour", n)
	}
	if n := asked(func(int) error { return errors.New("timeout") }); n != 3600 {
		t.Errorf("after errors that pass %d times", n)
	}
	if n := asked(func(n int) error {
		if n < 3 {
			return forbidden()
		}
		return nil
	}); n < 3500 {
		t.Errorf("after it was granted %d times", n)
	}
}

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
