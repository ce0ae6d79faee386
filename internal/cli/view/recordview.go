package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Recording prints changes while a cluster is recorded, one line each. It is a record.Sink that accepts every
// entry.
type Recording struct {
	screen console.Screen
	states map[string]string // by the name of a lease, or the UID of an object
	begun  bool              // the Nodes that were there are noted
}

// NewRecording returns a Recording for standard output.
func NewRecording(streams console.Streams) *Recording {
	return &Recording{screen: console.NewScreen(streams, streams.Out), states: map[string]string{}}
}

// Put implements record.Sink.
func (v *Recording) Put(e record.Entry) error {
	switch {
	case e.Header != nil:
		v.screen.Prose("recording ", fmt.Sprintf("%s   %s · Kubernetes %s · Ctrl-C ends it", e.Header.Name, e.Header.Server, e.Header.Kubernetes))
	case e.Lease != nil:
		v.changed(e.At, e.Lease.Name, holder(*e.Lease), "lease "+e.Lease.Name)
	case e.Pod != nil:
		v.changed(e.At, e.Pod.UID, podState(*e.Pod), fmt.Sprintf("pod %s on %s", e.Pod.Name, e.Pod.Node))
	case e.Node != nil:
		if !v.begun {
			v.states[e.Node.UID] = nodeState(*e.Node)
		}
		v.changed(e.At, e.Node.UID, nodeState(*e.Node), "Node "+e.Node.Name)
	case e.Service != nil:
		v.changed(e.At, e.Service.UID, serviceState(*e.Service), fmt.Sprintf("Service %s/%s", e.Service.Namespace, e.Service.Name))
	case e.Begun != nil:
		v.begun = v.begun || e.Begun.Stream == record.Nodes
	case e.Missed != nil:
		v.line(e.At, missedText(*e.Missed))
	}
	return nil
}

func (v *Recording) line(at time.Time, text string) {
	v.screen.Prose(at.Format("15:04:05.000")+"  ", text)
}

// changed shows a thing whose state is another than before.
func (v *Recording) changed(at time.Time, key, state, thing string) {
	if v.states[key] == state {
		return
	}
	v.states[key] = state
	v.line(at, thing+": "+state)
}

func holder(l record.Lease) string {
	switch {
	case l.Gone:
		return "does not exist"
	case l.Holder == "":
		return "no holder"
	}
	return "held by " + l.Holder + ", written by " + plainOr(l.Manager, "an unknown program")
}

func podState(p record.Pod) string {
	if p.Gone {
		return "the object is gone"
	}
	state := "no container yet"
	if n := len(p.Containers); n > 0 {
		c := p.Containers[n-1]
		switch c.State {
		case record.Running:
			state = "runs, " + fault.Count(int(c.Restarts), "restart")
		case record.Waiting:
			state = "waits: " + c.Reason
		case record.Terminated:
			state = fmt.Sprintf("ended, exit %d", c.Exit)
			if !c.Ended() {
				state = "reported as ended, which proves nothing: " + plainOr(c.Reason, "without its container")
			}
		}
	}
	if p.Deleting {
		state += ", is being deleted"
	}
	return state
}

func nodeState(n record.Node) string {
	if n.Gone {
		return "is gone"
	}
	state := []string{"Ready " + plainOr(n.Ready, "not known"), plainOr(n.ProviderID, "no ProviderID")}
	if n.Unschedulable {
		state = append(state, "cordoned")
	}
	if n.Uninitialized {
		state = append(state, "not initialized")
	}
	return strings.Join(state, ", ")
}

func serviceState(s record.Service) string {
	switch {
	case s.Gone:
		return "no longer a load balancer"
	case len(s.Ingress) == 0:
		return "no load balancer yet"
	}
	return strings.Join(s.Ingress, " ")
}

func missedText(m record.Unwatched) string {
	length := m.Until.Sub(m.From).Round(100 * time.Millisecond)
	if m.Lost {
		return fmt.Sprintf("%s were not watched for %s (%s): what happened in it is not known", m.Stream, length, m.Why)
	}
	return fmt.Sprintf("%s came late by up to %s (%s); nothing is missing", m.Stream, length, m.Why)
}

func plainOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// WriteJudgement prints the result of a record.
func WriteJudgement(streams console.Streams, r judge.Result) { WriteReport(streams, report.Of(r, nil)) }

// WriteReport prints the report of a record, a journal or a bundle. Only the other formats contain edits and
// findings.
func WriteReport(streams console.Streams, r report.Report) {
	s := console.NewScreen(streams, streams.Out)
	s.Line("")
	mark, _ := report.VerdictMark(r.Verdict())
	s.Prose(mark+"  ", r.Sentence())
	for _, line := range r.TextLines() {
		s.Item("   ", line)
	}
	for _, run := range r.Runs {
		s.Line("")
		mark, _ := report.RunMark(run)
		s.Prose(mark+"  ", report.RunSentence(run))
		for _, line := range report.RunLines(run) {
			s.Item("   ", line)
		}
	}
	if r.Source == report.Record {
		writeLanes(s, r.Result)
	}
	blind := r.NotSeen()
	if len(blind) > 0 {
		s.Line("")
		s.Line("not seen")
	}
	for _, line := range slices.Compact(blind) {
		s.Item("   ", line)
	}
}

// writeLanes prints which process ran each controller, and when.
func writeLanes(s console.Screen, r judge.Result) {
	for _, l := range r.Lanes {
		s.Line("")
		s.Prose("", l.Controller)
		if len(l.Intervals) == 0 {
			s.Line("   not running (as observed)")
		}
		for _, line := range report.RanLines(l) {
			s.Item("   ", line)
		}
		for _, text := range report.LaneLines(r, l) {
			s.Item("   ", text)
		}
	}
	if note := report.Footnote(r); note != "" {
		s.Line("")
		s.Prose("", note)
	}
}
