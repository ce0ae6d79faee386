package window_test

import (
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/window"
)

func TestParse_invalid_isRefused(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name   string
		spec   window.Spec
		object string // of the second window
		says   string
	}{
		{"nothing", spec("", hour, ""), "schedule", `""; wanted five fields`},
		{"a descriptor", spec("@daily", hour, ""), "schedule", "no @daily"},
		{"an interval", spec("@every 1h", hour, ""), "schedule", "five fields"},
		{"five words with @", spec("@every 1h 1 1 1", hour, ""), "schedule", `"@every" is none`},
		{"seconds", spec("0 0 22 * * 6", hour, ""), "schedule", "no seconds"},
		{"a zone", spec("TZ=UTC 0 22 * * 6", hour, ""), "schedule", "no time zone"},
		{"a zone for a field", spec("TZ=UTC 22 * * 6", hour, ""), "schedule", `"TZ=UTC" is none`},
		{"half a zone", spec("CRON_TZ=", hour, ""), "schedule", "five fields"},
		{"a minute too high", spec("60 22 * * 6", hour, ""), "schedule", "above maximum (59)"},
		{"the other Sunday", spec("0 22 * * 7", hour, ""), "schedule", "above maximum (6)"},
		{"day 0", spec("0 22 0 * *", hour, ""), "schedule", "below minimum (1)"},
		{"a step of none", spec("*/0 22 * * *", hour, ""), "schedule", "positive number"},
		{"backwards", spec("0 22 * * 6-1", hour, ""), "schedule", "beyond end of range"},
		{"an unknown day", spec("0 22 * * Samstag", hour, ""), "schedule", "Samstag"},
		{"a hole in a list", spec("0,,30 22 * * 6", hour, ""), "schedule", `"0,,30" is none`},
		{"a star with an end", spec("0 *-5 * * 6", hour, ""), "schedule", `"*-5" is none`},
		{"a sign", spec("+5 22 * * 6", hour, ""), "schedule", `"+5" is none`},
		{"a step with a weekday", spec("0 22 */2 * 6", hour, ""), "schedule", "every cron reads alike"},
		{"a step with a date", spec("0 22 1 * */2", hour, ""), "schedule", "every cron reads alike"},
		{"two steps", spec("0 22 */2 * */2", hour, ""), "schedule", "every cron reads alike"},
		{"a star in a list with a weekday", spec("0 22 1,* * 6", hour, ""), "schedule", "every cron reads alike"},
		{"30 February", spec("0 22 30 2 *", hour, ""), "schedule", "never comes"},
		{"31 of short months", spec("0 22 31 2,4,6,9,11 *", hour, ""), "schedule", "never comes"},
		{"29 February", spec("0 22 29 2 *", hour, ""), "schedule", "leap years alone"},
		{"long", spec(strings.Repeat("0,", 200)+"0 22 * * 6", hour, ""), "schedule", "410 bytes"},
		{"short by a second", spec("0 22 * * 6", 30*time.Minute-time.Second, ""), "duration", "29m59s; wanted 30m to 168h"},
		{"long by a second", spec("0 22 * * 6", 168*hour+time.Second, ""), "duration", "168h0m1s; wanted 30m to 168h"},
		{"no duration", spec("0 22 * * 6", 0, ""), "duration", "0s; wanted"},
		{"an unknown zone", spec("0 22 * * 6", hour, "Europe/Bonn"), "timeZone", `"Europe/Bonn"; wanted the IANA name`},
		{"the machine's zone", spec("0 22 * * 6", hour, "local"), "timeZone", "IANA"},
		{"a path", spec("0 22 * * 6", hour, "../etc/passwd"), "timeZone", "IANA"},
		{"a long zone", spec("0 22 * * 6", hour, strings.Repeat("x", 65)), "timeZone", "65 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := window.Parse([]window.Spec{spec("0 22 * * 6", hour, berlin), c.spec})
			e, is := fault.As(err)
			if !is || e.Class != fault.Usage || e.Reason != window.ReasonBad || e.Object != "windows[1]."+c.object {
				t.Fatalf("got %#v", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q in it", err, c.says)
			}
		})
	}
}

func TestParse_valid_isAccepted(t *testing.T) {
	for _, schedule := range []string{
		"0 22 * * 6", " 0\t22 * * sat ", "0 22 ? * SAT,sun", "*/15 0-4,22/1 1-7 JAN-mar ?", "0 22 29 2,3 *", "0 22 30 2 0", "0 22 */2 * *", "0 22 * * */2",
	} {
		if _, err := window.Parse([]window.Spec{spec(schedule, window.MinDuration, "UTC")}); err != nil {
			t.Error(err)
		}
	}
	if _, err := window.Parse([]window.Spec{spec("0 22 * * 6", window.MaxDuration, "")}); err != nil {
		t.Error(err)
	}
}

func TestParse_tooMany_isRefused(t *testing.T) {
	var specs []window.Spec
	for range window.MaxWindows {
		specs = append(specs, spec("0 22 * * 6", time.Hour, ""))
	}
	parsed(t, specs...)
	_, err := window.Parse(append(specs, specs[0]))
	if e, is := fault.As(err); !is || e.Object != "windows" || e.Reason != window.ReasonBad {
		t.Errorf("got %#v", err)
	}
}
