package realkubelet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/awsmigrate/awsmigrate/test/apart"
)

// kubeletProgram is the kubelet that `make real-kubelet` builds next to the lab's binaries.
const kubeletProgram = "kubelet-v1.26.13"

// Missing returns an error that lists this machine's missing requirements and their fixes, or nil.
func Missing() error {
	var missing []error
	if os.Geteuid() != 0 {
		missing = append(missing, errors.New("mounts, namespaces and cgroups need root; run it as root"))
	}
	for _, one := range []struct{ program, from string }{
		{"containerd", "containerd"}, {"containerd-shim-runc-v2", "containerd"}, {"ctr", "containerd"}, {"runc", "runc"},
	} {
		if _, err := exec.LookPath(one.program); err != nil {
			missing = append(missing, fmt.Errorf("%s is not in PATH; apt-get install %s", one.program, one.from))
		}
	}
	if _, err := binary(kubeletProgram); err != nil {
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}

func binary(name string) (string, error) { return apart.Binary(name, "real-kubelet") }
