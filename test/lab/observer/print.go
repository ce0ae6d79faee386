package observer

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const clock = "15:04:05.000"

// Print writes the report for people.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Cloud controllers from %s to %s\n", r.Since.Format(time.RFC3339), r.Until.Format(time.RFC3339))
	for _, c := range r.Controllers {
		c.print(&b)
	}
	for _, u := range r.Unexplained {
		fmt.Fprintf(&b, "UNEXPLAINED  %s  %s by %s: %s\n", u.Time.Format(clock), u.Call, u.Caller, u.Because)
	}
	for _, blind := range r.Blind {
		fmt.Fprintf(&b, "BLIND        %s\n", blind)
	}
	b.WriteString(r.verdict())
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Controller) print(b *strings.Builder) {
	if len(c.Intervals) == 0 {
		fmt.Fprintf(b, "%s: never ran\n", c.Name)
		return
	}
	fmt.Fprintf(b, "%s:\n", c.Name)
	for _, i := range c.Intervals {
		to := i.To.Format(clock)
		if i.Running {
			to = "still running"
		}
		fmt.Fprintf(b, "  ran      %s  %-13s  %s (pid %d)\n", i.From.Format(clock), to, i.Process.Name, i.Process.PID)
	}
	for _, o := range c.Overlaps {
		fmt.Fprintf(b, "  OVERLAP  %s  %-13s  %.1f s: %s (pid %d) and %s (pid %d)\n", o.From.Format(clock), o.To.Format(clock),
			o.Seconds, o.First.Name, o.First.PID, o.Second.Name, o.Second.PID)
	}
	for _, g := range c.Gaps {
		if g.Declined != nil {
			fmt.Fprintf(b, "  off      %s  %-13s  as configured: %s does not run it, %s was the last that did\n", g.From.Format(clock), g.To.Format(clock), g.Declined.Name, g.Before.Name)
			continue
		}
		after := "no process yet"
		if g.After != nil {
			after = g.After.Name
		}
		fmt.Fprintf(b, "  gap      %s  %-13s  %.1f s: from %s to %s\n", g.From.Format(clock), g.To.Format(clock), g.Seconds, g.Before.Name, after)
	}
}

func (r Report) verdict() string {
	switch {
	case r.Overlapping():
		return "Two processes ran the same controller at once.\n"
	case len(r.Blind) > 0:
		return "No overlap seen, but some evidence could not be read.\n"
	default:
		return "No controller ran twice at once.\n"
	}
}
