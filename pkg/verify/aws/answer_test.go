package aws

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
)

const loginPage = "<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>Sign in &amp; go on</title></head><body><img src=x><p>Please log in</body></html>"

// foreign answers some actions instead of the fake AWS.
type foreign struct {
	fake    *fake
	status  int
	body    string
	actions []string // none: all

	answered atomic.Int32
}

func (f *foreign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if len(f.actions) > 0 && !slices.Contains(f.actions, r.Form.Get("Action")) {
		f.fake.ServeHTTP(w, r)
		return
	}
	f.answered.Add(1)
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.body)
}

// servePages puts foreign in front of the fake.
func servePages(t *testing.T, f *foreign) {
	t.Helper()
	serve(t, f.fake)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
}

// A response with status 200 that is not from EC2 does not mean that there is no instance.
func TestAnswer_notFromAWS_refused(t *testing.T) {
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

// The check applies to every operation.
func TestAnswer_everyOperation_checked(t *testing.T) {
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

// A gateway's error page is named as one, and the SDK retries the request.
func TestAnswer_errorPage_described(t *testing.T) {
	nodes, instances := many(1, "us-east-1", "demo")
	f := &foreign{fake: &fake{instances: instances}, status: 502, body: "<html><head><title>502 Bad Gateway</title></head><body bgcolor=white><hr></body></html>", actions: []string{"DescribeInstances"}}
	servePages(t, f)
	o := quick
	o.TotalTimeout = 3 * time.Second
	if got := Read(t.Context(), nodes, o); got.MissedIn("us-east-1a") == "" && got.Instances.OK() {
		t.Errorf("taken for an answer: %+v", got)
	}
	if n := f.answered.Load(); n < 2 {
		t.Errorf("a 502 was sent again %d times", n)
	}
	_, err := once(t, client(t), nil)
	if why := fmt.Sprint(err); !strings.Contains(why, `HTTP 502`) || !strings.Contains(why, `titled "502 Bad Gateway"`) || strings.Contains(why, "XML syntax") {
		t.Errorf("says %q", why)
	}
}

// client returns an EC2 client for the environment.
func client(t *testing.T) *ec2.Client {
	t.Helper()
	cfg, off, err := connect(t.Context(), quick, "us-east-1")
	if err != nil || off != "" {
		t.Fatal(off, err)
	}
	return ec2Client(cfg, "")
}

// once reads instances without retries. body, if it is not nil, is the answer with status 200.
func once(t *testing.T, client *ec2.Client, body io.Reader) (*ec2.DescribeInstancesOutput, error) {
	t.Helper()
	return client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{}, func(o *ec2.Options) {
		o.Retryer = awssdk.NopRetryer{}
		if body != nil {
			o.HTTPClient = smithyhttp.ClientDoFunc(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
			})
		}
	})
}

// An answer that is cut off anywhere is not accepted.
func TestAnswer_cutOff_refused(t *testing.T) {
	_, instances := many(2, "us-east-1", "demo")
	f := &fake{instances: instances}
	serve(t, f)
	text := f.describe("us-east-1", url.Values{"Filter.1.Name": {"tag-key"}, "Filter.1.Value.1": {"kubernetes.io/cluster/demo"}, "MaxResults": {"10"}})
	api := client(t)
	if out, err := once(t, api, strings.NewReader(text)); err != nil || len(out.Reservations) != 2 {
		t.Fatalf("the whole answer: %+v, %v", out, err)
	}
	for at := range len(text) {
		if out, err := once(t, api, strings.NewReader(text[:at])); err == nil {
			t.Fatalf("cut off behind %q it reads as if it were whole: %+v", text[max(0, at-60):at], out)
		}
	}
}

// An answer without an end is rejected at the limit, which the error names.
func TestAnswer_tooLarge_refused(t *testing.T) {
	serve(t, &fake{})
	begins := "<DescribeInstancesResponse><reservationSet>" + strings.Repeat(" ", 1<<20)
	rest := &limitedBody{ReadCloser: io.NopCloser(blanks{}), left: 0}
	for name, body := range map[string]io.Reader{"before its first element": rest, "within it": io.MultiReader(strings.NewReader(begins), rest)} {
		if _, err := once(t, client(t), body); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has more than %d bytes", maxAnswer)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := once(t, client(t), blanks{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has more than %d bytes", maxAnswer)) {
		t.Errorf("by the client's own limit: %v", err)
	}
}

// A body of exactly its limit is read completely.
func TestLimitedBody(t *testing.T) {
	for size, whole := range map[int]bool{0: true, 9: true, 10: true, 11: false, 1000: false} {
		text, err := io.ReadAll(&limitedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), left: 10})
		if (err == nil) != whole || whole && len(text) != size || bounded.Exceeded(err) == whole {
			t.Errorf("%d bytes: %d are read, %v", size, len(text), err)
		}
	}
}

// blanks is white space without an end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
