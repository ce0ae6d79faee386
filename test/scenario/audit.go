package scenario

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/test/trace"
)

// auditEvent is what is read of an API server's audit log.
type auditEvent struct {
	Verb                     string    `json:"verb"`
	RequestURI               string    `json:"requestURI"`
	UserAgent                string    `json:"userAgent"`
	RequestReceivedTimestamp time.Time `json:"requestReceivedTimestamp"`
	ObjectRef                struct {
		Resource string `json:"resource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Writes lists what a client, told by its user agent, wrote on any API server
// since a time. Access reviews and dry runs are no writes, nor is what the API
// server forbade.
func (l *Lab) Writes(since time.Time, userAgent string) ([]string, error) {
	logs, err := filepath.Glob(filepath.Join(l.Dir, "audit", "*.log"))
	if err != nil || len(logs) < 2 {
		return nil, fmt.Errorf("find the audit logs of two API servers or more in %s: %d, %w", l.Dir, len(logs), err)
	}
	seen, writes := 0, []string{}
	for _, log := range logs {
		events, err := readAudit(log, since, userAgent)
		if err != nil {
			return nil, err
		}
		seen += len(events)
		for _, e := range events {
			if e.isWrite() {
				writes = append(writes, fmt.Sprintf("%s: %s %s", filepath.Base(log), e.Verb, e.RequestURI))
			}
		}
	}
	if seen == 0 {
		return nil, fmt.Errorf("the audit logs in %s hold no request of %s since %s: nothing is proven", l.Dir, userAgent, since)
	}
	return writes, nil
}

// Trace is what a client has written with success since a time, in its order.
func (l *Lab) Trace(since time.Time, userAgent string) ([]trace.Write, error) {
	logs, err := filepath.Glob(filepath.Join(l.Dir, "audit", "*.log"))
	if err != nil {
		return nil, fmt.Errorf("find the audit logs in %s: %w", l.Dir, err)
	}
	type timed struct {
		trace.Write
		at time.Time
	}
	var all []timed
	for _, log := range logs {
		events, err := readAudit(log, since, userAgent)
		if err != nil {
			return nil, err
		}
		server := "downstream"
		if filepath.Base(log) == "management.log" {
			server = "management"
		}
		for _, e := range events {
			if e.isWrite() && e.ResponseStatus.Code < http.StatusMultipleChoices {
				all = append(all, timed{trace.Write{Server: server, Verb: httpVerbs[e.Verb], Path: e.RequestURI}, e.RequestReceivedTimestamp})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return a.at.Compare(b.at) })
	var writes []trace.Write
	for _, w := range all {
		writes = append(writes, w.Write)
	}
	return writes, nil
}

var httpVerbs = map[string]string{"create": http.MethodPost, "update": http.MethodPut, "patch": http.MethodPatch, "delete": http.MethodDelete}

func (e auditEvent) isWrite() bool {
	switch e.Verb {
	case "get", "list", "watch":
		return false
	}
	return e.ResponseStatus.Code != http.StatusForbidden && !strings.HasSuffix(e.ObjectRef.Resource, "accessreviews") && !strings.Contains(e.RequestURI, "dryRun=All")
}

func readAudit(path string, since time.Time, userAgent string) ([]auditEvent, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var events []auditEvent
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e auditEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // a line that the server was cut off in
		}
		if strings.HasPrefix(e.UserAgent, userAgent) && !e.RequestReceivedTimestamp.Before(since) {
			events = append(events, e)
		}
	}
	return events, lines.Err()
}
