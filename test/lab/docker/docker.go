// Package docker connects rke's stand-in with a machine: a few calls over HTTP to the lab's
// supervisor replace Docker's API and the files below "/", which the real rke reaches through
// its SSH tunnel.
//
// It runs no container: the machine's agent does. It knows nothing of Kubernetes or rke. It
// omits images and pulling, labels, networks, logs, SELinux options, and SSH itself; an SSH key
// is a file with the address of the lab.
package docker

import (
	"context"
	"errors"
)

// Spec describes a container: everything that rke compares to decide whether it must recreate
// the container.
type Spec struct {
	Image      string   `json:"image"`
	Entrypoint []string `json:"entrypoint,omitempty"`
	Cmd        []string `json:"cmd,omitempty"`
	Env        []string `json:"env,omitempty"`
	Binds      []string `json:"binds,omitempty"`
	Restart    string   `json:"restart,omitempty"` // restart policy: "always" or ""
}

// Container is a container on a machine.
type Container struct {
	Spec    Spec `json:"spec"`
	Running bool `json:"running"` // also while it waits to be restarted
}

// ErrNotFound means that the machine has no container of that name.
var ErrNotFound = errors.New("no such container")

// ErrUnreachable means that the machine does not answer.
var ErrUnreachable = errors.New("unable to connect to the host")

// Host is one machine.
type Host interface {
	// Ping returns ErrUnreachable for a machine that is off.
	Ping(ctx context.Context) error
	// Inspect returns ErrNotFound for a missing container.
	Inspect(ctx context.Context, name string) (Container, error)
	// Create creates a container and does not start it. The name must be free.
	Create(ctx context.Context, name string, spec Spec) error
	// Start starts a container that does not run, and does not wait for it.
	Start(ctx context.Context, name string) error
	// Stop returns when the process is gone.
	Stop(ctx context.Context, name string) error
	Rename(ctx context.Context, name, to string) error
	// Remove also stops it. A missing container is no error.
	Remove(ctx context.Context, name string) error
	WriteFile(ctx context.Context, path string, content []byte) error
	// Healthy requests the health of the component in the container, once.
	Healthy(ctx context.Context, name string) error
}
