package runner

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// TestOnAPIServer covers everything that needs a real API server: real resource versions,
// preconditions and outages.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	for name, test := range runTests {
		t.Run("run/"+name, func(t *testing.T) { test(t, server.Config()) })
	}
	t.Run("API server restarts during a step", func(t *testing.T) { testRestart(t, server) })
}
