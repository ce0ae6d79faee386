package controller

import (
	"log/slog"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// log returns the logger of one cluster. docs/metrics.md documents its fields, by which users
// filter.
func (c *Controller) log(key Key) *slog.Logger {
	return c.o.Log.With("namespace", key.Namespace, "cluster", key.Name)
}

// logEvent logs an event of a run.
func logEvent(log *slog.Logger, e runner.Event) {
	fields := []any{"event", string(e.Type)}
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, name, value)
		}
	}
	add("step", string(e.Step))
	add("position", e.Position)
	if e.Waiting != nil {
		fields = append(fields, "waitingFor", e.Waiting.For, "seen", e.Waiting.Seen)
	}
	if len(e.Lines) > 0 {
		fields = append(fields, "lines", e.Lines)
	}
	if e.Elapsed > 0 {
		fields = append(fields, "seconds", e.Seconds)
	}
	message := e.Message
	if message == "" {
		message = string(e.Type)
	}
	switch {
	case e.Err != nil:
		log.Error(message, append(fields, "error", e.Err.Error())...)
	case e.Type == runner.StepWarning || e.Type == runner.RolloutPaused:
		log.Warn(message, fields...)
	default:
		log.Info(message, fields...)
	}
}
