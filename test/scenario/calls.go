package scenario

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Calls returns the kinds of calls that AWS received from a caller, such as
// "ec2:DescribeInstances". The caller is identified by the beginning of its name.
func (l *Lab) Calls(ctx context.Context, caller string) ([]string, error) {
	text, err := exec.CommandContext(ctx, l.binary("lab"), "calls", "--dir", l.Dir, "--caller", caller).Output()
	if err != nil {
		return nil, fmt.Errorf("lab calls: %w", err)
	}
	var kinds []string
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 2 && strings.HasPrefix(fields[1], caller) {
			kinds = append(kinds, fields[2])
		}
	}
	if len(kinds) == 0 {
		return nil, fmt.Errorf("AWS recorded no call of %s: nothing is proven", caller)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}
