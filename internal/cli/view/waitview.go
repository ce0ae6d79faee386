package view

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

const (
	// quietFor is the least time between two lines of one wait, where lines stay.
	quietFor = 5 * time.Second
	// speakUp is the most.
	speakUp = 30 * time.Second
	// narrow screens, in columns, show when progress was and not when patience ends.
	narrow = 80
)

// shownWait is what a reader last saw of a wait.
type shownWait struct {
	what, seen string
	at         time.Time
}

// waiting shows a wait. The line that says what is waited for, and until when, comes once
// and then every 30 s; the one that says what is seen when that changed, at most every few
// seconds. That it is there is said by the line of the step.
func (v *textView) waiting(e runner.Event) {
	w := e.Waiting
	if w == nil || w.Met {
		return
	}
	seen, until := v.waitLines(e)
	fact := fmt.Sprintf("%d/%d %s", w.Done, w.Total, w.Seen)
	silence := e.Time.Sub(v.shown.at)
	switch {
	case v.shown.what != w.For || silence >= speakUp:
		v.passing(seen, until)
	case v.shown.seen != fact && silence >= quietFor:
		v.passing(seen)
	default:
		return
	}
	v.shown = shownWait{what: w.For, seen: fact, at: e.Time}
}

// waitLines are the two lines of a wait, each within the screen's width.
func (v *textView) waitLines(e runner.Event) (seen, until string) {
	w := e.Waiting
	head := "◐  " + string(e.Step)
	if e.Step != "" {
		head = "◐  " + v.screen.step(e.Step)
		if count := fmt.Sprintf("%d/%d", w.Done, w.Total); w.Total > 0 && !w.Counted {
			head += "  " + count
		}
		head += "  "
	}
	tail := "; " + whole(e.Time.Sub(w.Since))
	room := v.screen.width - utf8.RuneCountInString(head+tail)
	seen = v.screen.fit("%s", head+facts(v.screen.plain(w.Seen), max(room, 20), v.screen.ascii)+tail)
	end := fmt.Sprintf("; last progress %s ago", whole(e.Time.Sub(w.LastProgress)))
	if v.screen.width >= narrow && !w.Until.IsZero() {
		end += fmt.Sprintf(", gives up after %s without", whole(w.Until.Sub(w.LastProgress)))
	}
	what := plaintext.Clip(v.screen.plain("waiting for "+w.For), v.screen.width-3-len(end), v.screen.ascii)
	return seen, v.screen.fit("   %s%s", what, end)
}

// worthShowing is how much of a further fact has to fit, in columns.
const worthShowing = 25

// facts are as many of what is seen as there is room for; the most telling one
// comes first.
func facts(seen string, room int, ascii bool) string {
	all := strings.Split(seen, "; ")
	text := clipMiddle(all[0], room, ascii)
	for _, one := range all[1:] {
		left := room - utf8.RuneCountInString(text) - 2
		if utf8.RuneCountInString(one) > left && left < worthShowing {
			break
		}
		text += "; " + clipMiddle(one, left, ascii)
	}
	return text
}

// clipMiddle keeps the end of a text, where it says what is wrong, and enough of
// its beginning to say of what.
func clipMiddle(text string, most int, ascii bool) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := plaintext.Clip(text, max(most/3, 4), ascii)
	tail := most - utf8.RuneCountInString(head)
	return head + string(runes[len(runes)-max(tail, 0):])
}

// whole is a duration in whole seconds.
func whole(d time.Duration) string { return max(d, 0).Round(time.Second).String() }
