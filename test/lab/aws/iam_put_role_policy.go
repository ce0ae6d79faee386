package aws

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	policyName  = regexp.MustCompile(`^[\w+=,.@-]{1,128}$`)
	statementID = regexp.MustCompile(`^[0-9A-Za-z]*$`)
)

// putRolePolicy adds an inline policy, or replaces the one of the same name.
func putRolePolicy(c *Cloud, q *call) (any, error) {
	r, err := c.roleNamed(q)
	if err != nil {
		return nil, err
	}
	name := q.str("PolicyName")
	if !policyName.MatchString(name) {
		return nil, fail("ValidationError", "The specified value for policyName is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-")
	}
	d, err := parseDocument(q.str("PolicyDocument"))
	if err != nil {
		return nil, err
	}
	r.Policies.put(name, d)
	return struct{}{}, nil
}

// parseDocument parses the elements that the lab evaluates, actions as a list and one resource.
// It also refuses elements that IAM accepts and the lab would have to ignore.
func parseDocument(text string) (Document, error) {
	var d Document
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&d)
	if err == nil && decoder.More() {
		err = errors.New("there is text behind the document")
	}
	if err == nil {
		err = errors.Join(d.complete(), d.validate())
	}
	if err != nil {
		return Document{}, fail("MalformedPolicyDocument", "Syntax errors in policy: %s", err)
	}
	return d, nil
}

// complete returns IAM's error for a document without required elements, or nil.
func (d Document) complete() error {
	if d.Version != "2012-10-17" || len(d.Statement) == 0 {
		return errors.New("wanted Version 2012-10-17 and a statement")
	}
	for n, s := range d.Statement {
		if !statementID.MatchString(s.Sid) || len(s.Action) == 0 || s.Resource == "" {
			return fmt.Errorf("statement %d: wanted an alphanumeric Sid, an action and a resource", n)
		}
	}
	return nil
}
