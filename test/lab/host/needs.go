package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages maps the programs and folders of a host to the Debian packages that have them.
func packages() map[string]string {
	return map[string]string{
		"dockerd": "docker.io", "containerd": "containerd", "ctr": "containerd", "runc": "runc", "sshd": "openssh-server", "ip": "iproute2",
		"iptables": "iptables", "/bin/busybox": "busybox-static", cniPlugins: "containernetworking-plugins", "ldd": "libc-bin",
	}
}

// programs are the lab's own programs on a host, which `make real-machines` builds.
func programs() []string {
	return []string{toolsProgram, kubeletProgram, proxyProgram, rkeProgram, componentsProgram, ccmProgram}
}

// Missing returns an error that lists what this machine lacks for hosts, with the fix, or nil.
// binaries is the folder of the lab's programs.
func Missing(binaries string) error {
	var failed []error
	if os.Geteuid() != 0 {
		failed = append(failed, errors.New("namespaces and mounts need root; run it as root"))
	}
	var debian []string
	for what, from := range packages() {
		if !exists(what) {
			debian = append(debian, from)
		}
	}
	if len(debian) > 0 {
		failed = append(failed, fmt.Errorf("missing packages; apt-get install --no-install-recommends %s", strings.Join(sorted(debian), " ")))
	}
	for _, name := range programs() {
		if _, err := os.Stat(filepath.Join(binaries, name)); err != nil {
			failed = append(failed, fmt.Errorf("%s is not in %s; `make real-machines` builds it", name, binaries))
			break
		}
	}
	return errors.Join(failed...)
}

func exists(what string) bool {
	if filepath.IsAbs(what) {
		_, err := os.Stat(what)
		return err == nil
	}
	_, err := exec.LookPath(what)
	return err == nil
}
