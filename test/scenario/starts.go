package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Start describes the start of a component's process.
type Start struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	Name  string    `json:"name"`
	Kind  string    `json:"kind"`
	Node  string    `json:"node"` // the machine
	Args  []string  `json:"args"`
}

// Last returns the last value of a flag, which is the one that the component uses.
func (s Start) Last(flag string) (string, bool) {
	for i := len(s.Args) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.Args[i], "--"+flag+"="); ok {
			return value, true
		}
		if s.Args[i] == "--"+flag {
			return "true", true
		}
	}
	return "", false
}

// Starts lists the processes of a kind that started since a time, by the lab's record.
func (l *Lab) Starts(kind string, since time.Time) ([]Start, error) {
	file, err := os.Open(filepath.Join(l.Dir, "processes.jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var starts []Start
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s Start
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read processes.jsonl: %w", err)
		}
		if s.Event == "start" && s.Kind == kind && !s.Time.Before(since) {
			starts = append(starts, s)
		}
	}
	return starts, lines.Err()
}

// RunningNow lists the running processes of a kind, with their arguments from the operating
// system.
func (l *Lab) RunningNow(ctx context.Context, kind string) ([]Start, error) {
	text, err := exec.CommandContext(ctx, l.binary("lab"), "status", "--json", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("lab status: %w", err)
	}
	var status struct {
		Processes []struct {
			Name, Kind, Node string
			PID              int
			Started          time.Time
		}
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return nil, fmt.Errorf("lab status: %w", err)
	}
	var running []Start
	for _, p := range status.Processes {
		if p.Kind != kind {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", p.Name, err)
		}
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		running = append(running, Start{Time: p.Started, Event: "start", Name: p.Name, Kind: p.Kind, Node: p.Node, Args: args[1:]})
	}
	return running, nil
}
