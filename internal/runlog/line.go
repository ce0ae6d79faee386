package runlog

import (
	"bytes"
	"encoding/json"
	"time"
)

// Line is one line of the log about one cluster, as internal/controller writes it.
type Line struct {
	Time       time.Time `json:"time"`
	Level      string    `json:"level"`
	Message    string    `json:"msg"`
	Namespace  string    `json:"namespace"`
	Cluster    string    `json:"cluster"`
	Run        string    `json:"run"`   // "": of no run, or of one that has no ID yet
	Event      string    `json:"event"` // "": of no run
	Step       string    `json:"step"`
	Position   string    `json:"position"`
	WaitingFor string    `json:"waitingFor"`
	Seen       string    `json:"seen"`
	Lines      []string  `json:"lines"`
	Seconds    float64   `json:"seconds"`
	Error      string    `json:"error"`
}

// parse reads a line; false: it is none of the controller's about a cluster, such as one of
// a library, or the trace of a crash.
func parse(text []byte) (Line, bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' {
		return Line{}, false
	}
	var l Line
	if err := json.Unmarshal(text, &l); err != nil || l.Cluster == "" {
		return Line{}, false
	}
	return l, true
}

// Filter picks lines. An empty field takes all.
type Filter struct {
	Namespace, Cluster, Run string
}

func (f Filter) takes(l Line) bool {
	is := func(wanted, has string) bool { return wanted == "" || wanted == has }
	return is(f.Namespace, l.Namespace) && is(f.Cluster, l.Cluster) && is(f.Run, l.Run)
}
