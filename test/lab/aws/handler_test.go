package aws_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

func TestRecord(t *testing.T) {
	f := newFixture(t, aws.Options{})
	i := f.run(t, aws.Instance{})
	kcm := ec2.NewFromConfig(f.config(aws.RoleControlPlane, "kube-controller-manager-10.0.0.1"))
	must[*ec2.DescribeInstancesOutput](t)(kcm.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{
		Filters: []types.Filter{filter("private-dns-name", "a", "b")}}))
	must[*ec2.CreateTagsOutput](t)(kcm.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{i.ID},
		Tags: []types.Tag{{Key: sdk.String("Name"), Value: sdk.String("x")}}}))
	if _, err := f.ec2(aws.RoleWorker).DescribeVpcs(t.Context(), &ec2.DescribeVpcsInput{}); err == nil {
		t.Fatal("a worker may describe VPCs")
	}
	want := []aws.Call{
		{Time: start, Caller: "kube-controller-manager-10.0.0.1", Principal: "arn:aws:sts::123456789012:assumed-role/control-plane/lab",
			Service: "ec2", Action: "DescribeInstances", Params: map[string][]string{"Filter:private-dns-name": {"a", "b"}}},
		{Time: start, Caller: "kube-controller-manager-10.0.0.1", Principal: "arn:aws:sts::123456789012:assumed-role/control-plane/lab",
			Service: "ec2", Action: "CreateTags", Write: true, Params: map[string][]string{"ResourceId": {i.ID}, "Tag:Name": {"x"}}},
		{Time: start, Caller: "test", Principal: "arn:aws:sts::123456789012:assumed-role/worker/lab",
			Service: "ec2", Action: "DescribeVpcs", Error: "UnauthorizedOperation"},
	}
	if diff := cmp.Diff(want, f.calls(t), cmpopts.IgnoreFields(aws.Call{}, "RequestID"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestUnservedActionIsRefusedAndRecorded(t *testing.T) {
	f := newFixture(t, aws.Options{})
	if err := f.SetPolicy("admin", []string{"*"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.ec2("admin").DescribeKeyPairs(t.Context(), &ec2.DescribeKeyPairsInput{})
	if got := code(t, err); got != "InvalidAction" {
		t.Errorf("code = %s", got)
	}
	if got := f.calls(t); len(got) != 1 || got[0].Action != "DescribeKeyPairs" || got[0].Error != "InvalidAction" {
		t.Errorf("recorded %+v", got)
	}
}

func TestPathsWithoutCaller(t *testing.T) {
	f := newFixture(t, aws.Options{})
	for _, path := range []string{"/", "/as/", "/as/x/y/", "/other/x/"} {
		if status, body := get(t, f.url+path); status != http.StatusNotFound || !strings.Contains(body, "/as/<caller>/") {
			t.Errorf("%s = %d %q", path, status, body)
		}
	}
}

func TestUnsigned(t *testing.T) {
	f := newFixture(t, aws.Options{})
	status, body := get(t, f.url+"/as/x/?Action=DescribeVpcs&Version=2016-11-15")
	if status != http.StatusForbidden || !strings.Contains(body, "MissingAuthenticationToken") {
		t.Errorf("%d %s", status, body)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCallThatCannotBeRecordedFails(t *testing.T) {
	server := httptest.NewServer(aws.New(aws.Options{Record: brokenWriter{}}).Handler())
	defer server.Close()
	status, body := get(t, server.URL+"/as/x/?Action=DescribeVpcs&Version=2016-11-15")
	if status != http.StatusInternalServerError || !strings.Contains(body, "disk full") {
		t.Errorf("%d %s", status, body)
	}
}

func TestThrottling(t *testing.T) {
	f := newFixture(t, aws.Options{})
	f.SetThrottle(aws.TokenBucket(func() time.Time { return *f.at }, 1, 2))
	regions := func() error {
		_, err := f.ec2(aws.RoleOperator).DescribeRegions(t.Context(), &ec2.DescribeRegionsInput{})
		return err
	}
	for n := range 2 {
		if err := regions(); err != nil {
			t.Fatalf("call %d within the burst: %v", n, err)
		}
	}
	if err := regions(); code(t, err) != "RequestLimitExceeded" {
		t.Error(err)
	}
	if _, err := f.elb(aws.RoleOperator).DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{}); err != nil {
		t.Errorf("another action has its own bucket: %v", err)
	}
	*f.at = start.Add(time.Second)
	if err := regions(); err != nil {
		t.Errorf("after a second: %v", err)
	}
	f.SetThrottle(func(_, service, _ string) bool { return service == "elb" })
	if _, err := f.elb(aws.RoleOperator).DescribeLoadBalancers(t.Context(), &elb.DescribeLoadBalancersInput{}); code(t, err) != "Throttling" {
		t.Error(err)
	}
}

// The Describe actions of one API share a bucket. Other actions and the other API do not take from
// it.
func TestBalancerLimits(t *testing.T) {
	at := start
	throttled := aws.BalancerLimits(func() time.Time { return at })
	count := func(service string, actions ...string) (refused int) {
		for n := range 50 {
			if throttled("x", service, actions[n%len(actions)]) {
				refused++
			}
		}
		return refused
	}
	if refused := count("elbv2", "DescribeLoadBalancers", "DescribeTags"); refused != 10 {
		t.Errorf("%d of 50 refused at once", refused)
	}
	if refused := count("elbv2", "RegisterTargets") + count("ec2", "DescribeInstances"); refused != 0 {
		t.Errorf("%d of other actions refused", refused)
	}
	if refused := count("elb", "DescribeLoadBalancers"); refused != 10 {
		t.Errorf("the other API: %d refused", refused)
	}
	at = at.Add(2 * time.Second)
	if refused := count("elbv2", "DescribeListeners"); refused != 30 {
		t.Errorf("after 2 s %d refused", refused)
	}
}

func TestConcurrentCallers(t *testing.T) {
	f := newFixture(t, aws.Options{})
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for n := range 8 {
		wg.Go(func() {
			client := ec2.NewFromConfig(f.config(aws.RoleControlPlane, fmt.Sprint("caller-", n)))
			name := fmt.Sprint("group-", n)
			_, err := client.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{GroupName: &name, Description: &name})
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if got := len(f.calls(t)); got != 8 {
		t.Errorf("%d whole lines recorded, want 8", got)
	}
}

func TestErrorBodies(t *testing.T) {
	f := newFixture(t, aws.Options{})
	for version, want := range map[string]string{
		"2016-11-15": "<Response><Errors><Error><Code>MissingAuthenticationToken</Code>",
		"2012-06-01": "<Error><Type>Sender</Type><Code>MissingAuthenticationToken</Code>",
	} {
		response := must[*http.Response](t)(http.Post(f.url+"/as/x", "application/x-www-form-urlencoded", //nolint:bodyclose // closed below
			strings.NewReader("Action=DescribeX&Version="+version)))
		body := must[[]byte](t)(io.ReadAll(response.Body))
		response.Body.Close()
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", version, body)
		}
	}
}
