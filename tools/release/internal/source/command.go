package source

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// run returns the output of a command; its error has the command's own error output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// dropVariables returns an environment without the named variables. A star at the end of a name
// matches any rest.
func dropVariables(env []string, names ...string) []string {
	var kept []string
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		dropped := false
		for _, drop := range names {
			prefix, pattern := strings.CutSuffix(drop, "*")
			dropped = dropped || name == drop || pattern && strings.HasPrefix(name, prefix)
		}
		if !dropped {
			kept = append(kept, variable)
		}
	}
	return kept
}
