package observer

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// awsCall holds the fields of a line of AWSFile that the observer needs.
type awsCall struct {
	Time    time.Time `json:"time"`
	Caller  string    `json:"caller"`
	Service string    `json:"service"` // ec2, elb, elbv2, …
	Action  string    `json:"action"`
	Write   bool      `json:"write"`
}

// controller returns the controller that makes such a call, or empty if several do or none of
// those observed. Only the service controller calls load balancing, and only the route
// controller writes routes. Many processes ask for instances, so those calls do not show
// cloud-node-lifecycle.
func (c awsCall) controller() string {
	switch {
	case c.Service == "elb", c.Service == "elbv2":
		return Service
	case c.Service == "ec2" && (c.Action == "CreateRoute" || c.Action == "DeleteRoute"):
		return Route
	}
	return ""
}

// readCalls reads the AWS record. A lab that never called AWS has none.
func readCalls(path string, callers map[string]bool) ([]Event, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the record of AWS calls: %w", err)
	}
	defer f.Close()
	return parseCalls(f, callers)
}

// parseCalls keeps the calls of the given callers, because users of the cluster may list load
// balancers, too.
func parseCalls(r io.Reader, callers map[string]bool) ([]Event, error) {
	var out []Event
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading AWS call %d: %w", n, err)
		}
		var call awsCall
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, fmt.Errorf("AWS call %d is no JSON object: %w", n, err)
		}
		controller := call.controller()
		if controller == "" || !callers[call.Caller] {
			continue
		}
		out = append(out, Event{
			Time: call.Time, Kind: AWSCall, Process: Process{Name: call.Caller},
			Controller: controller, Detail: call.Service + ":" + call.Action,
		})
	}
}
