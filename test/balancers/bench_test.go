package balancers

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// latency is about that of an answer within a region.
const latency = 50 * time.Millisecond

// BenchmarkReconcile_besideReading measures what the reading of load balancers costs a CCM that
// reconciles at the same time, under AWS's limits for an account: its seconds for 300 Describe
// calls, one after the other, alone and next to readings in detail that follow each other.
func BenchmarkReconcile_besideReading(b *testing.B) {
	for _, reading := range []struct {
		name string
		on   bool
	}{{"alone", false}, {"next to others", true}} {
		b.Run(reading.name, func(b *testing.B) {
			for b.Loop() {
				besideReading(b, reading.on)
			}
		})
	}
}

func besideReading(b *testing.B, reads bool) {
	a := newAccount(b, aws.Options{})
	for range 40 {
		a.addNetwork()
	}
	a.SetThrottle(aws.BalancerLimits(time.Now))
	cloud := a.Handler()
	a.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		cloud.ServeHTTP(w, r)
	})
	ctx, stop := context.WithCancel(b.Context())
	var reading sync.WaitGroup
	readings := 0
	if reads {
		reading.Go(func() {
			for ctx.Err() == nil {
				a.read(true)
				readings++
			}
		})
	}
	client, refused := v2.NewFromConfig(a.config(aws.RoleControlPlane, "ccm")), 0
	began := time.Now()
	for range 300 {
		for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
			_, err := client.DescribeLoadBalancers(ctx, &v2.DescribeLoadBalancersInput{Names: []string{balancerName(0)}})
			if err == nil {
				break
			}
			var refusal interface{ ErrorCode() string }
			if !errors.As(err, &refusal) || refusal.ErrorCode() != "Throttling" {
				b.Fatal(err)
			}
			refused++
			time.Sleep(wait)
		}
	}
	b.ReportMetric(time.Since(began).Seconds(), "ccm-s")
	b.ReportMetric(float64(refused), "refused")
	stop()
	reading.Wait()
	b.ReportMetric(float64(readings), "readings")
}
