package board

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Render is what to show of a state at a moment, in lines that are no wider than look
// allows, and no more of them than leave a line of the screen free; none where no step is
// in hand. What there is no room for goes in this order: the names of machines, what is
// seen, where the cloud controllers run, the machines.
func Render(s State, now time.Time, look Look) []string {
	if !s.InHand() || look.Width <= 0 {
		return nil
	}
	r := renderer{State: s, now: now, setter: newSetter(look)}
	most := look.Height - 1
	if look.Height <= 0 {
		most = 1 << 30
	}
	var lines []string
	for _, parts := range [][]func() []string{
		{r.head, r.machines, r.leader, r.seen, r.waits},
		{r.head, r.counts, r.leader, r.seen, r.waits},
		{r.head, r.counts, r.leader, r.waits},
		{r.head, r.counts, r.waits},
		{r.head, r.waits},
		{r.head},
	} {
		lines = nil
		for _, part := range parts {
			lines = append(lines, part()...)
		}
		if len(lines) <= most {
			return lines
		}
	}
	return lines[:max(most, 1)]
}

// renderer makes the parts of one frame.
type renderer struct {
	State
	setter
	now time.Time
}

// labels is how many columns the labels of the lines take.
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
			return r.lines("", 2, append(all, tied(words("total "+span(r.now.Sub(r.runBegan)), none, 3))...))
		}
		all = append(all, tied(words(fmt.Sprintf("step %d of %d", r.number(), total), none, 2))...)
	}
	all = append(all, words(string(r.step), strong, 2)...)
	all = append(all, tied(words(r.count(), none, 3))...)
	took := span(r.now.Sub(r.stepBegan))
	if rest, known := r.rest(); known {
		took += " of about " + about(r.now.Sub(r.stepBegan)+rest)
	}
	all = append(all, tied(words(took, none, 3))...)
	return r.lines("", 2, append(all, tied(words("total "+span(r.now.Sub(r.runBegan)), none, 3))...))
}

// number is that of the step in hand.
func (r renderer) number() int {
	for i, id := range r.steps {
		if id == r.step {
			return i + 1
		}
	}
	return 0
}

// count is how many are done of those that the step changes; "": nothing is counted, or
// what is seen says it.
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
			case runner.MachineWaits, runner.MachineInHand:
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
	return r.pace.rest(r.step, r.wait.Machines, r.now)
}

// leader is where the cloud controllers run.
func (r renderer) leader() []string {
	var all []word
	switch {
	case r.wait != nil && r.wait.Leader != nil:
		at := r.wait.Leader
		all = words("cloud controllers run in "+at.Component+" on "+at.Host, none, 0)
		all = append(all, tied(words("(lease renewed "+span(r.now.Sub(at.Renewed))+" ago)", faint, 1))...)
	case r.wait != nil && r.last != nil:
		all = r.nobody()
	case r.wait != nil && !r.looked.IsZero():
		all = words("who runs the cloud controllers is not seen yet", faint, 0)
	}
	if all == nil {
		return nil
	}
	return r.lines("  now", labels, all)
}

// nobody says for how long no leader is seen. What was not looked at alarms nobody.
func (r renderer) nobody() []word {
	text := "nobody is seen to run the cloud controllers, for " + span(r.now.Sub(r.last.Renewed))
	watched := r.now.Sub(r.last.Renewed)
	if r.blind.After(r.last.Renewed) {
		text += "; for a part of that the cluster could not be looked at"
		watched = r.now.Sub(r.blind)
	}
	if watched >= usualPause {
		return words(text, yellow, 0)
	}
	return words(text+"; up to "+span(usualPause)+" is usual while they change hands", none, 0)
}

// usualPause is how long nobody runs the cloud controllers when they change hands: the
// duration of a lease and one try more (docs/steps/switch-provider.md).
const usualPause = 25 * time.Second

// waits is what is waited for, and until when.
func (r renderer) waits() []string {
	all := r.waitWords()
	lines := r.lines("  wait", labels, all)
	stop := "Ctrl-C: stop cleanly"
	if r.wait != nil && r.wait.Until.IsZero() {
		stop = "Ctrl-C: look no longer"
	}
	if r.closing != "" {
		return append(lines, r.lines("  stop", labels, words(r.closing, yellow, 0))...)
	}
	last := len(lines) - 1
	const apart = 3
	if used := r.columns(plain(lines[last])); used+apart+len(stop) <= r.look.Width {
		lines[last] += strings.Repeat(" ", r.look.Width-used-len(stop)) + r.paint(word{text: stop, style: faint})
		return lines
	}
	return append(lines, r.lines(" ", 2, words(stop, faint, 0))...)
}

func (r renderer) waitWords() []word {
	if r.between {
		return words("a look at the cluster, before the next step", none, 0)
	}
	if r.wait == nil {
		return words(r.title+"; the first look at it is under way", none, 0)
	}
	w := r.wait
	text := w.For
	if usually, known := r.usually(); known {
		text += "; a machine usually takes under " + span(usually)
	}
	text += "; moved " + span(r.now.Sub(w.LastProgress)) + " ago"
	switch left := w.Until.Sub(r.now); {
	case w.Until.IsZero(): // whoever only looks on stops nothing
	case left > 0:
		text += "; stops in " + span(left) + " if nothing moves"
	default:
		text += "; stops now"
	}
	all := words(text, none, 0)
	if old := r.now.Sub(r.looked); old >= stale {
		all = append(all, words("last looked "+span(old)+" ago", yellow, 3)...)
	}
	return all
}

// stale is how old a reading may be before its age is shown.
const stale = 15 * time.Second

// usually is what no machine of the kinds in hand took longer than.
func (r renderer) usually() (time.Duration, bool) {
	for _, m := range r.wait.Machines {
		if m.State == runner.MachineInHand {
			return r.pace.usually(kind{r.step, m.Group})
		}
	}
	return 0, false
}

// mostSeen is how many lines what is seen may take.
const mostSeen = 3

// seen is what the last reading saw, shortened at the end of a fact, of the first one at
// the end of a word.
func (r renderer) seen() []string {
	if r.wait == nil {
		return nil
	}
	facts := strings.Split(r.wait.Seen, "; ")
	all := words(r.wait.Seen, faint, 0)
	lines := r.lines("  seen", labels, all)
	for ; len(lines) > mostSeen && len(facts) > 1; lines = r.lines("  seen", labels, all) {
		facts = facts[:len(facts)-1]
		all = append(words(strings.Join(facts, "; ")+";", faint, 0), word{text: r.look.more(), style: faint, gap: 1})
	}
	for len(lines) > mostSeen {
		all = append(all[:len(all)-2:len(all)-2], word{text: r.look.more(), style: faint, gap: 1})
		lines = r.lines("  seen", labels, all)
	}
	return lines
}

// plain is a line without its colours.
func plain(line string) string {
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
