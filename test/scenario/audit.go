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

// auditEvent holds the relevant fields of an API server's audit log.
type auditEvent struct {
	log                      string
	Stage                    string    `json:"stage"`
	Verb                     string    `json:"verb"`
	RequestURI               string    `json:"requestURI"`
	UserAgent                string    `json:"userAgent"`
	RequestReceivedTimestamp time.Time `json:"requestReceivedTimestamp"`
	User                     struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Writes lists a client's writes on any API server since a time. The client is identified by its
// user agent. Access reviews, dry runs and forbidden requests do not count.
func (l *Lab) Writes(since time.Time, userAgent string) ([]string, error) {
	events, err := l.audited(since, userAgent)
	if err != nil {
		return nil, err
	}
	writes := []string{}
	for _, e := range events {
		if e.isWrite() {
			writes = append(writes, fmt.Sprintf("%s: %s %s of %q", e.log, e.Verb, e.RequestURI, e.ObjectRef.Name))
		}
	}
	return writes, nil
}

// Trace returns a client's successful writes since a time, in order.
func (l *Lab) Trace(since time.Time, userAgent string) ([]trace.Write, error) {
	events, err := l.audited(since, userAgent)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(events, func(a, b auditEvent) int { return a.RequestReceivedTimestamp.Compare(b.RequestReceivedTimestamp) })
	var writes []trace.Write
	for _, e := range events {
		if !e.isWrite() || e.ResponseStatus.Code >= http.StatusMultipleChoices {
			continue
		}
		server := "downstream"
		if e.log == "management.log" {
			server = "management"
		}
		writes = append(writes, trace.Write{Server: server, Verb: httpVerbs[e.Verb], Path: e.RequestURI, Object: e.ObjectRef.Name})
	}
	return writes, nil
}

// audited returns a client's requests to all API servers. It returns an error if there are no
// requests, because an empty list would prove nothing.
func (l *Lab) audited(since time.Time, userAgent string) ([]auditEvent, error) {
	logs, err := filepath.Glob(filepath.Join(l.Dir, "audit", "*.log"))
	if err != nil || len(logs) < 2 {
		return nil, fmt.Errorf("find the audit logs of two API servers or more in %s: %d, %w", l.Dir, len(logs), err)
	}
	var all []auditEvent
	for _, log := range logs {
		events, err := readAudit(log, since, userAgent)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the audit logs in %s hold no request of %s since %s: nothing is proven", l.Dir, userAgent, since)
	}
	return all, nil
}

var httpVerbs = map[string]string{"create": http.MethodPost, "update": http.MethodPut, "patch": http.MethodPatch, "delete": http.MethodDelete}

func (e auditEvent) isWrite() bool {
	switch e.Verb {
	case "get", "list", "watch":
		return false
	}
	return e.ResponseStatus.Code != http.StatusForbidden && !strings.HasSuffix(e.ObjectRef.Resource, "accessreviews") && e.ObjectRef.Resource != "selfsubjectreviews" && !strings.Contains(e.RequestURI, "dryRun=All")
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
			continue // a line that the server could not finish
		}
		if strings.HasPrefix(e.UserAgent, userAgent) && !e.RequestReceivedTimestamp.Before(since) {
			e.log = filepath.Base(path)
			events = append(events, e)
		}
	}
	return events, lines.Err()
}
