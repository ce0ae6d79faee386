package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
)

// binariesVariable is the environment variable with the folder of the lab's binaries.
const binariesVariable = "AWSMIGRATE_LAB_BIN"

// Binaries returns the folder of the lab's Kubernetes binaries: the value of
// AWSMIGRATE_LAB_BIN, or bin/lab.d of the repository.
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

// find searches upward from the working directory, which is the package's folder in a test.
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
