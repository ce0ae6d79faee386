package aws

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// IAM and STS that do not answer cost what they would have told, and not the time
// that EC2 has.
func TestIAMThatDoesNotAnswer(t *testing.T) {
	nodes, instances := many(1, "us-east-1", "demo")
	f := &fake{instances: instances}
	serve(t, f)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		if strings.HasPrefix(r.Form.Get("Action"), "Get") {
			<-r.Context().Done()
			return
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	o := quick
	o.Timeout, o.Patience, o.SidePatience = time.Hour, time.Hour, 300*time.Millisecond
	if got := Read(t.Context(), nodes, o); !got.Instances.OK() || got.Roles.OK() || got.Identity.OK() {
		t.Errorf("%+v", got)
	}
}
