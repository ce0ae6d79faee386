package proc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// RecordFile is the file under the lab's folder that holds the Records, one JSON object a line,
// oldest first.
const RecordFile = "processes.jsonl"

// The events of a Record.
const (
	Start = "start"
	Exit  = "exit"
)

// Record is one line of RecordFile: a process started or exited.
type Record struct {
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // Start or Exit
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Node     string    `json:"node"`
	PID      int       `json:"pid"`
	InnerPID int       `json:"innerPid,omitempty"` // in a PID namespace of its own, which its log shows
	Args     []string  `json:"args"`
	Log      string    `json:"log,omitempty"`
	ExitCode *int      `json:"exitCode,omitempty"` // of an exit; 128+n when signal n ended it
}

// ReadRecords reads the records of a Supervisor. It drops an incomplete last line, which a
// killed supervisor leaves.
func ReadRecords(r io.Reader) ([]Record, error) {
	var out []Record
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading process record %d: %w", n, err)
		}
		var rec Record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("process record %d is no JSON object: %w", n, err)
		}
		out = append(out, rec)
	}
}

type recorder struct {
	mu   sync.Mutex
	file *os.File
}

func openRecorder(dir string) (*recorder, error) {
	f, err := os.OpenFile(filepath.Join(dir, RecordFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &recorder{file: f}, nil
}

// write appends the whole line in one call, so that a reader sees whole lines.
func (r *recorder) write(rec Record) error {
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err = r.file.Write(append(line, '\n'))
	return err
}

func (r *recorder) close() error { return r.file.Close() }
