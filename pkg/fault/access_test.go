package fault

import (
	"errors"
	"strings"
	"testing"
)

// The message alone shows that the credentials must be renewed and that no right is missing.
func TestUnauthorized(t *testing.T) {
	cause := errors.New("the server has asked for the client to provide credentials")
	err := Unauthorized("Cluster fleet-default/demo", cause)
	if ClassOf(err) != CouldNotLook || !errors.Is(err, cause) || err.Transient {
		t.Errorf("%+v", err)
	}
	for _, part := range []string{"Cluster fleet-default/demo", "401", "expired", "wanted", "kubeconfig", "same command again"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}
