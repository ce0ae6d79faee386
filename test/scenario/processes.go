package scenario

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// The kinds of process that run cloud controllers.
const (
	KubeControllerManager  = "kube-controller-manager"
	CloudControllerManager = "aws-cloud-controller-manager"
)

// Process is one run of a program, as the lab's supervisor recorded it.
type Process struct {
	Time     time.Time `json:"time"`
	Event    string    `json:"event"`
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Node     string    `json:"node"` // the machine's name
	PID      int       `json:"pid"`
	InnerPID int       `json:"innerPid"` // in a PID namespace of its own, which its log shows
	Args     []string  `json:"args"`
	Log      string    `json:"log"`
	ExitCode int       `json:"exitCode"` // after its end
}

// Last returns the last value of a flag, which is the one that counts. A flag without a value is
// "true".
func (p Process) Last(flag string) string {
	last := ""
	for _, argument := range p.Args {
		name, value, given := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if name != flag {
			continue
		}
		if last = value; !given {
			last = "true"
		}
	}
	return last
}

// Running returns the running processes of a kind, sorted by machine and start.
func (l *Lab) Running(kind string) ([]Process, error) {
	starts, exits, err := l.processes()
	if err != nil {
		return nil, err
	}
	var running []Process
	for _, start := range starts {
		if _, ended := exits[start.id()]; !ended && start.Kind == kind {
			running = append(running, start)
		}
	}
	sort.SliceStable(running, func(i, j int) bool { return running[i].Node < running[j].Node })
	return running, nil
}

// Started returns the processes of a kind that started since a time, including ended ones.
func (l *Lab) Started(kind string, since time.Time) ([]Process, error) {
	starts, exits, err := l.processes()
	if err != nil {
		return nil, err
	}
	var started []Process
	for _, start := range starts {
		if start.Kind == kind && !start.Time.Before(since) {
			start.ExitCode = exits[start.id()].ExitCode
			started = append(started, start)
		}
	}
	return started, nil
}

// id returns a unique ID: only a process of another name reuses a process ID.
func (p Process) id() string { return fmt.Sprintf("%s %d", p.Name, p.PID) }

func (l *Lab) processes() (starts []Process, exits map[string]Process, err error) {
	file, err := os.Open(filepath.Join(l.Dir, "processes.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	exits = map[string]Process{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var p Process
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, nil, fmt.Errorf("record of processes %s: %w", file.Name(), err)
		}
		if p.Event == "exit" {
			exits[p.id()] = p
		} else {
			starts = append(starts, p)
		}
	}
	return starts, exits, lines.Err()
}

// Providers returns, for each machine with a running kube-controller-manager, its provider and
// flag, for example "aws" or "external with flag".
func (l *Lab) Providers() (map[string]string, error) {
	running, err := l.Running(KubeControllerManager)
	if err != nil {
		return nil, err
	}
	providers := map[string]string{}
	for _, p := range running {
		text := p.Last("cloud-provider")
		if p.Last("enable-leader-migration") == "true" {
			text += " with flag"
		}
		if _, twice := providers[p.Node]; twice {
			text = "runs twice"
		}
		providers[p.Node] = text
	}
	return providers, nil
}

// AllRun reports whether the kube-controller-managers of all machines run with a provider, as
// Providers spells it.
func AllRun(providers map[string]string, provider string, machines int) bool {
	for _, have := range providers {
		if have != provider {
			return false
		}
	}
	return len(providers) == machines
}
