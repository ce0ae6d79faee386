package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// shownRun is the run on the lab whose transcript is in README.md.
type shownRun struct {
	from, until time.Time // as long as the observer looked
	steps       []shownStep
	runs        []leaderRun
	gaps        []leaderGap
}

// shownStep is a step that took a time worth drawing. The transcript has how long each took,
// not when it began: they are laid end to end from the beginning of the run.
type shownStep struct {
	id          string
	begin, took time.Duration // after from
}

// leaderRun is a process that ran the service controller.
type leaderRun struct {
	begin, end time.Time // end: the observer's, of one that still ran
	component  string
	migration  bool // it held the migration lease when a step ended
}

type leaderGap struct {
	begin, end time.Time
	seconds    string // as the observer rounded it
}

// components that the transcript may name, with what the picture calls them.
var componentPattern = regexp.MustCompile(`^(kube-controller-manager|aws-cloud-controller-manager)`)

// readRun takes the figures out of the transcript: of the steps from the run's own lines,
// of the service controller from the observer's report.
func readRun(readme string) (shownRun, error) {
	_, text, found := strings.Cut(readme, "<!-- transcript:begin -->\n")
	text, _, ended := strings.Cut(text, "<!-- transcript:end -->\n")
	if !found || !ended {
		return shownRun{}, errors.New("it has lost its markers")
	}
	run, report, found := strings.Cut(text, "$ lab observe\n")
	if !found {
		return shownRun{}, errors.New("it has no report of the observer")
	}
	var shown shownRun
	if err := shown.readReport(report); err != nil {
		return shownRun{}, err
	}
	if err := shown.readSteps(run); err != nil {
		return shownRun{}, err
	}
	shown.readHolders(run)
	return shown, nil
}

func (s *shownRun) readReport(report string) error {
	span := regexp.MustCompile(`Cloud controllers from (\S+) to (\S+)`).FindStringSubmatch(report)
	_, service, found := strings.Cut(report, "\nservice:\n")
	if span == nil || !found {
		return errors.New("the observer's report has no span or no service controller")
	}
	service, _, _ = strings.Cut(service, "\nroute:\n")
	var errs [2]error
	s.from, errs[0] = time.Parse(time.RFC3339, span[1])
	s.until, errs[1] = time.Parse(time.RFC3339, span[2])
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for _, row := range regexp.MustCompile(`(?m)^  (ran|gap) +(\S+) +(still running|\S+) +(.*)$`).FindAllStringSubmatch(service, -1) {
		if err := s.readRow(row[1], row[2], row[3], row[4]); err != nil {
			return err
		}
	}
	if len(s.runs) < 2 || len(s.gaps) != len(s.runs)-1 {
		return fmt.Errorf("%d processes ran the service controller, with %d gaps", len(s.runs), len(s.gaps))
	}
	return nil
}

func (s *shownRun) readRow(kind, from, to, rest string) error {
	begin, err := s.clock(from)
	if err != nil {
		return err
	}
	end := s.until
	if to != "still running" {
		if end, err = s.clock(to); err != nil {
			return err
		}
	}
	if kind == "gap" {
		seconds, _, _ := strings.Cut(rest, ":")
		s.gaps = append(s.gaps, leaderGap{begin, end, seconds})
		return nil
	}
	process, _, _ := strings.Cut(rest, " ")
	if !componentPattern.MatchString(process) {
		return fmt.Errorf("%q is no process of a controller manager", process)
	}
	s.runs = append(s.runs, leaderRun{begin: begin, end: end, component: componentPattern.FindString(process)})
	return nil
}

// clock is a time of day of the report on its day.
func (s *shownRun) clock(text string) (time.Time, error) {
	return time.Parse("2006-01-02 15:04:05.000", s.from.Format("2006-01-02 ")+text)
}

func (s *shownRun) readSteps(run string) error {
	began := regexp.MustCompile(`(?m)^run (\d{8}T\d{6}Z)-`).FindStringSubmatch(run)
	if began == nil {
		return errors.New("it does not say when the run began")
	}
	first, err := time.Parse("20060102T150405Z", began[1])
	if err != nil {
		return err
	}
	at := first.Sub(s.from)
	for _, line := range regexp.MustCompile(`(?m)^✓  (\S+) .* (\d\S*[ms])$`).FindAllStringSubmatch(run, -1) {
		took, err := time.ParseDuration(line[2])
		if err != nil {
			continue // the last word of a step that took no time
		}
		s.steps = append(s.steps, shownStep{line[1], at, took})
		at += took
	}
	if len(s.steps) < 5 {
		return fmt.Errorf("%d steps have a time", len(s.steps))
	}
	return nil
}

// readHolders marks who held the migration lease: the process of the component that ran
// when the step ended which names it. A host may be called otherwise than its machine.
func (s *shownRun) readHolders(run string) {
	holder := regexp.MustCompile(`migration lease: \S+ \((\S+)\)`)
	at := s.from
	for line := range strings.Lines(run) {
		for _, step := range s.steps {
			if strings.HasPrefix(line, "✓  "+step.id+" ") {
				at = s.from.Add(step.begin + step.took)
			}
		}
		if found := holder.FindStringSubmatch(line); found != nil {
			s.held(found[1], at)
		}
	}
}

// held marks a process of the component that ran then.
func (s *shownRun) held(component string, at time.Time) {
	for i, r := range s.runs {
		if r.component == component && !at.Before(r.begin) && !at.After(r.end) {
			s.runs[i].migration = true
		}
	}
}
