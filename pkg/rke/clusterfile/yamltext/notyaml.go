package yamltext

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// notYAML names the likely cause of a parse error. Unrendered templates and tabs are far more
// common than other broken YAML. root is the part that could be parsed, or nil.
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

// rendered describes what must replace a template.
func (d *Document) rendered() string {
	return "the rendered " + d.reader.File + " that " + d.reader.Name + " is given"
}

// marker matches marks of templates that YAML itself would not read as text.
var marker = regexp.MustCompile(`\{\{|\{%|\$\{|<%|%\{|%[A-Za-z_][\w.-]*%|@[A-Za-z_]\w*@`)

// templateLine returns the line of a mark: near the error, or else the first that YAML would
// not read as text.
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

// tabLine returns the line of the tab that an error is about, or 0. The scanner names the line
// on which the token before the tab, or a block, began.
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

// ErrorLine returns the line that a decoder's error names, starting at 1, or 0.
func ErrorLine(err error) int {
	m := namedLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	// The parser, unlike the scanner, counts lines from 0 (go-yaml decode.go, fail).
	if strings.Contains(err.Error(), "did not find expected") && !strings.Contains(err.Error(), "whitespace") {
		n++
	}
	return n
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '([^']+)'`)

// lineOf returns the line of an error that names none: the scanner omits the first line, and
// some errors have no line at all.
func (d *Document) lineOf(err error, root *yaml.Node) int {
	text := err.Error()
	if l := ErrorLine(err); l > 0 && !strings.Contains(text, "incompatible YAML") { // counted from the end of the directive
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

// control reports whether YAML allows a character nowhere
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

// firstNode returns the line of the first node for which is returns true. For a key, key is the
// node itself.
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
