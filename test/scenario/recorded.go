package scenario

import (
	"bufio"
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

// becameLeader matches a component's log line about an acquired lease: klog's header, whose third
// word is the process ID, and the Event
// (k8s.io/client-go/tools/leaderelection/resourcelock@v0.26.13, RecordEvent).
var becameLeader = regexp.MustCompile(`^I\d{4} [0-9:.]+\s+(\d+) event\.go:\d+\] .* message="(\S+_[0-9a-f-]{36}) became leader"`)

// leaders returns the identities under which processes led, by Process.id.
func (l *Lab) leaders() (map[string]string, error) {
	starts, _, err := l.processes()
	if err != nil {
		return nil, err
	}
	found, read := map[string]string{}, map[string]map[int]string{}
	for _, p := range starts {
		if p.Kind != KubeControllerManager && p.Kind != CloudControllerManager {
			continue
		}
		if read[p.Log] == nil {
			if read[p.Log], err = leadersIn(p.Log); err != nil {
				return nil, err
			}
		}
		if identity := read[p.Log][p.PID]; identity != "" {
			found[p.id()] = identity
		}
	}
	return found, nil
}

// leadersIn returns the leaders in a log by process ID.
func leadersIn(log string) (map[int]string, error) {
	file, err := os.Open(filepath.Clean(log))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	found := map[int]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if m := becameLeader.FindStringSubmatch(lines.Text()); m != nil {
			pid, _ := strconv.Atoi(m[1]) // digits, by the expression
			found[pid] = m[2]
		}
	}
	return found, lines.Err()
}
