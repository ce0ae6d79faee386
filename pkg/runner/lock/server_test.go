package lock

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// TestOnAPIServer holds everything of a lock that needs a real API server: only it has
// resource versions, preconditions and outages that are true.
func TestOnAPIServer2(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	for name, test := range leaseTests {
		t.Run("lease/"+name, func(t *testing.T) { test(t, server.Config()) })
	}
	for name, test := range deadTests {
		t.Run("owner/"+name, func(t *testing.T) { test(t, server.Config()) })
	}
	for name, test := range podTests {
		t.Run("pod/"+name, func(t *testing.T) { test(t, server.Config()) })
	}
}
