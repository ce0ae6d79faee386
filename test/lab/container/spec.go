package container

import (
	"encoding/json"
	"fmt"
	"os"
)

// Command is the first argument of a program that calls Become; a file with a Spec follows.
const Command = "contain"

// Spec describes a container. It always drops all capabilities and gains no privileges, as
// Kubernetes' level `restricted` requires.
type Spec struct {
	Root     string   `json:"root"` // folder; the mount points that it lacks are made in it
	ReadOnly bool     `json:"readOnly"`
	Mounts   []Mount  `json:"mounts"`
	User     int      `json:"user"`
	Group    int      `json:"group"`
	Dir      string   `json:"dir"` // where the program begins; a path in the container, as all of these
	Args     []string `json:"args"`
	Env      []string `json:"env"`
}

// Mount is a folder of this machine that is at Target in the container.
type Mount struct {
	Source   string `json:"source"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"readOnly"`
}

// Write writes it to a file that only root may read.
func (s Spec) Write(path string) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write container %s: %w", path, err)
	}
	return os.WriteFile(path, raw, 0o600)
}

func read(path string) (Spec, error) {
	var s Spec
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read container %s: %w", path, err)
	}
	return s, nil
}
