package metrics

import (
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Kinds of work.
const (
	kindLook  = "look"
	kindRun   = "run"
	kindGuard = "guard"
)

// job is the current work on a cluster.
type job struct {
	controller.Work
	began time.Time
	wait  *wait // nil if it does not wait
}

// wait describes what a step waits for.
type wait struct {
	step         string
	lastProgress time.Time
}

// Began implements controller.Meter.
func (m *Metrics) Began(key controller.Key, w controller.Work) {
	if w.Resumed {
		m.count.resumes.Inc()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[key] = &job{Work: w, began: m.o.Now()}
}

// Happened implements controller.Meter.
func (m *Metrics) Happened(key controller.Key, e runner.Event) {
	m.count.event(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.jobs[key]
	if j == nil {
		return
	}
	switch e.Type {
	case runner.StepWaiting:
		if e.Waiting != nil {
			j.wait = &wait{string(e.Step), e.Waiting.LastProgress}
		}
	case runner.StepWarning, runner.Interrupting, runner.HungUp: // the wait continues
	default:
		j.wait = nil
	}
}

// Ended implements controller.Meter.
func (m *Metrics) Ended(key controller.Key, err error) {
	m.mu.Lock()
	j, now := m.jobs[key], m.o.Now()
	delete(m.jobs, key)
	m.mu.Unlock()
	if j != nil {
		m.count.ended(j.Work, now.Sub(j.began), err)
	}
}
