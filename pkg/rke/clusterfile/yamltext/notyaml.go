package yamltext

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// notYAML names the likely cause of a parse error: people forget that a file is
// a template, or indent with tabs, far more often than they break YAML. root is
// what could be parsed; nil: nothing.
func (d *Document) notYAML(err error, root *yaml.Node) *refusal {
	at := max(1, min(d.lineOf(err, root), len(d.lines)))
	if l := d.tabLine(at, err); l > 0 {
		return &refusal{
			cause: causeTabs, line: l, seen: "a tab in the indentation", wanted: "spaces: YAML takes no tabs there", err: OneLine(err),
		}
	}
	if l := d.templateLine(at); l > 0 {
		return &refusal{
			cause: causeTemplate, line: l, seen: "a template marker: " + Excerpt(d.content(l-1)),
			wanted: d.rendered(), fix: d.reader.Render, err: OneLine(err),
		}
	}
	return &refusal{cause: causeNotYAML, line: at, seen: "is not YAML", wanted: "a file that " + d.reader.Name + " can read", err: OneLine(err)}
}

// rendered is what a template is to be replaced by.
func (d *Document) rendered() string {
	return "the rendered " + d.reader.File + " that " + d.reader.Name + " is given"
}

// marker are words of templates that YAML itself would not take as text.
var marker = regexp.MustCompile(`\{\{|\{%|\$\{|<%|%\{|%[A-Za-z_][\w.-]*%|@[A-Za-z_]\w*@`)

// templateLine is where a marker stands: near the error, else the first one
// that YAML itself would not take as text.
func (d *Document) templateLine(near int) int {
	for l := max(1, near-1); l <= min(near+1, len(d.lines)); l++ {
		if marker.MatchString(d.content(l - 1)) {
			return l
		}
	}
	for i := range d.lines {
		c := strings.TrimLeft(d.content(i), " -")
		_, value, _ := strings.Cut(c, ": ")
		for _, marker := range []string{"{{", "{%", "{#"} {
			if strings.HasPrefix(c, marker) || strings.HasPrefix(strings.TrimLeft(value, " "), marker) {
				return i + 1
			}
		}
	}
	return 0
}

// tabLine is the line of the tab that an error is about; 0: it is about none. The
// scanner names the line where the token before the tab began, or a block.
func (d *Document) tabLine(near int, err error) int {
	last := near
	if strings.Contains(err.Error(), "tab character") {
		last = len(d.lines)
	}
	for l := near; l <= last && strings.Contains(err.Error(), "found"); l++ {
		c := d.content(l - 1)
		if strings.Contains(c[:len(c)-len(strings.TrimLeft(c, " \t"))], "\t") {
			return l
		}
	}
	return 0
}

var namedLine = regexp.MustCompile(`line (\d+)`)

// ErrorLine is the line that a decoder's error names, 1-based; 0 for none.
func ErrorLine(err error) int {
	m := namedLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	// The parser, unlike the scanner, counts lines from zero (go-yaml decode.go, fail).
	if strings.Contains(err.Error(), "did not find expected") && !strings.Contains(err.Error(), "whitespace") {
		n++
	}
	return n
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)'`)

// lineOf finds the line of an error that names none: what the scanner meets on
// the first line, or what is no matter of lines to the one who found it.
func (d *Document) lineOf(err error, root *yaml.Node) int {
	text := err.Error()
	if l := ErrorLine(err); l > 0 && !strings.Contains(text, "incompatible YAML") { // which is counted from the directive's end
		return l
	}
	anchor := unknownAnchor.FindStringSubmatch(text)
	switch {
	case strings.Contains(text, "control characters"):
		return d.firstLine(func(c string) bool { return strings.IndexFunc(c, control) >= 0 })
	case strings.Contains(text, "incompatible YAML"):
		return d.firstLine(func(c string) bool { return strings.HasPrefix(c, "%YAML") })
	case anchor != nil:
		return d.firstLine(func(c string) bool { return strings.Contains(c, "*"+anchor[1]) })
	case root == nil:
		return 0
	case strings.Contains(text, "aliasing"):
		return firstNode(root, func(n, _ *yaml.Node) bool { return n.Kind == yaml.AliasNode })
	case strings.Contains(text, "map key"):
		return firstNode(root, func(n, key *yaml.Node) bool { return key == n && n.Kind != yaml.ScalarNode })
	case strings.Contains(text, "map merge"):
		return firstNode(root, func(n, key *yaml.Node) bool { return key == n && n.Value == "<<" })
	}
	return firstNode(root, func(n, _ *yaml.Node) bool { return n.Style&yaml.TaggedStyle != 0 })
}

// control is a character that YAML takes nowhere
// (go.yaml.in/yaml:readerc.go@v3, yaml_parser_update_buffer).
func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

func (d *Document) firstLine(is func(string) bool) int {
	for i := range d.lines {
		if is(d.content(i)) {
			return i + 1
		}
	}
	return 0
}

// firstNode is the line of the first node that is looked for; key is the node
// itself where it is a key.
func firstNode(n *yaml.Node, is func(n, key *yaml.Node) bool) int {
	for i, c := range n.Content {
		var key *yaml.Node
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			key = c
		}
		if is(c, key) {
			return c.Line
		}
		if l := firstNode(c, is); l > 0 {
			return l
		}
	}
	return 0
}
