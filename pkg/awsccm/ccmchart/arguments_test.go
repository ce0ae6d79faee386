package ccmchart

import (
	"testing"
)

func TestSplitFlag(t *testing.T) {
	for arg, want := range map[string][2]string{
		"--a=b":            {"--a", "b"},
		"--a":              {"--a", "true"},
		"-a=b":             {"--a", "b"},
		" '--a=b=c' ":      {"--a", "b=c"},
		`"--leader-elect"`: {"--leader-elect", "true"},
	} {
		name, value := splitFlag(arg)
		if name != want[0] || value != want[1] {
			t.Errorf("%q: %q %q", arg, name, value)
		}
	}
}
