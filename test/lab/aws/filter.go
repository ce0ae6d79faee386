package aws

import (
	"strings"
)

// maxFilterValues is EC2's limit for one call.
const maxFilterValues = 200

type filter struct {
	name     string
	literals map[string]bool
	patterns []string
}

// parseFilters parses EC2's Filter.N list; values with * or ? are patterns.
func parseFilters(p *params) ([]filter, error) {
	var out []filter
	total := 0
	for _, item := range p.items("Filter") {
		f := filter{name: item.str("Name"), literals: map[string]bool{}}
		values := item.list("Value")
		if f.name == "" || len(values) == 0 {
			return nil, invalidValue("The filter %q has no name or no values", f.name)
		}
		for _, value := range values {
			if strings.ContainsAny(value, "*?") {
				f.patterns = append(f.patterns, value)
			} else {
				f.literals[value] = true
			}
		}
		total += len(values)
		out = append(out, f)
	}
	if total > maxFilterValues {
		return nil, fail("FilterLimitExceeded", "The maximum number of filter values specified on a single call is %d", maxFilterValues)
	}
	return out, nil
}

// attributes returns the values of a resource for a filter's name, or false for a name that the
// action does not know.
type attributes func(name string) ([]string, bool)

// matchAll reports whether every filter matches one of the values. An unknown filter name is an
// error, never an empty answer.
func matchAll(filters []filter, values attributes, tags map[string]string) bool {
	for _, f := range filters {
		found, ok := tagValues(f.name, tags)
		if !ok {
			found, _ = values(f.name)
		}
		if !f.matches(found) {
			return false
		}
	}
	return true
}

// knownFilters returns an error for a filter that the action does not know, before anything is
// read.
func knownFilters(filters []filter, values attributes) error {
	for _, f := range filters {
		if _, ok := tagValues(f.name, nil); ok {
			continue
		}
		if _, ok := values(f.name); !ok {
			return invalidValue("The filter '%s' is invalid", f.name)
		}
	}
	return nil
}

func tagValues(name string, tags map[string]string) ([]string, bool) {
	var out []string
	switch {
	case strings.HasPrefix(name, "tag:"):
		if value, ok := tags[strings.TrimPrefix(name, "tag:")]; ok {
			out = append(out, value)
		}
	case name == "tag-key":
		for key := range tags {
			out = append(out, key)
		}
	case name == "tag-value":
		for _, value := range tags {
			out = append(out, value)
		}
	default:
		return nil, false
	}
	return out, true
}

func (f filter) matches(values []string) bool {
	for _, value := range values {
		if f.literals[value] {
			return true
		}
		for _, pattern := range f.patterns {
			if wildcard(pattern, value) {
				return true
			}
		}
	}
	return false
}

// wildcard matches * and ? as EC2 filters and IAM actions do.
func wildcard(pattern, text string) bool {
	star, mark, at := -1, 0, 0
	i := 0
	for i < len(text) {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			star, mark = at, i
			at++
		case at < len(pattern) && (pattern[at] == '?' || pattern[at] == text[i]):
			at++
			i++
		case star >= 0:
			at, mark = star+1, mark+1
			i = mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}
