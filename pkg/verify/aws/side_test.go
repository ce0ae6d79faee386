package aws

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// If IAM and STS do not answer, only their own facts are missing, and EC2 keeps its time.
func TestRead_IAMSilent_EC2Complete(t *testing.T) {
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
	o.Timeout, o.TotalTimeout, o.SideTimeout = time.Hour, time.Hour, 300*time.Millisecond
	if got := Read(t.Context(), nodes, o); !got.Instances.OK() || got.Roles.OK() || got.Identity.OK() {
		t.Errorf("%+v", got)
	}
}
