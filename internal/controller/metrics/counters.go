package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// counters counts the work of this process. No counter names a cluster, so that their number does
// not grow with the fleet.
type counters struct {
	runs, steps            *prometheus.HistogramVec
	failures, pauses       *prometheus.CounterVec
	lockConflicts, resumes prometheus.Counter
}

const namespace = "awsmigrate"

func newCounters() counters {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	}
	histogram := func(name, help string, buckets ...float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}
	}
	const minute, hour = 60, 3600
	c := counters{
		runs: prometheus.NewHistogramVec(histogram("run_duration_seconds", "Duration of runs with the cluster's lock.",
			30, minute, 2*minute, 5*minute, 10*minute, 20*minute, 30*minute, hour, 2*hour, 4*hour, 8*hour), []string{"direction", "result"}),
		steps: prometheus.NewHistogramVec(histogram("step_duration_seconds", "Duration of finished steps.",
			1, 5, 15, 30, minute, 2*minute, 5*minute, 10*minute, 20*minute, 30*minute, hour, 2*hour), []string{"step"}),
		failures:      prometheus.NewCounterVec(counter("run_failures_total", "Failed runs and guards, by the reason of status.failure."), []string{"reason"}),
		pauses:        prometheus.NewCounterVec(counter("brakes_total", "Pauses of bad rollouts: pulled if Rancher was paused, failed if not."), []string{"result"}),
		lockConflicts: prometheus.NewCounter(counter("lock_conflicts_total", "Runs and guards that found the cluster locked by another.")),
		resumes:       prometheus.NewCounter(counter("resumes_total", "Runs that resumed an unfinished run.")),
	}
	for _, result := range []string{pauseDone, pauseFailed} {
		c.pauses.WithLabelValues(result) // start at zero, so that the first one is an increase
	}
	return c
}

const (
	pauseDone   = "pulled"
	pauseFailed = "failed"
)

func (c counters) all() []prometheus.Collector {
	return []prometheus.Collector{c.runs, c.steps, c.failures, c.pauses, c.lockConflicts, c.resumes}
}

func (c counters) event(e runner.Event) {
	switch e.Type {
	case runner.StepFinished:
		c.steps.WithLabelValues(string(e.Step)).Observe(e.Elapsed.Seconds())
	case runner.RolloutPaused:
		if e.Err != nil {
			c.pauses.WithLabelValues(pauseFailed).Inc()
			return
		}
		c.pauses.WithLabelValues(pauseDone).Inc()
	default:
	}
}

// ended counts the end of a run or a guard. Looks are not counted; their audits are gauges.
func (c counters) ended(w controller.Work, took time.Duration, err error) {
	if w.Kind == kindLook {
		return
	}
	result := resultOf(err)
	switch result {
	case locked:
		c.lockConflicts.Inc()
		return
	case failed:
		c.failures.WithLabelValues(reasonOf(err)).Inc()
	}
	if w.Kind == kindRun {
		c.runs.WithLabelValues(direction(w.Undo), result).Observe(took.Seconds())
	}
}

// Results of a run. A run that found the cluster locked has none.
const (
	finished    = "finished"
	interrupted = "interrupted"
	waiting     = "waiting" // for a person
	failed      = "failed"
	locked      = "locked"
)

func resultOf(err error) string {
	if err == nil {
		return finished
	}
	switch fault.ClassOf(err) {
	case fault.Locked:
		return locked
	case fault.Interrupted, fault.HungUp:
		return interrupted
	case fault.Gate, fault.Declined, fault.Pending:
		return waiting
	default:
		return failed
	}
}

func reasonOf(err error) string {
	if f, is := fault.As(err); is && f.Reason != "" {
		return f.Reason
	}
	return "Unexpected"
}

// direction returns the direction of a run, as in status.run.
func direction(undo bool) string {
	if undo {
		return "back"
	}
	return "forward"
}
