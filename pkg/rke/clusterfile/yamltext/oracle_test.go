package yamltext_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// The oracle defines the required result of an edit. It shares no code with the package: it
// decodes with rke's decoder, counts lines by their longest common subsequence, and applies the
// printed diff as patch would.

func meaning(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	if err := yaml2.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

func intended(v any, c yamltext.Change) any {
	m, ok := v.(map[any]any)
	if !ok {
		if c.Value == nil {
			return v
		}
		m = map[any]any{}
	}
	k := c.Path[0]
	child, there := m[k]
	switch {
	case len(c.Path) > 1 && (there || c.Value != nil):
		rest := c
		rest.Path, rest.Prune, rest.Refill = c.Path[1:], nil, nil
		prune, null := false, false
		for _, b := range c.Refill {
			if len(b.Path) == 1 && b.Path[0] == k {
				null = !strings.Contains(b.Text, "{")
			} else if b.Path[0] == k {
				rest.Refill = append(rest.Refill, yamltext.Blank{Path: b.Path[1:], Text: b.Text})
			}
		}
		for _, p := range c.Prune {
			if len(p) == 1 && p[0] == k {
				prune = true
			} else if p[0] == k {
				rest.Prune = append(rest.Prune, p[1:])
			}
		}
		had := there && reaches(child, c.Path[1:])
		m[k] = intended(child, rest)
		if left, ok := m[k].(map[any]any); ok && c.Value == nil && had && len(left) == 0 {
			if prune {
				delete(m, k)
			} else if null {
				m[k] = nil
			}
		}
	case len(c.Path) > 1:
	case c.Value == nil:
		delete(m, k)
	case c.Style == yamltext.Plain:
		var value any
		if yaml2.Unmarshal([]byte(*c.Value), &value) != nil {
			value = "broken"
		}
		m[k] = value
	default:
		m[k] = *c.Value
	}
	return m
}

func reaches(v any, path []string) bool {
	for _, k := range path {
		m, ok := v.(map[any]any)
		if !ok {
			return false
		}
		if v, ok = m[k]; !ok {
			return false
		}
	}
	return true
}

// sameMeaning compares what rke's decoder reads. A change whose value was already set, perhaps
// in another notation, must leave it unchanged.
func sameMeaning(t testing.TB, e yamltext.Edit) {
	t.Helper()
	want, got := meaning(t, e.Before), meaning(t, e.After)
	for _, c := range e.Changes {
		if c.Value != nil && fmt.Sprint(lookup(want, c.Path)) == *c.Value && *c.Value == fmt.Sprint(lookup(got, c.Path)) {
			want = intended(want, c)
			got = intended(got, c)
			continue
		}
		want = intended(want, c)
	}
	if w, g := fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got); w != g {
		t.Errorf("meaning\nwanted %s\ngot    %s\n%s", w, g, e.Diff())
	}
}

func lookup(v any, path []string) any {
	for _, k := range path {
		m, ok := v.(map[any]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// fewLines checks that an edit touches only the lines that its changes need.
func fewLines(t testing.TB, e yamltext.Edit) {
	t.Helper()
	before, after := strings.SplitAfter(string(e.Before), "\n"), strings.SplitAfter(string(e.After), "\n")
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	if len(before)*len(after) > 1<<20 {
		return
	}
	kept := common(before, after)
	minus, plus := len(before)-kept, len(after)-kept
	var mayMinus, mayPlus int
	for _, c := range e.Changes {
		// One line changes for the value or the brackets, and one where a file without a final
		// newline ends.
		mayMinus += 2 + span(e.Before, c.Path)
		mayPlus += 2
		for i := range c.Path {
			// An empty mapping over several lines becomes one with keys.
			if v := lookup(meaning(t, e.Before), c.Path[:i]); c.Value != nil && fmt.Sprint(v) == "map[]" {
				mayMinus += span(e.Before, c.Path[:i])
			}
		}
		for _, p := range c.Prune {
			mayMinus += span(e.Before, p)
		}
		if c.Value != nil {
			mayPlus += len(c.Path) + strings.Count(*c.Value, "\n")
		}
	}
	if minus > mayMinus || plus > mayPlus {
		t.Errorf("+%d -%d lines, at most +%d -%d\n%s", plus, minus, mayPlus, mayMinus, e.Diff())
	}
}

func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			row[j+1] = max(above, row[j])
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// span returns the number of lines from a key to the next one of its mapping or one above.
func span(text []byte, path []string) int {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	at, end, line := doc.Content[0], bytes.Count(text, []byte("\n"))+2, 0
	for _, name := range path {
		found := false
		for i := 0; i+1 < len(at.Content) && at.Kind == yaml.MappingNode; i += 2 {
			if at.Content[i].Value != name {
				continue
			}
			if line = at.Content[i].Line; i+2 < len(at.Content) {
				end = at.Content[i+2].Line
			}
			at, found = at.Content[i+1], true
			break
		}
		if !found {
			return 0
		}
	}
	return max(end-line, 1)
}

// applyPatch applies a unified diff.
func applyPatch(t testing.TB, before []byte, diff string) []byte {
	t.Helper()
	lines := strings.SplitAfter(string(before), "\n")
	var out strings.Builder
	at := 0
	body := strings.SplitAfter(diff, "\n")
	for i := 2; i < len(body) && body[i] != ""; i++ {
		l := body[i]
		if strings.HasPrefix(l, "@@") {
			var from int
			if _, err := fmt.Sscanf(l, "@@ -%d", &from); err != nil {
				t.Fatalf("%q: %v", l, err)
			}
			if !strings.HasPrefix(l, fmt.Sprintf("@@ -%d,0 ", from)) {
				from--
			}
			for ; at < from; at++ {
				out.WriteString(lines[at])
			}
			continue
		}
		text := l[1:]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch l[0] {
		case '\\':
			continue
		case '+':
			out.WriteString(text)
			continue
		case '-':
		default:
			out.WriteString(text)
		}
		if at >= len(lines) || lines[at] != text {
			t.Fatalf("the diff does not fit at line %d: %q\n%s", at+1, text, diff)
		}
		at++
	}
	return []byte(out.String() + strings.Join(lines[at:], ""))
}

// holds checks all promises for an edit.
func holds(t testing.TB, e yamltext.Edit) {
	t.Helper()
	sameMeaning(t, e)
	fewLines(t, e)
	if e.Empty() {
		if e.Diff() != "" {
			t.Errorf("an empty edit with a diff:\n%s", e.Diff())
		}
		return
	}
	if !bytes.ContainsAny(bytes.ReplaceAll(e.Before, []byte("\r\n"), nil), "\r\u0085\u2028\u2029") {
		same(t, "diff applied", applyPatch(t, e.Before, e.Diff()), e.After)
	}
	f, err := yamltext.Parse("x.yml", e.After, reader())
	if err != nil {
		t.Fatalf("the result is refused: %v\n%s", err, e.After)
	}
	again, err := f.Edit(e.Changes...)
	if err != nil || !again.Empty() {
		t.Errorf("a second time: %v\n%s", err, again.Diff())
	}
	back, err := e.Invert(f)
	if err != nil {
		t.Fatalf("undo: %v\n%s", err, e.Diff())
	}
	same(t, "undone", back.After, e.Before)
}
