package node

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// File is a file of a machine; Path is its path there.
type File struct {
	Path    string
	Content []byte
	Dynamic bool // a change restarts nothing
}

// machineFS is the folder that represents a machine's "/".
type machineFS string

func (m machineFS) path(p string) string { return filepath.Join(string(m), p) }

// write replaces a file atomically, and leaves an equal one unchanged. rancher-system-agent
// truncates and then writes (rancher/system-agent:pkg/applyinator/files.go). A deploy
// controller that reads in between deletes everything that it deployed, including a CCM. The
// lab reads every second instead of every fifteen, so it would hit that gap often.
func (m machineFS) write(p string, content []byte) error {
	full := m.path(p)
	if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", p, err)
	}
	if err := replaceFile(full, content); err != nil {
		return fmt.Errorf("writing %s: %w", p, err)
	}
	return nil
}

func replaceFile(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temporary.Name()))
	}
	return err
}

// remove deletes a file, if it exists.
func (m machineFS) remove(p string) error {
	if err := os.Remove(m.path(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", p, err)
	}
	return nil
}

func (m machineFS) exists(p string) bool {
	_, err := os.Stat(m.path(p))
	return err == nil
}

// read returns nil for a missing file.
func (m machineFS) read(p string) ([]byte, error) {
	raw, err := os.ReadFile(m.path(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// rke2Config reads config.yaml and config.yaml.d in RKE2's order.
func (m machineFS) rke2Config() (RKE2Config, error) {
	names := []string{configDir + "/config.yaml"}
	entries, err := os.ReadDir(m.path(configDir + "/config.yaml.d"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return RKE2Config{}, fmt.Errorf("reading the machine's RKE2 configuration: %w", err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".yaml") || strings.HasSuffix(entry.Name(), ".yml") {
			names = append(names, configDir+"/config.yaml.d/"+entry.Name())
		}
	}
	sort.Strings(names[1:])
	var files []File
	for _, name := range names {
		content, err := m.read(name)
		if err != nil {
			return RKE2Config{}, fmt.Errorf("reading the machine's RKE2 configuration: %w", err)
		}
		if content != nil {
			files = append(files, File{Path: name, Content: content})
		}
	}
	return ParseRKE2Config(files...)
}

// configured reports whether a plan was ever written to the machine.
func (m machineFS) configured() bool { return m.exists(configDir + "/config.yaml.d/50-rancher.yaml") }
