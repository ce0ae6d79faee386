package rkecli

import (
	"slices"
	"strings"
	"testing"
)

// Each line of a growing log is read once and whole, even an empty one. Text without a line end
// is read at the end only.
func TestTail(t *testing.T) {
	var got []string
	log := &growing{}
	read := tail{log: log, line: func(line string) { got = append(got, line) }}
	for i, tt := range []struct {
		grows string
		end   bool
		lines []string
	}{
		{"", false, nil}, {"a", false, nil}, {"b\n", false, []string{"ab"}}, {"\n", false, []string{""}}, {"c\n\nd", false, []string{"c", ""}},
		{"", false, nil}, {"e", true, []string{"de"}}, {"", true, nil}, {"f\n", true, []string{"f"}},
	} {
		got = nil
		log.text += tt.grows
		if read.read(tt.end); !slices.Equal(got, tt.lines) {
			t.Errorf("reading %d: %q, want %q", i, got, tt.lines)
		}
	}
}

// growing is a growing file.
type growing struct{ text string }

func (g *growing) ReadAt(p []byte, off int64) (int, error) {
	return strings.NewReader(g.text).ReadAt(p, off)
}
