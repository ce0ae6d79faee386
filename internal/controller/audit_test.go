package controller

import (
	"errors"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestAuditsDue(t *testing.T) {
	now := time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	made := func(before time.Duration) auditing {
		return auditing{last: &Audited{At: ago(before), Position: "P0"}, tried: ago(before)}
	}
	with := func(a auditing, change func(*auditing)) auditing { change(&a); return a }
	at := func(position, end string) *look {
		l := &look{at: now}
		l.seen.Says.Position = position
		if end != "" {
			l.seen.Journal.Runs = []journal.Run{{End: end}}
		}
		return l
	}
	rest := at("P0", "")
	rolls := at("P1", "")
	rolls.seen.UnderWay = "switch-provider"
	ended := func(before time.Duration) *look { return at("P0", ago(before).Format(time.RFC3339)) }
	for name, test := range map[string]struct {
		a    auditing
		l    *look
		want bool
	}{
		"none yet":                      {auditing{}, rest, true},
		"recent":                        {made(time.Hour), rest, false},
		"older than the interval":       {made(25 * time.Hour), rest, true},
		"at another position":           {made(time.Hour), at("P1", ""), true},
		"something rolls out":           {made(25 * time.Hour), rolls, false},
		"before the last run ended":     {made(time.Hour), ended(time.Minute), true},
		"after the last run ended":      {made(time.Hour), ended(2 * time.Hour), false},
		"wanted by a rollout":           {with(made(time.Hour), func(a *auditing) { a.wanted = ago(time.Minute) }), rest, true},
		"made since a rollout wants it": {with(made(time.Minute), func(a *auditing) { a.wanted = ago(time.Hour) }), rest, false},
		"failed, too early":             {with(made(time.Minute), func(a *auditing) { a.recheck = minAuditInterval }), rest, false},
		"failed, again":                 {with(made(time.Hour), func(a *auditing) { a.recheck = minAuditInterval }), rest, true},
		"not made, too early":           {auditing{tried: ago(time.Minute), err: errors.New("no answer"), recheck: minAuditInterval}, rest, false},
		"not made, again":               {auditing{tried: ago(time.Hour), err: errors.New("no answer"), recheck: minAuditInterval}, rest, true},
	} {
		if got := test.a.due(test.l, 24*time.Hour); got != test.want {
			t.Errorf("%s: due %t", name, got)
		}
	}
}

func TestAuditsLookFor(t *testing.T) {
	now := time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	last := &Audited{At: ago(time.Hour)}
	wants := auditing{last: last, tried: ago(time.Hour), wanted: ago(10 * time.Minute)}
	waits, unmade := wants, wants
	waits.cancel = func() {}
	unmade.err, unmade.recheck = errors.New("no answer"), 2*time.Hour
	for name, test := range map[string]struct {
		a    auditing
		age  time.Duration // of the look
		want bool
	}{
		"nothing wanted":            {auditing{last: last, tried: ago(time.Hour)}, 23 * time.Hour, false},
		"a rollout wants one":       {wants, 11 * time.Minute, true},
		"a slow look since then":    {wants, time.Minute, false},
		"the look is fresh":         {auditing{last: last, wanted: now}, time.Second, false},
		"one waits or works":        {waits, 11 * time.Minute, false},
		"the last one was not made": {unmade, time.Hour, false},
		"failed":                    {auditing{last: last, tried: ago(time.Hour), recheck: minAuditInterval}, time.Hour, true},
		"failed, a fresh look":      {auditing{last: last, tried: ago(time.Hour), recheck: minAuditInterval}, time.Minute, false},
	} {
		if got := test.a.lookFor(&look{at: ago(test.age)}, now); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !wants.lookFor(&look{at: ago(time.Minute), audited: true}, now) {
		t.Error("the audit after the look was cancelled: no look")
	}
}
