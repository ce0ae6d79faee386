package scenario

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/test/recorded"
)

// ReadRecord judges the record in a file.
func ReadRecord(file string) (judge.Result, error) {
	in, err := os.Open(filepath.Clean(file))
	if err != nil {
		return judge.Result{}, err
	}
	defer func() { _ = in.Close() }()
	j := judge.New()
	torn, err := record.Read(in, j.Put)
	if err != nil || len(torn) > 0 {
		return judge.Result{}, fmt.Errorf("read record %s: lines that cannot be read: %v; %w", file, torn, err)
	}
	return j.Result(), nil
}

// Observed returns the observer's report about the lab's whole life, with the identities from the
// processes' own logs.
func (l *Lab) Observed(ctx context.Context) (recorded.Truth, string, error) {
	seen, text, err := l.Observe(ctx, time.Time{})
	if err != nil {
		return recorded.Truth{}, text, err
	}
	if len(seen.Blind) > 0 {
		return recorded.Truth{}, text, fmt.Errorf("the observer of %s could not look: %v", l.Dir, seen.Blind)
	}
	identities, err := l.leaders()
	if err != nil {
		return recorded.Truth{}, text, err
	}
	var truth recorded.Truth
	for _, c := range seen.Controllers {
		for _, i := range c.Intervals {
			one := recorded.Ran{Controller: c.Name, Process: i.Process.Name, Identity: identities[Process{Name: i.Process.Name, PID: i.Process.PID}.id()], From: i.From, To: i.To}
			if i.Running {
				one.To = time.Time{}
			}
			truth.Ran = append(truth.Ran, one)
		}
	}
	return truth, text, nil
}

// becameLeader matches a component's log line about an acquired lease: klog's header, with its time
// and the process ID, and the Event
// (k8s.io/client-go/tools/leaderelection/resourcelock@v0.26.13, RecordEvent).
var becameLeader = regexp.MustCompile(`^I(\d{4} [0-9:.]+)\s+(\d+) event\.go:\d+\] .* message="(\S+_[0-9a-f-]{36}) became leader"`)

// leaders returns the identities under which processes led, by Process.id.
func (l *Lab) leaders() (map[string]string, error) {
	starts, exits, err := l.processes()
	if err != nil {
		return nil, err
	}
	found, read := map[string]string{}, map[string][]lead{}
	for _, p := range starts {
		if p.Kind != KubeControllerManager && p.Kind != CloudControllerManager {
			continue
		}
		if read[p.Log] == nil {
			if read[p.Log], err = leadsIn(p.Log); err != nil {
				return nil, err
			}
		}
		ended := time.Now()
		if exit, has := exits[p.id()]; has {
			ended = exit.Time
		}
		for _, one := range read[p.Log] {
			if one.pid == cmp.Or(p.InnerPID, p.PID) && one.isWithin(p.Time, ended) {
				found[p.id()] = one.identity
			}
		}
	}
	return found, nil
}

// lead is the beginning of a process's lead.
type lead struct {
	at       string // month, day and time, as klog writes them in the local zone
	pid      int
	identity string
}

// isWithin reports whether the lead began between two times, which the record of processes and
// not the log has stamped.
func (l lead) isWithin(from, to time.Time) bool {
	const slack = 50 * time.Millisecond
	at, err := time.ParseInLocation("2006 0102 15:04:05.000000", strconv.Itoa(from.Local().Year())+" "+l.at, time.Local)
	if at.Before(from.Add(-slack)) {
		at = at.AddDate(1, 0, 0) // the year has changed since the start
	}
	return err == nil && !at.After(to.Add(slack))
}

// leadsIn returns the leads in a log.
func leadsIn(log string) ([]lead, error) {
	file, err := os.Open(filepath.Clean(log))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	found := []lead{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if m := becameLeader.FindStringSubmatch(lines.Text()); m != nil {
			pid, _ := strconv.Atoi(m[2]) // digits, by the expression
			found = append(found, lead{at: m[1], pid: pid, identity: m[3]})
		}
	}
	return found, lines.Err()
}
