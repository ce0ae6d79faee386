package board

import (
	"fmt"
	"time"
)

// span is a duration in whole seconds, in the shortest way: 14s, 2m, 1m52s, 1h2m.
func span(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case hours > 0:
		return fmt.Sprintf("%dh%dm%ds", hours, minutes, seconds)
	case minutes > 0 && seconds == 0:
		return fmt.Sprintf("%dm", minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm%ds", minutes, seconds)
	}
	return fmt.Sprintf("%ds", seconds)
}

// about is a duration as coarse as an estimate is.
func about(d time.Duration) string {
	if d < 2*time.Minute {
		return span(d.Round(10 * time.Second))
	}
	return span(d.Round(time.Minute))
}
