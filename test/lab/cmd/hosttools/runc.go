package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// runc runs the system's runc on a bundle that demands nothing this machine may not grant: without
// CAP_SYS_RESOURCE, and without a negative oom score. A sandbox of CI has neither right.
func runc(args []string) error {
	if bundle := bundleOf(args); bundle != "" {
		if err := weaken(filepath.Join(bundle, "config.json")); err != nil {
			return err
		}
	}
	path, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	return syscall.Exec(path, append([]string{"runc"}, args...), os.Environ())
}

// bundleOf returns the value of --bundle, or empty.
func bundleOf(args []string) string {
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--bundle="); ok {
			return value
		}
		if (a == "--bundle" || a == "-b") && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func weaken(file string) error {
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var spec map[string]any
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber() // a limit of 2^64-1 is no float64
	if err := in.Decode(&spec); err != nil {
		return err
	}
	process, _ := spec["process"].(map[string]any)
	if score, ok := process["oomScoreAdj"].(json.Number); ok && strings.HasPrefix(score.String(), "-") {
		process["oomScoreAdj"] = 0
	}
	capabilities, _ := process["capabilities"].(map[string]any)
	for set, value := range capabilities {
		names, _ := value.([]any)
		capabilities[set] = slices.DeleteFunc(names, func(name any) bool { return name == "CAP_SYS_RESOURCE" })
	}
	if raw, err = json.Marshal(spec); err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o644)
}
