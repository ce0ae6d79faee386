package aws

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Call is a line of the record: one call of an API, or one request to a metadata service
// (service "imds", with the instance's ID as caller).
type Call struct {
	Time      time.Time           `json:"time"`
	Caller    string              `json:"caller"`
	Principal string              `json:"principal,omitempty"` // ARN; empty: not known
	Service   string              `json:"service"`
	Action    string              `json:"action"`
	Write     bool                `json:"write,omitempty"` // the action changes something
	Params    map[string][]string `json:"params,omitempty"`
	Error     string              `json:"error,omitempty"` // the error's code
	RequestID string              `json:"requestId,omitempty"`
}

// maxRecorded bounds the recorded values of one parameter.
const maxRecorded = 50

// write appends to the record. A call that cannot be recorded fails, because an unrecorded call
// must not be answered.
func (c *Cloud) write(call Call) error {
	if c.record == nil {
		return nil
	}
	line, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("record %s: %w", call.Action, err)
	}
	c.recordMu.Lock()
	defer c.recordMu.Unlock()
	if _, err := c.record.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("record %s: %w", call.Action, err)
	}
	return nil
}

// summary flattens parameters: list numbers are removed (InstanceId), filters are named by
// their subject (Filter:vpc-id), tags by their key (Tag:Name).
func summary(p *params) map[string][]string {
	out := map[string][]string{}
	flatten(out, "", p)
	for _, noise := range []string{"Action", "Version"} {
		delete(out, noise)
	}
	for name, values := range out {
		if len(values) > maxRecorded {
			out[name] = append(values[:maxRecorded:maxRecorded], "+"+strconv.Itoa(len(values)-maxRecorded))
		}
	}
	return out
}

func flatten(out map[string][]string, name string, p *params) {
	if p.set {
		out[name] = append(out[name], p.value)
	}
	if items := p.items(); len(items) > 0 && name != "" {
		for _, item := range items {
			flattenItem(out, name, item)
		}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(p.child)) {
		full := key
		if name != "" {
			full = name + "." + key
		}
		flatten(out, full, p.child[key])
	}
}

func flattenItem(out map[string][]string, name string, item *params) {
	switch {
	case item.has("Name") && len(item.items("Value")) > 0:
		key := name + ":" + item.str("Name")
		out[key] = append(out[key], item.list("Value")...)
	case item.has("Key"):
		key := name + ":" + item.str("Key")
		out[key] = append(out[key], item.str("Value"))
	default:
		flatten(out, name, item)
	}
}
