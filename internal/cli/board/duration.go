package board

import (
	"fmt"
	"time"
)

// formatTime returns a duration in whole seconds in a short form: 14s, 2m, 1m52s, 1h2m3s.
func formatTime(d time.Duration) string {
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

// formatEstimate returns a duration with the precision of an estimate.
func formatEstimate(d time.Duration) string {
	if d < 2*time.Minute {
		return formatTime(d.Round(10 * time.Second))
	}
	return formatTime(d.Round(time.Minute))
}
