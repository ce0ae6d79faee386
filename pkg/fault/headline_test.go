package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestHeadline(t *testing.T) {
	refused := &Error{Class: CouldNotLook, Reason: "Forbidden", Seen: "not allowed", Fix: "use others", Err: errors.New("leases is forbidden")}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"wrapped":            {fmt.Errorf("fence Lease kube-system/a: %w", refused), "fence Lease kube-system/a: "},
		"wrapped twice":      {fmt.Errorf("gave up after 5m: %w", fmt.Errorf("read Lease a: %w", refused)), "gave up after 5m: read Lease a: "},
		"bare":               {refused, ""},
		"no Error":           {fmt.Errorf("read: %w", errors.New("away")), ""},
		"text after it":      {fmt.Errorf("pause a: %w; then edit", refused), ""},
		"joined with others": {errors.Join(refused, errors.New("and more")), ""},
	} {
		if got := attempt(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for want, err := range map[string]error{
		"away":                       errors.New("away"),
		"fence Lease a: not allowed": fmt.Errorf("fence Lease a: %w", refused),
		"Lease a: Gone":              &Error{Object: "Lease a", Reason: "Gone"},
	} {
		if got := Headline(err); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
