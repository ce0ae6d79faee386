// Package proc starts the lab's real components as child processes, records when each one
// starts and exits, and makes sure that none outlives the lab.
//
// It knows nothing of Kubernetes: a component is a name, a program and its arguments. It needs
// Linux, because own host names and parent-death signals do.
package proc

import (
	"errors"
	"os"
	"strings"
)

// Spec describes a process to start.
type Spec struct {
	Name     string   // unique among the running ones, e.g. "kube-apiserver@demo-cp-0"
	Path     string   // the program
	Arg0     string   // argv[0], or empty for Path
	Args     []string // without argv[0]
	Env      []string // NAME=value, added to the supervisor's own environment
	Hostname string   // host name of the process, or empty for the machine's
	Log      string   // file to which stdout and stderr are appended, or empty to discard them
	Node     string   // machine of the process, or empty
	Kind     string   // e.g. "kube-controller-manager"
	// Namespaces are the CLONE_NEW… flags of namespaces of its own; only root may have any.
	Namespaces uintptr
	// InnerPID is the process ID in the process's own PID namespace, or 0 without one.
	InnerPID int
}

func (s Spec) validate() error {
	switch {
	case s.Name == "":
		return errors.New("a process to start has no name")
	case strings.ContainsAny(s.Name, "\n/"):
		return errors.New("process " + s.Name + ": its name holds a slash or a line end")
	case s.Path == "":
		return errors.New("process " + s.Name + ": no program is given")
	}
	return nil
}

func (s Spec) argv() []string {
	arg0 := s.Arg0
	if arg0 == "" {
		arg0 = s.Path
	}
	return append([]string{arg0}, s.Args...)
}

func (s Spec) openLog() (*os.File, error) {
	if s.Log == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return os.OpenFile(s.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}
