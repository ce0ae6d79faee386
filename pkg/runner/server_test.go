package runner

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/apiserver"
)

// TestOnAPIServer holds everything that needs a real API server: only it has
// resource versions, preconditions and outages that are true.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	c, _ := client(t, server.Config())
	if err := Retry(t.Context(), clock.RealClock{}, time.Minute, func(ctx context.Context) error {
		_, err := c.CoreV1().Namespaces().Get(ctx, "default", get) // made soon after the server is ready
		if apierrors.IsNotFound(err) {
			return apierrors.NewServiceUnavailable(err.Error())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
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
