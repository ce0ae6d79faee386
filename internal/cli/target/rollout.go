package target

// Rollout holds the flags that name a MigrationRollout.
type Rollout struct {
	Management
	Name string `flag:"name"`
}

// Next returns another command about the rollout, such as "rollout status".
func (r *Rollout) Next(program Program, command string) string {
	args := []string{"--name", r.Name}
	for _, flag := range []struct{ name, value, usual string }{
		{"--namespace", r.Namespace, defaultNamespace()}, {"--kubeconfig", r.Kubeconfig, ""}, {"--context", r.Context, ""},
	} {
		if flag.value != flag.usual {
			args = append(args, flag.name, flag.value)
		}
	}
	return Words{Program: program, Args: args}.line(command)
}
