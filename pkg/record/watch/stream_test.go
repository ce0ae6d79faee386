package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// skipping is a clock on which every timer is over at once.
type skipping struct{ *clocktesting.FakeClock }

func (s skipping) NewTimer(d time.Duration) clock.Timer {
	timer := s.FakeClock.NewTimer(d)
	s.Step(d)
	return timer
}

// A server that ends every watch at once, with or without an error, is asked less and less often.
func TestFollow_endedAtOnce_asksLess(t *testing.T) {
	for name, tt := range map[string]struct {
		events []watch.Event
		lasts  time.Duration
		most   int // watches in a minute
	}{
		"at its begin":        {nil, 0, 35},
		"by an error":         {[]watch.Event{{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonInternalError}}}, 0, 35},
		"at its normal end":   {nil, 30 * time.Second, 3},
		"after a long outage": {[]watch.Event{{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonInternalError}}}, 30 * time.Second, 3},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		c := skipping{clocktesting.NewFakeClock(time.Unix(0, 0))}
		s := &session{recorder: Recorder{Clock: c, Sink: &memory{}}, begun: map[record.Stream]int{}, away: map[*stream]away{}}
		asked := 0
		w := s.stream(source{stream: record.Pods,
			list: func(context.Context, string, func(any)) (string, error) { return "1", nil },
			watch: func(context.Context, string) (watch.Interface, error) {
				asked++
				c.Step(tt.lasts)
				if c.Since(time.Unix(0, 0)) > time.Minute {
					cancel()
				}
				ended := watch.NewFakeWithChanSize(len(tt.events), false)
				for _, e := range tt.events {
					ended.Action(e.Type, e.Object)
				}
				ended.Stop()
				return ended, nil
			}})
		w.follow(ctx)
		cancel()
		if asked > tt.most || w.pause > longestPause {
			t.Errorf("%s: %d watches in a minute, at most %d wanted; pause %s", name, asked, tt.most, w.pause)
		}
	}
}

// A restarted API server knows no older version. It is listed soon, however long it was away.
func TestFollow_expiredAfterAnOutage_listsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := skipping{clocktesting.NewFakeClock(time.Unix(0, 0))}
	s := &session{recorder: Recorder{Clock: c, Sink: &memory{}}, began: c.Now(), begun: map[record.Stream]int{}, away: map[*stream]away{}}
	watches, expired, took := 0, time.Time{}, time.Duration(-1)
	w := s.stream(source{stream: record.Pods,
		list: func(context.Context, string, func(any)) (string, error) {
			if !expired.IsZero() {
				took = c.Since(expired)
				cancel()
				return "", ctx.Err()
			}
			return "1", nil
		},
		watch: func(context.Context, string) (watch.Interface, error) {
			switch watches++; {
			case watches == 1:
				c.Step(time.Minute)
			case watches < 10:
				return nil, errors.New("connection refused")
			default:
				expired = c.Now()
			}
			ended := watch.NewFakeWithChanSize(1, false)
			if !expired.IsZero() {
				ended.Action(watch.Error, &metav1.Status{Reason: metav1.StatusReasonExpired})
			}
			ended.Stop()
			return ended, nil
		}})
	w.follow(ctx)
	if took < 0 || took > firstPause {
		t.Errorf("listed %s after the end of the watch, %d watches", took, watches)
	}
}
