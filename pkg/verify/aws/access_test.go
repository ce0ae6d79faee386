package aws

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// asking returns options with keys and a handler that replaces AWS.
func asking(t *testing.T, aws http.Handler) Options {
	t.Helper()
	server := httptest.NewServer(aws)
	t.Cleanup(server.Close)
	return Options{Mode: Auto, Identity: Identity{Keys: Keys{ID: "AKIA", Secret: "s"}, Endpoint: server.URL}, Region: "us-east-1"}
}

func refusedAndUnknown(a cloud.Access) (refused, unknown []string) {
	for _, one := range a.Unknown() {
		unknown = append(unknown, one.Action)
	}
	return a.Refused(), unknown
}

// For each denied action, exactly that one is reported as missing. The result is the same with and
// without a known Node, whose profile and role are then used.
func TestAccess_oneActionDenied_named(t *testing.T) {
	for _, node := range []string{"", "aws:///us-east-1a/" + standin.InstanceID(0)} {
		for _, gone := range append(Actions(), "") {
			var want []string
			if gone != "" {
				want = []string{gone}
			}
			got := Access(t.Context(), asking(t, &standin.AWS{Count: 1, Allowed: func(action string) bool { return action != gone }}), node)
			refused, unknown := refusedAndUnknown(got)
			if !slices.Equal(refused, want) || len(unknown) > 0 || got.Identity.Value.ARN != "arn:aws:iam::1:user/a" || got.Source != "access key AKIA" {
				t.Errorf("without %q, Node %q: refused %v, unknown %v, %+v", gone, node, refused, unknown, got)
			}
		}
	}
}

// Access reads at most one instance and simulates at most one action.
func TestAccess_requests_minimal(t *testing.T) {
	server := &standin.AWS{Count: 3000}
	Access(t.Context(), asking(t, server), "aws:///us-east-1a/"+standin.InstanceID(7))
	want := map[string]int{"GetCallerIdentity": 1, "DescribeInstances": 1, "DescribeInstances instance-id": 1, "DescribeRouteTables": 1,
		"DescribeSecurityGroups": 1, "DescribeSubnets": 1, "GetInstanceProfile": 1, "SimulatePrincipalPolicy": 1,
		"DescribeInstanceHealth": 1, "DescribeListeners": 1, "DescribeLoadBalancerAttributes": 1, "DescribeLoadBalancers": 1, "DescribeTags": 1,
		"DescribeTargetGroupAttributes": 1, "DescribeTargetGroups": 1, "DescribeTargetHealth": 1}
	if diff := cmp.Diff(want, server.Calls()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// Without a known instance a placeholder name is used: IAM reports it as missing only to callers
// with the permission.
func TestAccess_noNode_placeholderName(t *testing.T) {
	for code, allowed := range map[string]bool{"NoSuchEntity": true, "AccessDenied": false} {
		var roles []string
		got := Access(t.Context(), asking(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			if role := r.Form.Get("PolicySourceArn"); role != "" {
				roles = append(roles, role)
			}
			if r.Form.Get("Action") == "GetCallerIdentity" {
				(&standin.AWS{}).ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`<ErrorResponse><Error><Code>` + code + `</Code><Message>x</Message></Error></ErrorResponse>`))
		})), "")
		for _, one := range got.Actions[4:] {
			if one.Allowed != allowed || one.Err != nil {
				t.Errorf("%s: %+v", code, one)
			}
		}
		if want := []string{"arn:aws:iam::1:role/" + placeholderName}; !slices.Equal(roles, want) {
			t.Errorf("asked about %v", roles)
		}
	}
}

// An AWS that does not answer, or answers something else, gives neither a yes nor a no, within the
// timeout.
func TestAccess_noAnswer_unknown(t *testing.T) {
	silent := asking(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // a server that has not read a request does not see that its client is gone
		<-r.Context().Done()
	}))
	silent.SideTimeout = 200 * time.Millisecond
	page := asking(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(loginPage)) }))
	expired := asking(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`<Response><Errors><Error><Code>AuthFailure</Code><Message>x</Message></Error></Errors></Response>`))
	}))
	for name, o := range map[string]Options{"nothing": silent, "a login page": page, "refused credentials": expired} {
		got := Access(t.Context(), o, "")
		if refused, unknown := refusedAndUnknown(got); len(refused) > 0 || !slices.Equal(unknown, Actions()) {
			t.Errorf("%s: refused %v, unknown %v", name, refused, unknown)
		}
	}
}

// Missing credentials, a disabled AWS, and credentials that do not work are three different results.
func TestAccess_noCredentials_explained(t *testing.T) {
	off := Access(t.Context(), Options{Mode: Off}, "")
	nobodys := Access(t.Context(), Options{Mode: Auto}, "")
	wanted := Access(t.Context(), Options{Mode: On}, "")
	nowhere := Access(t.Context(), Options{Mode: Auto, Identity: Identity{Keys: Keys{ID: "AKIA", Secret: "s"}}}, "")
	if !off.Meant || nobodys.Meant || nobodys.Off == "" || wanted.Err == nil || nowhere.Off == "" || len(nowhere.Unknown()) != len(Actions()) {
		t.Errorf("off %+v\nno identity %+v\nwanted %+v\nnowhere %+v", off, nobodys, wanted, nowhere)
	}
}
