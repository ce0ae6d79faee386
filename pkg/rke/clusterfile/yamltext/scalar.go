package yamltext

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// text returns the notation of a change's value. found is the node that it replaces, or nil;
// indent is the number of spaces before the lines of a block.
func (c Change) text(found *yaml.Node, inFlow bool, indent int, eol string) string {
	v := *c.Value
	if found != nil && c.Style != Literal && !isBool(v) {
		switch {
		case found.Style&yaml.SingleQuotedStyle != 0 && printable(v):
			return "'" + strings.ReplaceAll(v, "'", "''") + "'"
		case found.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
			return quote(v)
		}
	}
	switch {
	case c.Style == Plain:
		return v
	case c.Style == Literal && !inFlow && blockable(v):
		return block(v, indent, eol)
	default:
		if found != nil && found.Style&yaml.SingleQuotedStyle != 0 && printable(v) {
			return "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		return quote(v)
	}
}

// quote returns a double-quoted scalar on one line.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\x%02X`, r)
		case r < 0x10000 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// blockable reports whether a literal block preserves text: such a block has no escapes, and
// leading lines of spaces alone would set its indentation.
func blockable(s string) bool {
	if strings.TrimSpace(s) == "" || strings.HasPrefix(s, "\n") {
		return false
	}
	return printable(strings.NewReplacer("\n", "", "\t", "").Replace(s))
}

func block(s string, indent int, eol string) string {
	var b strings.Builder
	b.WriteByte('|')
	if s[0] == ' ' || s[0] == '\t' {
		return quote(s)
	}
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		b.WriteByte('-')
	case 1:
	default:
		b.WriteByte('+')
		body = s[:len(s)-1]
	}
	for l := range strings.SplitSeq(body, "\n") {
		b.WriteString(eol)
		if l != "" {
			b.WriteString(strings.Repeat(" ", indent) + l)
		}
	}
	return b.String()
}

// plainKey reports whether a key needs no quotes anywhere and reads as a string.
func plainKey(s string) bool {
	var v any
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`).MatchString(s) &&
		yaml2.Unmarshal([]byte(s), &v) == nil && v == any(s)
}

func keyText(s string, quoted bool) string {
	if plainKey(s) && !quoted {
		return s
	}
	return quote(s)
}

// isBool reports whether plain text reads as a boolean: yaml.v2 accepts yes, on and similar
// words (go-yaml resolve.go).
func isBool(s string) bool {
	_, ok := boolean(s)
	return ok
}

func boolean(s string) (value, ok bool) {
	var v any
	if yaml2.Unmarshal([]byte(s), &v) != nil {
		return false, false
	}
	value, ok = v.(bool)
	return value, ok
}

// holds reports whether a node already has the value of the change. Readers of text use its
// source, so that a plain true equals "true".
func (c Change) holds(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || null(n) || n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" {
		return false
	}
	if want, ok := boolean(*c.Value); ok && c.Style == Plain {
		have, ok := boolean(n.Value)
		return ok && have == want && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
	}
	return n.Value == *c.Value
}
