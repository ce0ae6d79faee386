package procedure

import (
	"errors"
	"testing"
	"time"
)

func TestOutage_failedReading_isRecent(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var o outage
	if o = o.next(now, time.Second, nil); o.afterGap || o.isRecent(now) {
		t.Errorf("%+v after a reading", o)
	}
	o = o.next(now, time.Second, errors.New("away")).next(now.Add(time.Minute), time.Second, errors.New("away"))
	back := now.Add(2 * time.Minute)
	if o = o.next(back, time.Second, nil); !o.afterGap || !o.isRecent(back) {
		t.Errorf("%+v when it is back", o)
	}
	if o = o.next(back, time.Second, nil); o.afterGap || !o.isRecent(back) {
		t.Errorf("%+v in the second reading", o)
	}
	if last := now.Add(time.Minute); !o.isRecent(last.Add(BackOff-time.Second)) || o.isRecent(last.Add(BackOff)) {
		t.Error("an outage is over a back-off after the last reading that failed")
	}
}

// An API that responds late was away as well: a leader exits after ten seconds without a
// renewal.
func TestOutageIsAlsoAReadingThatStoodStill(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	for took, away := range map[time.Duration]bool{7 * time.Second: false, 8 * time.Second: true, time.Minute: true} {
		o := outage{}.next(now, time.Second, nil).next(now, took, nil)
		if o.afterGap || o.isRecent(now) != away {
			t.Errorf("a reading of %s: %+v", took, o)
		}
		if o = o.next(now.Add(BackOff), took, nil); o.isRecent(now.Add(BackOff)) {
			t.Errorf("readings of %s, all of them: %+v", took, o)
		}
	}
	if o := (outage{}).next(now, time.Minute, nil); o.isRecent(now) {
		t.Errorf("a first reading that takes long: %+v", o)
	}
}
