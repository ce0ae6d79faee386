package board

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Render returns the lines of a state at a time, within the width of look and with one line of the
// screen left free. It returns nil if no step is running. If there is not enough room, these parts are
// dropped in this order: the names of machines, what was observed, where the cloud controllers run, the
// machines.
func Render(s State, now time.Time, look Look) []string {
	if !s.HasStep() || look.Width <= 0 {
		return nil
	}
	r := renderer{State: s, now: now, setter: newSetter(look)}
	limit := look.Height - 1
	if look.Height <= 0 {
		limit = 1 << 30
	}
	var lines []string
	for _, parts := range [][]func() []string{
		{r.head, r.machines, r.leader, r.observed, r.waits},
		{r.head, r.counts, r.leader, r.observed, r.waits},
		{r.head, r.counts, r.leader, r.waits},
		{r.head, r.counts, r.waits},
		{r.head, r.waits},
		{r.head},
	} {
		lines = nil
		for _, part := range parts {
			lines = append(lines, part()...)
		}
		if len(lines) <= limit {
			return lines
		}
	}
	return lines[:max(limit, 1)]
}

// renderer renders the parts of one frame.
type renderer struct {
	State
	setter
	now time.Time
}

// labels is the width of the lines' labels in columns.
const labels = 11

func (r renderer) head() []string {
	past := 0
	for _, id := range r.steps {
		if r.past[id] {
			past++
		}
	}
	var all []word
	if total := len(r.steps); total > 0 {
		full := strings.Repeat(r.look.full(), past)
		if full != "" {
			all = append(all, word{text: full, style: green})
		}
		all = append(all, word{text: strings.Repeat(r.look.empty(), total-past), style: faint, tied: full != ""})
		if r.between {
			all = append(all, words(fmt.Sprintf("%d of %d steps done", past, total), none, 2)...)
			return r.lines("", 2, append(all, tie(words("total "+formatTime(r.now.Sub(r.runBegan)), none, 3))...))
		}
		all = append(all, tie(words(fmt.Sprintf("step %d of %d", r.number(), total), none, 2))...)
	}
	all = append(all, words(string(r.step), strong, 2)...)
	all = append(all, tie(words(r.count(), none, 3))...)
	took := formatTime(r.now.Sub(r.stepBegan))
	if rest, known := r.rest(); known {
		took += " of about " + formatEstimate(r.now.Sub(r.stepBegan)+rest)
	}
	all = append(all, tie(words(took, none, 3))...)
	total := "total " + formatTime(r.now.Sub(r.runBegan))
	if left, known := r.estimateRun(); known {
		total += ", about " + formatEstimate(left) + " left"
	}
	return r.lines("", 2, append(all, tie(words(total, none, 3))...))
}

// number returns the number of the current step.
func (r renderer) number() int {
	for i, id := range r.steps {
		if id == r.step {
			return i + 1
		}
	}
	return 0
}

// count returns how many of the step's changes are done, or "" if they are not counted or if the
// observation contains the count.
func (r renderer) count() string {
	switch {
	case r.wait == nil || r.wait.Met:
		return ""
	case len(r.wait.Machines) > 0:
		done := 0
		for _, m := range r.wait.Machines {
			switch m.State {
			case runner.MachineDone:
				done++
			case runner.MachineUnseen:
				return ""
			case runner.MachineWaits, runner.MachineChanging:
			}
		}
		return fmt.Sprintf("%d of %d machines", done, len(r.wait.Machines))
	case r.wait.Total > 0 && !r.wait.Counted:
		return fmt.Sprintf("%d of %d", r.wait.Done, r.wait.Total)
	}
	return ""
}

func (r renderer) rest() (time.Duration, bool) {
	if r.wait == nil {
		return 0, false
	}
	return r.pace.estimateRest(r.step, r.wait.Machines, r.now)
}

// leader shows where the cloud controllers run.
func (r renderer) leader() []string {
	var all []word
	switch {
	case r.wait != nil && r.wait.Leader != nil:
		at := r.wait.Leader
		all = words("cloud controllers run in "+at.Component+" on "+at.Host, none, 0)
		all = append(all, tie(words("(lease renewed "+formatTime(r.now.Sub(at.Renewed))+" ago)", faint, 1))...)
	case r.wait != nil && r.last != nil:
		all = r.noLeader()
	case r.wait != nil && !r.looked.IsZero():
		all = words("cloud controllers: leader not observed yet", faint, 0)
	}
	if all == nil {
		return nil
	}
	return r.lines("  now", labels, all)
}

