package aws

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

const loginPage = "<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>Sign in &amp; go on</title></head><body><img src=x><p>Please log in</body></html>"

// foreign answers for AWS instead of a fake, for some actions.
type foreign struct {
	fake    *fake
	status  int
	body    string
	actions []string // none: all
}

func (f *foreign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if len(f.actions) > 0 && !slices.Contains(f.actions, r.Form.Get("Action")) {
		f.fake.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.body)
}

// servePages puts foreign before the fake.
func servePages(t *testing.T, f *foreign) {
	t.Helper()
	serve(t, f.fake)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
}

// What answers with status 200 and is not EC2 has not said that there is no instance.
func TestOnlyAWSAnswersForAWS(t *testing.T) {
	for name, tc := range map[string]struct{ body, says string }{
		"a login page":             {loginPage, `an HTML page titled "Sign in & go on"`},
		"well-formed XHTML":        {`<html xmlns="http://www.w3.org/1999/xhtml"><body>hello</body></html>`, `"hello"`},
		"nothing":                  {"", "is empty"},
		"blanks":                   {" \n ", "is empty"},
		"text":                     {"OK", `begins with "OK"`},
		"JSON":                     {`{"reservations":[]}`, "reservations"},
		"another operation's":      {`<DescribeVpcsResponse></DescribeVpcsResponse>`, "DescribeVpcsResponse"},
		"an element that is close": {`<?xml version="1.0"?><DescribeInstances/>`, "DescribeInstances"},
		"an error with status 200": {`<Response><Errors><Error><Code>X</Code></Error></Errors></Response>`, "Code"},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, instances := many(3, "us-east-1", "demo")
			servePages(t, &foreign{fake: &fake{instances: instances}, status: 200, body: tc.body})
			got := Read(t.Context(), nodes, quick)
			why := got.MissedIn("us-east-1a")
			if got.Instances.OK() && why == "" || got.Identity.OK() || got.Unclaimed.OK() || got.Roles.OK() {
				t.Fatalf("taken for an answer: %+v", got)
			}
			if text := fmt.Sprint(why, got.Instances.Err); !strings.Contains(text, tc.says) || !strings.Contains(text, "not AWS's") {
				t.Errorf("says %q, want %q in it", text, tc.says)
			}
		})
	}
}

// The same of every operation that is asked, each on its own.
func TestEveryOperationIsHeldToItsAnswer(t *testing.T) {
	for _, action := range []string{"DescribeSecurityGroups", "DescribeSubnets", "DescribeRouteTables", "GetCallerIdentity", "GetInstanceProfile", "SimulatePrincipalPolicy"} {
		t.Run(action, func(t *testing.T) {
			nodes, instances := many(3, "us-east-1", "demo")
			servePages(t, &foreign{fake: &fake{instances: instances}, status: 200, body: "<x/>", actions: []string{action}})
			got := Read(t.Context(), nodes, quick)
			var read []bool
			for _, ok := range []bool{got.SecurityGroups.OK(), got.Subnets.OK(), got.RouteTables.OK(), got.Identity.OK(), got.Roles.OK()} {
				if ok {
					read = append(read, ok)
				}
			}
			if !got.Instances.OK() || len(got.Instances.Value) != 3 || len(read) != 4 {
				t.Errorf("%d of five parts were read, want 4: %+v", len(read), got)
			}
		})
	}
	t.Run("AssumeRole", func(t *testing.T) {
		nodes, instances := many(1, "us-east-1", "demo")
		servePages(t, &foreign{fake: &fake{instances: instances}, status: 200, body: loginPage, actions: []string{"AssumeRole"}})
		o := quick
		o.AssumeRole = "arn:aws:iam::2:role/audit"
		if got := Read(t.Context(), nodes, o); got.Instances.OK() {
			t.Errorf("a role was assumed from a login page: %+v", got)
		}
	})
}

// A gateway's error page is told as what it is, and as often as before.
func TestErrorPagesAreReadable(t *testing.T) {
	nodes, instances := many(1, "us-east-1", "demo")
	f := &fake{instances: instances}
	servePages(t, &foreign{fake: f, status: 502, body: "<html><head><title>502 Bad Gateway</title></head><body bgcolor=white><hr></body></html>", actions: []string{"DescribeInstances"}})
	o := quick
	o.Patience = 3 * time.Second
	got := Read(t.Context(), nodes, o)
	why := fmt.Sprint(got.MissedIn("us-east-1a"), got.Instances.Err)
	if !strings.Contains(why, `HTTP 502`) || !strings.Contains(why, `titled "502 Bad Gateway"`) || strings.Contains(why, "XML syntax") {
		t.Errorf("says %q", why)
	}
	if got.Calls["ec2:DescribeInstances"] < 2 {
		t.Errorf("a 502 was not sent again: %v", got.Calls)
	}
}
