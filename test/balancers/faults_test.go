package balancers

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// fault answers the operator's requests for one action, in place of AWS. answer holds AWS's own
// answer, to change or to drop.
type fault func(w http.ResponseWriter, r *http.Request, answer string)

// faults returns the ways in which an answer can fail.
func faults() map[string]fault {
	return map[string]fault{
		"late": func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() },
		"cut": func(w http.ResponseWriter, _ *http.Request, answer string) {
			_, _ = w.Write([]byte(answer[:len(answer)/2]))
		},
		"closed": func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
		"unavailable": func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"no XML": func(w http.ResponseWriter, _ *http.Request, _ string) {
			_, _ = w.Write([]byte("<html>a proxy's page</html>"))
		},
	}
}

// secondPage announces a second page, and refuses it.
func secondPage(w http.ResponseWriter, r *http.Request, answer string) {
	if r.Form.Get("Marker") != "" {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	end := "</" + r.Form.Get("Action") + "Result>"
	_, _ = w.Write([]byte(strings.Replace(answer, end, "<NextMarker>more</NextMarker>"+end, 1)))
}

// An answer that is late, incomplete or unreadable makes what it shows unknown, and no load
// balancer is gone. The readings run at once, because each repeats its requests for seconds.
func TestFindings_badAnswers_unknown(t *testing.T) {
	t.Parallel()
	var readings sync.WaitGroup
	defer readings.Wait()
	for _, of := range []struct{ version, action string }{
		{"2012-06-01", "DescribeInstanceHealth"}, {"2012-06-01", "DescribeLoadBalancers"}, {"2012-06-01", "DescribeTags"},
		{"2015-12-01", "DescribeLoadBalancers"}, {"2015-12-01", "DescribeTags"}, {"2015-12-01", "DescribeTargetGroups"}, {"2015-12-01", "DescribeTargetHealth"},
	} {
		ways := faults()
		if of.action == "DescribeLoadBalancers" || of.action == "DescribeTargetGroups" {
			ways["second page refused"] = secondPage
		}
		for name, bad := range ways {
			a := newAccount(t, aws.Options{})
			a.addClassic()
			a.addNetwork()
			var faulty atomic.Int32
			a.timeout = 2 * time.Second
			a.front = a.with(of.version, of.action, func(w http.ResponseWriter, r *http.Request, answer string) {
				faulty.Add(1)
				bad(w, r, answer)
			})
			readings.Go(func() {
				got := a.findings(nil)
				if faulty.Load() == 0 || len(got) == 0 || slices.ContainsFunc(got, func(f string) bool { return !strings.Contains(f, " unknown ") }) {
					t.Errorf("%s %s: after %d bad answers: %q", of, name, faulty.Load(), got)
				}
			})
		}
	}
}

// with returns AWS with a fault in the answers to the operator's requests for an action of an
// API, which its version identifies.
func (a *account) with(version, action string, bad fault) http.Handler {
	cloud := a.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		cloud.ServeHTTP(answer, r)
		if strings.HasPrefix(r.URL.Path, "/as/operator/") && r.Form.Get("Version") == version && r.Form.Get("Action") == action {
			bad(w, r, answer.Body.String())
			return
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}
