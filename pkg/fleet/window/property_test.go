package window_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

func TestIntervals_randomWindows_equalOracle(t *testing.T) {
	for e, era := range eras {
		for i := range era.sets {
			t.Run(fmt.Sprintf("%d/%d", era.begin.Year(), i), func(t *testing.T) { againstEachMinute(t, era, uint64(e*1000+i)) })
		}
	}
}

// The fuzz target runs the same comparison without end.
func FuzzAgainstEachMinute(f *testing.F) {
	f.Add(uint64(1), false)
	f.Fuzz(func(t *testing.T, seed uint64, later bool) {
		era := eras[0]
		if later {
			era = eras[1]
		}
		againstEachMinute(t, era, seed)
	})
}

// againstEachMinute generates one to three windows. It tests them at random times, at clock
// changes, and around the openings and closings that the oracle found.
func againstEachMinute(t *testing.T, era era, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 14))
	specs := generated(r, era.zones)
	set, err := window.Parse(specs)
	if err != nil {
		t.Fatalf("%+v: %v", specs, err)
	}
	o := consult(t, era, specs)
	for _, now := range moments(t, r, o, specs) {
		compare(t, set, o, now, planned(r))
	}
	if t.Failed() {
		t.Logf("windows: %+v", specs)
	}
}

// Generated windows often begin in the hours of clock changes.
func generated(r *rand.Rand, zones []string) []window.Spec {
	specs, zone := make([]window.Spec, 1+r.IntN(3)), ""
	for i := range specs {
		if i == 0 || r.IntN(2) == 0 {
			zone = zones[r.IntN(len(zones))]
		}
		specs[i] = window.Spec{Schedule: schedule(r), Duration: duration(r), TimeZone: zone}
	}
	return specs
}

func schedule(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	one := func(low, high int) string { return fmt.Sprint(low + r.IntN(high-low+1)) }
	minute := pick("0", "0", "30", "15", one(0, 59), one(0, 59), "*", "*/20", "45/5", "10-20", "0,1,59")
	hour := pick("0", "1", "2", "2", "3", "22", one(0, 23), "*", "*/6", "1-3", "23/1", "21-23")
	day, weekday := "*", "*"
	switch r.IntN(6) {
	case 0:
		day = pick(one(1, 28), "1-7", "1,15", "31", "29-31", "*/3", "?")
	case 1, 2, 3:
		weekday = pick(one(0, 6), "sun", "SAT,Sun", "1-5", "6", "0", "*/2", "fri-sat")
	case 4:
		day, weekday = pick(one(1, 31), "1-7", "25-31/2"), pick(one(0, 6), "sun", "2-4")
	}
	month := pick("*", "*", "*", "*", one(1, 12), "3,10", "mar-apr", "*/2")
	if day == "31" || day == "29-31" {
		month = "*" // some months have none
	}
	return strings.Join([]string{minute, hour, day, month, weekday}, " ")
}

func duration(r *rand.Rand) time.Duration {
	of := []int{30, 60, 61, 120, 240, 360, 23 * 60, 24 * 60, 25 * 60, 168 * 60, 30 + r.IntN(600), 30 + r.IntN(167*60)}
	return time.Duration(of[r.IntN(len(of))]) * time.Minute
}

func planned(r *rand.Rand) time.Duration {
	of := []time.Duration{0, 15 * time.Minute, time.Hour, 2 * time.Hour, 12 * time.Hour, 84 * time.Hour, 40 * 24 * time.Hour}
	if r.IntN(2) == 0 {
		return time.Duration(r.IntN(300))*time.Minute + time.Duration(r.IntN(60))*time.Second
	}
	return of[r.IntN(len(of))]
}

// moments returns times in the era's year.
func moments(t *testing.T, r *rand.Rand, o oracle, specs []window.Spec) []time.Time {
	t.Helper()
	around := []time.Duration{-time.Minute, -1, 0, 1, 17 * time.Second, time.Minute}
	var all []time.Time
	for range 20 {
		all = append(all, o.era.begin.Add(time.Duration(r.Int64N(asked*int64(time.Minute)))))
	}
	for range 10 {
		if len(o.spans) > 0 {
			s := o.spans[r.IntN(len(o.spans))]
			all = append(all, o.era.at(s.opens).Add(around[r.IntN(len(around))]), o.era.at(s.closes).Add(around[r.IntN(len(around))]))
		}
	}
	for _, spec := range specs {
		for _, change := range o.era.clock(t, spec.TimeZone).changes {
			all = append(all, o.era.at(change).Add(around[r.IntN(len(around))]), o.era.at(change+r.IntN(600)-300))
		}
	}
	var inside []time.Time
	for _, now := range all {
		if !now.Before(o.era.begin) && now.Before(o.era.at(before+asked)) {
			inside = append(inside, now)
		}
	}
	return inside
}

// The zones must have clock changes that the oracle sees; otherwise it would prove nothing.
func TestOracleSeesClocksChange(t *testing.T) {
	want := map[string]int{"Asia/Kolkata": 0}
	for _, zone := range zones {
		got := len(eras[0].clock(t, zone).changes)
		if expected, known := want[zone]; known && got != expected || !known && got < 4 {
			t.Errorf("%s: clocks change %d times", zone, got)
		}
	}
}

// Any text is either refused with a fault that names its field, or means the same as the oracle's
// result per minute.
func FuzzWindows(f *testing.F) {
	f.Add("0 22 * * 6", "", uint16(240), uint16(30), uint8(0), uint32(0), uint16(60))
	f.Add("30 2 * * 0", "0 2 * * 0", uint16(30), uint16(60), uint8(2), uint32(139000), uint16(20))
	f.Add("* * * * *", "0 0 1 1 *", uint16(30), uint16(10080), uint8(1), uint32(525600), uint16(600))
	f.Add("0 0 30 2 *", "0 0 29 2 *", uint16(30), uint16(30), uint8(3), uint32(1), uint16(1))
	f.Add("59 23 31 12 ?", "15-45/15 0-3 1-7 */3 *", uint16(1440), uint16(45), uint8(130), uint32(527000), uint16(700))
	f.Add("TZ=", "@every 1h", uint16(30), uint16(30), uint8(4), uint32(9), uint16(9))
	f.Fuzz(func(t *testing.T, first, second string, long, short uint16, choice uint8, at uint32, half uint16) {
		era := eras[int(choice/128)]
		specs := []window.Spec{{Schedule: first, Duration: time.Duration(long) * time.Minute, TimeZone: era.zones[int(choice)%len(era.zones)]}}
		if second != "" {
			specs = append(specs, window.Spec{Schedule: second, Duration: time.Duration(short) * time.Minute, TimeZone: era.zones[int(choice/5)%len(era.zones)]})
		}
		set, err := window.Parse(specs)
		if err != nil {
			if e, is := fault.As(err); !is || e.Class != fault.Usage || e.Reason != window.ReasonBad || !strings.HasPrefix(e.Object, "windows[") {
				t.Errorf("%+v: %#v", specs, err)
			}
			return
		}
		compare(t, set, consult(t, era, specs), era.at(before+int(at)%asked).Add(time.Duration(at)%time.Minute), time.Duration(half)*time.Minute)
	})
}
