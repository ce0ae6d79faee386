package session

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
)

// signed records the identities and regions that an AWS was asked with.
type signed struct {
	standin.AWS
	mu  sync.Mutex
	ids map[string]bool
}

func (s *signed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	id, _, _ := strings.Cut(scope, "/")
	s.mu.Lock()
	s.ids[id] = true
	s.mu.Unlock()
	s.AWS.ServeHTTP(w, r)
}

// Concurrent sessions of one process share no AWS, no cluster, and no identity of the process.
func TestOpen_concurrentSessions_shareNothing(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAPROCESS")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	t.Setenv("AWS_REGION", "us-west-2")
	t.Setenv("KUBECONFIG", "/nonexistent")
	var group sync.WaitGroup
	for i, id := range []string{"AKIAFIRST", "AKIASECOND", ""} {
		nodes := 2 + i
		server := httptest.NewServer(&standin.Nodes{Count: nodes})
		t.Cleanup(server.Close)
		cloud := &signed{AWS: standin.AWS{Count: nodes}, ids: map[string]bool{}}
		endpoint := httptest.NewServer(cloud)
		t.Cleanup(endpoint.Close)
		target := Target{Kind: APIOnly, Name: "demo", Server: Server{Config: &rest.Config{Host: server.URL}}, RequestTimeout: time.Minute}
		options := Options{Choices: Choices{Options: migration.Options{AWS: "auto", ReadOnly: true, InstallMethod: migration.InstallHelm,
			AWSIdentity: aws.Identity{Keys: aws.Keys{ID: id, Secret: "s"}, Endpoint: endpoint.URL}}}}
		group.Go(func() {
			source, err := Audit(t.Context(), target, options)
			if err != nil {
				t.Error(err)
				return
			}
			seen, err := source.Read(t.Context())
			if err != nil || len(seen.Input.Nodes.Value) != nodes {
				t.Errorf("%q: %d Nodes, %v", id, len(seen.Input.Nodes.Value), err)
			}
			cloud.mu.Lock()
			defer cloud.mu.Unlock()
			if id == "" && (len(cloud.ids) > 0 || seen.Input.Cloud.On) {
				t.Errorf("without an identity AWS was asked as %v", cloud.ids)
			}
			if id != "" && (len(cloud.ids) != 1 || !cloud.ids[id] || len(seen.Input.Cloud.Instances.Value) != nodes) {
				t.Errorf("%q: asked as %v, %d instances, %v", id, cloud.ids, len(seen.Input.Cloud.Instances.Value), seen.Input.Cloud.Instances.Err)
			}
		})
	}
	group.Wait()
	if got := os.Getenv("AWS_REGION"); got != "us-west-2" {
		t.Errorf("a session has set the process's region to %q", got)
	}
}

// The caller's configuration is not changed.
func TestServerConfig_copies(t *testing.T) {
	given := &rest.Config{Host: "https://x.example"}
	config, err := serverDialer{time.Second, ReadOnly, clock.RealClock{}}.config(Server{Config: given})
	if err != nil || config.Timeout != time.Second || config.WrapTransport == nil {
		t.Errorf("%+v, %v", config, err)
	}
	if given.Timeout != 0 || given.WrapTransport != nil || given.UserAgent != "" {
		t.Errorf("the caller's was changed: %+v", given)
	}
}

// A missing timeout or cluster is refused before any request.
func TestTargetValidate_refuses(t *testing.T) {
	reached := Server{Load: func() (*rest.Config, error) {
		t.Error("a server was asked for")
		return &rest.Config{}, nil
	}}
	choices := Choices{Options: migration.Options{InstallMethod: migration.InstallHelm, AWS: "off"}}
	choices.RKE2.EndState = "auto"
	for name, target := range map[string]Target{
		"RKE2 without a bound":       {Kind: RKE2, Namespace: "fleet-default", Name: "demo", Server: reached},
		"RKE without a bound":        {Kind: RKE, Name: "demo", Server: reached, RequestTimeout: -time.Second},
		"cluster.yml without one":    {Kind: ClusterFile, File: "testdata/none.yml", Server: reached},
		"no name":                    {Kind: RKE2, Server: reached, RequestTimeout: time.Minute},
		"no cluster.yml":             {Kind: ClusterFile, Server: reached, RequestTimeout: time.Minute},
		"both kinds of RKE":          {Kind: RKE, Name: "demo", File: "cluster.yml", Server: reached, RequestTimeout: time.Minute},
		"no server":                  {Kind: RKE2, Name: "demo", RequestTimeout: time.Minute},
		"what cannot be migrated":    {Kind: APIOnly, Name: "demo", Server: reached, RequestTimeout: time.Minute},
		"no kind":                    {Name: "demo", Server: reached, RequestTimeout: time.Minute},
		"a file that is not there":   {Kind: ClusterFile, File: "testdata/none.yml", Server: reached, RequestTimeout: time.Minute},
		"an audit without its bound": {Kind: APIOnly, Server: reached},
	} {
		_, err := Open(t.Context(), target, Options{Choices: choices}, ReadOnly)
		if fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
