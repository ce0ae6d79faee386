package clustertest

import (
	"context"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Versioned answers requests for /version with Version, or with an error if it is empty.
type Versioned struct {
	http.RoundTripper
	Version string
}

// RoundTrip implements http.RoundTripper.
func (v Versioned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/version" && v.Version == "" {
		return nil, context.DeadlineExceeded
	}
	response, err := v.RoundTripper.RoundTrip(r)
	if err == nil && r.URL.Path == "/version" {
		response.Body = readAll(`{"major":"1","minor":"26","gitVersion":"` + v.Version + `"}`)
	}
	return response, err
}

func readAll(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

// Reached returns access to a cluster at a position: a fake API, and a Backend whose reading
// is At.
func Reached(p position.Position) (migration.Access, *fake.Clientset, *Side) {
	client := Served(p)
	by := &Side{Editor: &Editor{}, Config: SideConfig{At: p, Installed: migration.InstallManifest}}
	return migration.Access{Kube: client, Config: restfake.Config(client, "v1.26.15+rke2r1"), Clock: Clock{FakeClock: clocktesting.NewFakeClock(Start)},
		Distribution: wellknown.RKE2, Options: migration.Options{InstallMethod: migration.InstallHelm, AWS: "off"}}, client, by
}
