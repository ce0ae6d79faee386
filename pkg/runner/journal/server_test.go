package journal

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// TestOnAPIServer holds everything of a journal that needs a real API server: only it
// has resource versions, preconditions and outages that are true.
func TestOnAPIServer3(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	for name, test := range journalTests {
		t.Run(name, func(t *testing.T) { test(t, server.Config()) })
	}
}
