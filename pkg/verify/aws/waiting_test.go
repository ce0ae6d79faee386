package aws

import (
	"context"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// After 5 seconds, and not before, a line says which service is waited for and until
// when; what it comes to is unknown.
func TestWaitingIsSaid(t *testing.T) {
	for action, want := range map[string]string{
		"DescribeInstances":  "EC2 in us-east-1 until 09:01:00",
		"GetInstanceProfile": "IAM until 09:00:20",
		"DescribeSubnets":    "EC2 until 09:01:00",
		"GetCallerIdentity":  "STS until 09:00:20",
	} {
		t.Run(action, func(t *testing.T) {
			nodes, instances := many(3, "us-east-1", "demo")
			asked := make(chan struct{}, 100)
			serve(t, &fake{instances: instances, silent: action, heard: asked})
			now := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC))
			lines := make(chan string, 100)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := Options{Identity: ofProcess(), Mode: On, Actions: []string{"a:A"}, Timeout: time.Hour, Clock: now, OnWait: func(line string) { lines <- line }}
			done := make(chan cloud.Facts, 1)
			go func() { done <- Read(ctx, nodes, o) }()
			<-asked
			now.Step(silence - time.Millisecond)
			if len(lines) > 0 {
				t.Errorf("said before it was time: %q", <-lines)
			}
			now.Step(time.Millisecond)
			if line := <-lines; !strings.Contains(line, want) {
				t.Errorf("says %q, want %q in it", line, want)
			}
			cancel()
			f := <-done
			if f.Instances.OK() && f.Roles.OK() && f.Subnets.OK() && f.Identity.OK() {
				t.Error("all is known")
			}
		})
	}
}

// What has answered is not waited for.
func TestNothingIsSaidOfAnswers(t *testing.T) {
	var w waits
	end := w.begin("IAM", time.Unix(0, 0).UTC())
	if got := w.line(); !strings.Contains(got, "IAM until 00:00:00") {
		t.Error(got)
	}
	if end(); w.line() != "" {
		t.Error(w.line())
	}
}

// All that is asked of AWS is bounded by less than what a person takes for a hang.
func TestAWSIsBounded(t *testing.T) {
	if DefaultPatience > time.Minute || DefaultSidePatience > DefaultPatience || credentialPatience > DefaultSidePatience {
		t.Errorf("%s, %s, %s", DefaultPatience, DefaultSidePatience, credentialPatience)
	}
}
