package aws

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params is a node of a query's parameters, split at the dots of their names:
// Filter.1.Value.2=x is Filter → 1 → Value → 2 with value x.
type params struct {
	value string
	set   bool
	child map[string]*params
}

func parseParams(form url.Values) *params {
	root := &params{}
	for name, values := range form {
		node := root
		for part := range strings.SplitSeq(name, ".") {
			if node.child == nil {
				node.child = map[string]*params{}
			}
			next := node.child[part]
			if next == nil {
				next = &params{}
				node.child[part] = next
			}
			node = next
		}
		node.set = true
		if len(values) > 0 {
			node.value = values[0]
		}
	}
	return root
}

// lookup walks down and never returns nil.
func (p *params) lookup(path ...string) *params {
	for _, part := range path {
		next := p.child[part]
		if next == nil {
			return &params{}
		}
		p = next
	}
	return p
}

func (p *params) str(path ...string) string { return p.lookup(path...).value }

func (p *params) has(path ...string) bool { return p.lookup(path...).set }

func (p *params) flag(path ...string) bool { return strings.EqualFold(p.str(path...), "true") }

// number returns 0 for an absent parameter.
func (p *params) number(path ...string) (int, error) {
	text := p.str(path...)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, invalidValue("Value (%s) for parameter %s is invalid. It must be a number.", text, strings.Join(path, "."))
	}
	return n, nil
}

// items returns a list's elements in the order of their numbers, in the form of EC2 (Name.1) or
// of the other services (Name.member.1).
func (p *params) items(path ...string) []*params {
	node := p.lookup(path...)
	if member, ok := node.child["member"]; ok {
		node = member
	}
	numbers := make([]int, 0, len(node.child))
	for name := range node.child {
		if n, err := strconv.Atoi(name); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	out := make([]*params, 0, len(numbers))
	for _, n := range numbers {
		out = append(out, node.child[strconv.Itoa(n)])
	}
	return out
}

func (p *params) list(path ...string) []string {
	items := p.items(path...)
	out := make([]string, 0, len(items))
	for _, item := range items {
		out = append(out, item.value)
	}
	return out
}
