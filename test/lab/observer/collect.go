package observer

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// AWSFile is the AWS stand-in's record under the lab's folder.
const AWSFile = "aws.jsonl"

// isObserved reports whether processes of a kind can run the controllers.
func isObserved(kind string) bool {
	return kind == "kube-controller-manager" || kind == "cloud-controller-manager" || kind == "aws-cloud-controller-manager"
}

// maxSilence is the maximum time for which a controller manager may run without a readable log
// line. Beyond it the observer is blind.
const maxSilence = 10 * time.Second

// Observe reads the evidence under a lab's folder and judges the window. A zero Since means the
// beginning, a zero Until means now.
func Observe(dir string, window Window, now time.Time) (Report, error) {
	events, blind, err := Collect(dir, now)
	if err != nil {
		return Report{}, err
	}
	if window.Until.IsZero() {
		window.Until = now
	}
	if window.Since.IsZero() {
		window.Since = window.Until
		for _, e := range events {
			window.Since = earlier(window.Since, e.Time)
		}
	}
	report := Judge(events, window)
	report.Blind = append([]string{}, blind...)
	return report, nil
}

// Collect reads the evidence under a lab's folder, up to now. The strings describe evidence
// that could not be read.
func Collect(dir string, now time.Time) ([]Event, []string, error) {
	runs, err := readRuns(dir)
	if err != nil {
		return nil, nil, err
	}
	var events []Event
	var blind []string
	for _, r := range runs {
		events = append(events, r.lifeEvents()...)
		if !r.exited && !proc.Alive(dir, r.process.PID) {
			blind = append(blind, fmt.Sprintf("%s (pid %d) is gone, and its exit was never recorded", r.process.Name, r.process.PID))
		}
	}
	for _, log := range logsOf(runs) {
		found, unseen, err := readLog(log, runs, now)
		if err != nil {
			return nil, nil, err
		}
		events, blind = append(events, found...), append(blind, unseen...)
	}
	callers := map[string]bool{}
	for _, r := range runs {
		callers[r.process.Name], callers[r.process.Node] = true, true
	}
	calls, err := readCalls(filepath.Join(dir, AWSFile), callers)
	if err != nil {
		return nil, nil, err
	}
	return append(events, calls...), blind, nil
}

// run is the lifetime of a controller manager, by the supervisor's record.
type run struct {
	process Process
	started time.Time
	ended   time.Time
	exited  bool
	log     string
	inner   int // the process ID in the log's lines, or 0 if it is the process's
}

func (r *run) lifeEvents() []Event {
	out := []Event{{Time: r.started, Kind: ProcessStarted, Process: r.process}}
	if r.exited {
		out = append(out, Event{Time: r.ended, Kind: ProcessExited, Process: r.process})
	}
	return out
}

// wrote reports whether the run can have written a line with this pid at this time.
func (r *run) wrote(l logLine) bool {
	const clockStep = 50 * time.Millisecond // between the two writers' stamps
	return cmp.Or(r.inner, r.process.PID) == l.pid && !l.time.Before(r.started.Add(-clockStep)) &&
		(!r.exited || !l.time.After(r.ended.Add(clockStep)))
}

func readRuns(dir string) ([]*run, error) {
	f, err := os.Open(filepath.Join(dir, proc.RecordFile))
	if err != nil {
		return nil, fmt.Errorf("reading the record of processes: %w", err)
	}
	defer f.Close()
	records, err := proc.ReadRecords(f)
	if err != nil {
		return nil, err
	}
	var runs []*run
	live := map[int]*run{}
	for _, rec := range records {
		if !isObserved(rec.Kind) {
			continue
		}
		if rec.Event == proc.Start {
			r := &run{
				process: Process{Name: rec.Name, Kind: rec.Kind, Node: rec.Node, PID: rec.PID},
				started: rec.Time, log: rec.Log, inner: rec.InnerPID,
			}
			runs, live[rec.PID] = append(runs, r), r
			continue
		}
		if r, ok := live[rec.PID]; ok {
			r.ended, r.exited = rec.Time, true
			delete(live, rec.PID)
		}
	}
	return runs, nil
}

func logsOf(runs []*run) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range runs {
		if !seen[r.log] {
			seen[r.log] = true
			out = append(out, r.log)
		}
	}
	return out
}

// readLog finds the start lines in one file, which several runs may have appended to.
func readLog(path string, runs []*run, now time.Time) ([]Event, []string, error) {
	var mine []*run
	for _, r := range runs {
		if r.log == path {
			mine = append(mine, r)
		}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return nil, unreadable(mine, nil, now), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading a controller manager's log: %w", err)
	}
	defer f.Close()
	events, heard, err := scan(f, mine, time.Local)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return events, unreadable(mine, heard, now), nil
}

func scan(r io.Reader, runs []*run, zone *time.Location) ([]Event, map[*run]bool, error) {
	var events []Event
	heard, routesOff := map[*run]bool{}, map[*run]bool{}
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		text, err := in.ReadString('\n')
		if err == io.EOF {
			return events, heard, nil
		}
		if err != nil {
			return nil, nil, err
		}
		writer, line := attribute(text[:len(text)-1], runs, zone)
		if writer == nil {
			continue
		}
		heard[writer] = true
		if line.routesOff() {
			routesOff[writer] = true
			events = append(events, Event{Time: line.time, Kind: ControllerDeclined, Process: writer.process, Controller: Route})
		}
		if c, ok := line.startedController(); ok && (c != Route || !routesOff[writer]) {
			events = append(events, Event{Time: line.time, Kind: ControllerStarted, Process: writer.process, Controller: c})
		}
	}
}

func attribute(text string, runs []*run, zone *time.Location) (*run, logLine) {
	for _, r := range runs {
		line, ok := parseLine(text, r.started, zone)
		if !ok {
			return nil, line
		}
		if r.wrote(line) {
			return r, line
		}
	}
	return nil, logLine{}
}

func unreadable(runs []*run, heard map[*run]bool, now time.Time) []string {
	var out []string
	for _, r := range runs {
		end := now
		if r.exited {
			end = r.ended
		}
		if !heard[r] && end.Sub(r.started) > maxSilence {
			out = append(out, fmt.Sprintf("%s (pid %d) ran %s without one readable line in its log %q",
				r.process.Name, r.process.PID, end.Sub(r.started).Round(time.Second), r.log))
		}
	}
	return out
}
