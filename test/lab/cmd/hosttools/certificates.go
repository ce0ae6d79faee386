package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const certificates = "/etc/kubernetes/ssl"

// deployCertificates writes the certificates that rke gives in the environment: KUBE_X to
// kube-x.pem, KUBECFG_X to kubecfg-x.yaml. It keeps existing files unless FORCE_DEPLOY is true.
func deployCertificates(environment []string, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	variables := map[string]string{}
	for _, one := range environment {
		name, value, _ := strings.Cut(one, "=")
		variables[name] = value
	}
	for name, value := range variables {
		file := certificateFile(name)
		if file == "" {
			continue
		}
		path := filepath.Join(dir, file)
		_, err := os.Stat(path)
		switch {
		case err == nil && variables["FORCE_DEPLOY"] != "true":
			continue
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return err
		}
		if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
			return fmt.Errorf("deploying %s: %w", name, err)
		}
	}
	return nil
}

// certificateFile returns the file for a variable, or empty if it holds no certificate.
func certificateFile(variable string) string {
	name := strings.ToLower(strings.ReplaceAll(variable, "_", "-"))
	switch {
	case strings.HasPrefix(variable, "KUBECFG_"):
		return name + ".yaml"
	case strings.HasPrefix(variable, "KUBE_"):
		return name + ".pem"
	}
	return ""
}
