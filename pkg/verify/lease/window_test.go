package lease

import (
	"testing"
	"time"
)

// A Lease that is created between readings is judged from its creation on: the time before
// does not count as time without a renewal.
func TestWindow_leaseCreatedLater_notDead(t *testing.T) {
	var w Window
	look := func(at time.Duration, version string) Series {
		o := Observation{At: at}
		if version != "" {
			o = Observation{Exists: true, UID: "u", ResourceVersion: version, Holder: "ccm-1", At: at}
		}
		w = w.Add(Readings{CCM: o}, 15*time.Second)
		return w.Leases().CCM
	}
	for at := time.Duration(0); at < 11*time.Second; at += time.Second {
		look(at, "")
	}
	look(11*time.Second, "1")
	series := look(12*time.Second, "1")
	if got := JudgeMain(series, 10*time.Second); got.Life == Dead {
		t.Errorf("made a second ago and %s: %+v", got.Life, series)
	}
	for at := 13 * time.Second; at < 23*time.Second; at += time.Second {
		series = look(at, "1")
	}
	if got := JudgeMain(series, 10*time.Second); got.Life != Dead {
		t.Errorf("not renewed for 11 s and %s: %+v", got.Life, series)
	}
	// A recreated Lease starts a new series.
	look(23*time.Second, "")
	if series = look(24*time.Second, "7"); series.First.At != 24*time.Second {
		t.Errorf("%+v", series)
	}
}

// The window holds no reading older than its width. A clock that was set back restarts it.
func TestWindow_oldReadings_dropped(t *testing.T) {
	var w Window
	for at := time.Duration(0); at <= 100*time.Second; at += time.Second {
		w = w.Add(Readings{Migration: Observation{Exists: true, Holder: "a", At: at}}, 65*time.Second)
	}
	if got := w.Leases().Migration.Span(); got != 65*time.Second {
		t.Errorf("looks back %s", got)
	}
	before := w
	w = w.Add(Readings{Migration: Observation{Exists: true, Holder: "a", At: 3 * time.Second}}, 65*time.Second)
	if got := w.Leases().Migration.Span(); got != 0 {
		t.Errorf("after a clock was put back it looks back %s", got)
	}
	if got := before.Leases().Migration.Span(); got != 65*time.Second {
		t.Errorf("an older window changed: %s", got)
	}
}
