package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
)

// binariesVariable names the folder of the lab's binaries.
const binariesVariable = "AWSMIGRATE_LAB_BIN"

// Binaries gives the folder of the lab's Kubernetes binaries: what
// AWSMIGRATE_LAB_BIN names, or bin/lab.d of the repository the test runs in.
func Binaries() (string, error) {
	dir, err := find()
	if err != nil {
		return "", err
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("the lab's binaries: %w; run `make lab-binaries` or set %s", err, binariesVariable)
		}
	}
	return dir, nil
}

// find looks above the working directory, which for a test is its package's folder.
func find() (string, error) {
	if dir := os.Getenv(binariesVariable); dir != "" {
		return dir, nil
	}
	begin, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := begin; ; dir = filepath.Dir(dir) {
		built := filepath.Join(dir, "bin", "lab.d")
		if _, err := os.Stat(built); err == nil {
			return built, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("the lab's binaries: no bin/lab.d above %s; run `make lab-binaries` or set %s", begin, binariesVariable)
		}
	}
}
