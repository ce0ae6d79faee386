package procedure

import (
	"errors"
	"testing"
	"time"
)

func TestOutageRemembersReadingsThatFailed(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var o outage
	if o = o.next(now, nil); o.before || o.recent(now) {
		t.Errorf("%+v after a reading", o)
	}
	o = o.next(now, errors.New("away")).next(now.Add(time.Minute), errors.New("away"))
	back := now.Add(2 * time.Minute)
	if o = o.next(back, nil); !o.before || !o.recent(back) {
		t.Errorf("%+v when it is back", o)
	}
	if o = o.next(back, nil); o.before || !o.recent(back) {
		t.Errorf("%+v in the second reading", o)
	}
	if last := now.Add(time.Minute); !o.recent(last.Add(BackOff-time.Second)) || o.recent(last.Add(BackOff)) {
		t.Error("an outage is over a back-off after the last reading that failed")
	}
}