// noLeader shows how long no leader has been observed. Time without readings raises no alarm.
func (r renderer) noLeader() []word {
	text := "no leader of the cloud controllers observed for " + formatTime(r.now.Sub(r.last.Renewed))
	watched := r.now.Sub(r.last.Renewed)
	if r.blind.After(r.last.Renewed) {
		text += "; the cluster could not be read for a part of that"
		watched = r.now.Sub(r.blind)
	}
	if watched >= usualPause {
		return words(text, yellow, 0)
	}
	return words(text+"; up to "+formatTime(usualPause)+" is usual during a hand-over", none, 0)
}

// usualPause is the usual maximum time without cloud controllers at a hand-over: the duration of a lease
// and one retry (docs/steps/switch-provider.md).
const usualPause = 25 * time.Second

// waits shows what the step waits for, and until when.
func (r renderer) waits() []string {
	all := r.waitWords()
	lines := r.lines("  wait", labels, all)
	stop := r.Interrupt().Meaning().Hint
	if r.closing != "" {
		return append(lines, r.lines("  stop", labels, words(r.closing+"; "+stop, yellow, 0))...)
	}
	last := len(lines) - 1
	const minGap = 3
	if used := r.columns(stripColours(lines[last])); used+minGap+len(stop) <= r.look.Width {
		lines[last] += strings.Repeat(" ", r.look.Width-used-len(stop)) + r.paint(word{text: stop, style: faint})
		return lines
	}
	return append(lines, r.lines(" ", 2, words(stop, faint, 0))...)
}

func (r renderer) waitWords() []word {
	if r.between {
		return words("reading the cluster before the next step", none, 0)
	}
	if r.wait == nil {
		return words(r.title+"; first reading in progress", none, 0)
	}
	w := r.wait
	text := w.For
	if usually, known := r.maxDuration(); known {
		text += "; a machine usually takes under " + formatTime(usually)
	}
	text += "; moved " + formatTime(r.now.Sub(w.LastProgress)) + " ago"
	switch left := w.Until.Sub(r.now); {
	case w.Until.IsZero(): // a watching process stops nothing
	case left > 0:
		text += "; stops in " + formatTime(left) + " if nothing moves"
	default:
		text += "; stops now"
	}
	all := words(text, none, 0)
	if old := r.now.Sub(r.looked); old >= staleAge {
		all = append(all, words("last read "+formatTime(old)+" ago", yellow, 3)...)
	}
	return all
}

// staleAge is the age from which a reading's age is shown.
const staleAge = 15 * time.Second

// maxDuration returns the longest duration of the active machines' kind, or false.
func (r renderer) maxDuration() (time.Duration, bool) {
	for _, m := range r.wait.Machines {
		if m.State == runner.MachineChanging {
			return r.pace.maxDuration(kind{r.step, m.Group})
		}
	}
	return 0, false
}

// maxObservedLines limits the lines of an observation.
const maxObservedLines = 3

// observed shows the last observation. It is cut after a whole fact, or after a word of the first fact.
func (r renderer) observed() []string {
	if r.wait == nil {
		return nil
	}
	facts := strings.Split(r.wait.Seen, "; ")
	all := words(r.wait.Seen, faint, 0)
	lines := r.lines("  seen", labels, all)
	for ; len(lines) > maxObservedLines && len(facts) > 1; lines = r.lines("  seen", labels, all) {
		facts = facts[:len(facts)-1]
		all = append(words(strings.Join(facts, "; ")+";", faint, 0), word{text: r.look.ellipsis(), style: faint, gap: 1})
	}
	for len(lines) > maxObservedLines {
		all = append(all[:len(all)-2:len(all)-2], word{text: r.look.ellipsis(), style: faint, gap: 1})
		lines = r.lines("  seen", labels, all)
	}
	return lines
}

// stripColours returns a line without its escape sequences.
func stripColours(line string) string {
	var out strings.Builder
	for {
		i := strings.Index(line, "\x1b[")
		if i < 0 {
			return out.String() + line
		}
		out.WriteString(line[:i])
		end := strings.IndexByte(line[i:], 'm')
		line = line[i+end+1:]
	}
}
