package aws

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Document is an IAM policy. It authorises every call, SimulatePrincipalPolicy evaluates it,
// and GetRolePolicy shows it.
type Document struct {
	Version   string
	Statement []Statement
}

// Statement allows or denies actions; names may contain * and ?. Resource is shown, not
// evaluated.
type Statement struct {
	Sid      string `json:",omitempty"`
	Effect   string // Allow or Deny
	Action   []string
	Resource string
}

// The decisions of an evaluation, in IAM's own words.
const (
	decisionAllowed      = "allowed"
	decisionImplicitDeny = "implicitDeny"
	decisionExplicitDeny = "explicitDeny"
)

func allow(actions []string) Document {
	return Document{Version: "2012-10-17", Statement: []Statement{
		{Effect: "Allow", Action: slices.Clone(actions), Resource: "*"},
	}}
}

// evaluate decides one action such as ec2:DescribeInstances: a Deny has precedence over every
// Allow, and an action without a statement is denied.
func (d Document) evaluate(action string) string {
	decision := decisionImplicitDeny
	for _, s := range d.Statement {
		if !s.covers(action) {
			continue
		}
		if s.Effect == "Deny" {
			return decisionExplicitDeny
		}
		decision = decisionAllowed
	}
	return decision
}

func (s Statement) covers(action string) bool {
	for _, pattern := range s.Action {
		if wildcard(strings.ToLower(pattern), strings.ToLower(action)) {
			return true
		}
	}
	return false
}

func (d Document) validate() error {
	for n, s := range d.Statement {
		if s.Effect != "Allow" && s.Effect != "Deny" {
			return fmt.Errorf("statement %d: effect is %q; wanted Allow or Deny", n, s.Effect)
		}
		for _, action := range s.Action {
			if action != "*" && !strings.Contains(action, ":") {
				return fmt.Errorf("statement %d: action %q; wanted service:Action", n, action)
			}
		}
	}
	return nil
}

// text returns the document as IAM shows it, before URL encoding.
func (d Document) text() (string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("write policy document: %w", err)
	}
	return string(raw), nil
}

type role struct {
	Name     string
	Policies *store[Document] // inline ones, by name
}

// evaluate decides by all policies together.
func (r *role) evaluate(action string) string {
	var all Document
	for _, d := range r.Policies.all() {
		all.Statement = append(all.Statement, d.Statement...)
	}
	return all.evaluate(action)
}

// SetPolicy gives a role one policy that allows exactly these actions. It creates a missing
// role.
func (c *Cloud) SetPolicy(name string, actions []string) error {
	return c.SetPolicyDocument(name, allow(actions))
}

// SetPolicyDocument gives a role one policy with statements, also denying ones.
func (c *Cloud) SetPolicyDocument(name string, d Document) error {
	if name == "" {
		return fmt.Errorf("set policy: the role has no name")
	}
	if err := d.validate(); err != nil {
		return fmt.Errorf("set policy of role %s: %w", name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setDocument(name, d)
	return nil
}

func (c *Cloud) setDocument(name string, d Document) {
	r := &role{Name: name, Policies: newStore[Document]()}
	r.Policies.put(inlinePolicy, d)
	c.roles.put(name, r)
}

// Policy returns the actions that a role's policies allow, as written.
func (c *Cloud) Policy(name string) ([]string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.roles.get(name)
	if !ok {
		return nil, false
	}
	var out []string
	for _, d := range r.Policies.all() {
		for _, s := range d.Statement {
			if s.Effect == "Allow" {
				out = append(out, s.Action...)
			}
		}
	}
	return out, true
}
