package aws

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/elb"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// ofProcess returns the identity of the process, as the command line uses it.
func ofProcess() Identity { return Identity{Process: os.Getenv} }

// signers records the access keys and regions of the requests.
type signers struct {
	fake
	mu  sync.Mutex
	all map[string]bool
}

func (s *signers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	id, _, _ := strings.Cut(scope, "/")
	s.mu.Lock()
	s.all[id+" in "+regionOf(r)] = true
	s.mu.Unlock()
	s.fake.ServeHTTP(w, r)
}

// The identity of other keys shares the limits and the endpoint of its process, and nothing that
// identifies it.
func TestIdentity_With(t *testing.T) {
	process := Identity{Process: os.Getenv, Endpoint: "http://127.0.0.1", Pace: &elb.Pace{}}
	got := process.With(Keys{ID: "AKIA", Secret: "s"})
	if got.Keys.ID != "AKIA" || got.Process != nil || got.Endpoint != process.Endpoint || got.Pace != process.Pace {
		t.Errorf("%+v", got)
	}
	if process.Keys.ID != "" || process.Process == nil {
		t.Errorf("the process has lost its own identity: %+v", process)
	}
}

// Two concurrent runs in one process each use their own credentials, role, region and endpoint, and
// not those of the process.
func TestRead_twoIdentities_separate(t *testing.T) {
	serve(t, &fake{}) // the process has an identity, and an endpoint, of its own
	t.Setenv("AWS_PROFILE", "one-that-is-not-there")
	t.Setenv("AWS_REGION", "us-west-2")
	runs := []struct {
		region, role string
		keys         Keys
		wanted       []string
	}{
		{"us-east-1", "", Keys{ID: "AKIAFIRST", Secret: "s"}, []string{"AKIAFIRST in us-east-1"}},
		{"eu-west-1", "arn:aws:iam::2:role/audit", Keys{ID: "AKIASECOND", Secret: "s", Token: "t"}, []string{"AKIASECOND in eu-west-1", "ASIA in eu-west-1"}},
	}
	var group sync.WaitGroup
	for _, run := range runs {
		nodes, instances := many(3, run.region, "demo")
		api := &signers{fake: fake{asked: map[string]map[string]bool{}, instances: instances}, all: map[string]bool{}}
		server := httptest.NewServer(api)
		t.Cleanup(server.Close)
		group.Go(func() {
			got := Read(t.Context(), nodes, Options{Mode: On, Region: run.region, AssumeRole: run.role,
				Identity: Identity{Keys: run.keys, Endpoint: server.URL, Process: os.Getenv}})
			if !got.Instances.OK() || len(got.Instances.Value) != 3 || !got.Identity.OK() {
				t.Errorf("%s: %v, %v", run.region, got.Instances.Err, got.Identity.Err)
			}
			api.mu.Lock()
			defer api.mu.Unlock()
			for _, who := range run.wanted {
				if !api.all[who] {
					t.Errorf("%s: no request as %s, but %v", run.region, who, api.all)
				}
			}
			for who := range api.all {
				if !strings.HasPrefix(who, run.keys.ID+" ") && (run.role == "" || !strings.HasPrefix(who, "ASIA ")) {
					t.Errorf("%s: unexpected request as %s", run.region, who)
				}
			}
		})
	}
	group.Wait()
}

// A run without an identity has no credentials, even if the process has some.
func TestRead_noIdentity_noCredentials(t *testing.T) {
	serve(t, &fake{})
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAPROCESS")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	nodes, _ := many(1, "us-east-1", "")
	var got cloud.Facts
	if got = Read(t.Context(), nodes, Options{Mode: Auto}); got.On || !strings.Contains(got.Off, "no AWS credentials") {
		t.Errorf("auto: %+v", got)
	}
	if got = Read(t.Context(), nodes, Options{Mode: On}); got.Instances.OK() || got.Instances.Err == nil {
		t.Errorf("on: %+v", got)
	}
	if got = Read(t.Context(), nodes, Options{Mode: Auto, Profile: "p", Identity: Identity{Keys: Keys{ID: "AKIA", Secret: "hidden"}}}); got.Instances.OK() || !strings.Contains(fmt.Sprint(got.Instances.Err), "cannot be combined with explicit credentials") {
		t.Errorf("a profile of the process, with keys of the run: %+v", got)
	}
	if shown := fmt.Sprintf("%v %+v %#v", Keys{ID: "AKIA", Secret: "hidden"}, Identity{Keys: Keys{Secret: "hidden"}}, Keys{Secret: "hidden"}); strings.Contains(shown, "hidden") {
		t.Errorf("a secret is shown: %s", shown)
	}
}
