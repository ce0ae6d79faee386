package runner

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// TestOnAPIServer holds everything that needs a real API server: only it has
// resource versions, preconditions and outages that are true.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	for _, group := range []struct {
		name  string
		tests map[string]func(*testing.T, *rest.Config)
	}{
		{"journal", journalTests},
		{"lease", leaseTests},
		{"owner", deadTests},
		{"run", runTests},
	} {
		for name, test := range group.tests {
			t.Run(group.name+"/"+name, func(t *testing.T) { test(t, server.Config()) })
		}
	}
	t.Run("API server restarts during a step", func(t *testing.T) { testRestart(t, server) })
}
