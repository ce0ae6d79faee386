package realccm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/awsmigrate/awsmigrate/test/apart"
)

// Pair is a CCM and the kube-apiserver that it is for.
type Pair struct {
	CCM    string // v1.28.1
	Server string // v1.29.10
	SDK    string // of AWS, by which the CCM calls EC2 and ELB
}

// Pairs returns five minor versions of the CCM, each with a kube-apiserver that Kubernetes'
// version skew policy allows.
func Pairs() []Pair {
	return []Pair{
		{"v1.26.0", "v1.26.13", "v1"}, {"v1.28.1", "v1.29.10", "v1"}, {"v1.31.0", "v1.31.2", "v1"},
		{"v1.33.4", "v1.33.5", "v2"}, {"v1.36.1", "v1.36.3", "v2"},
	}
}

// labServer is the kube-apiserver of the lab, which has no version in its name.
const labServer = "v1.26.13"

func (p Pair) serverProgram() string {
	if p.Server == labServer {
		return "kube-apiserver"
	}
	return "kube-apiserver-" + p.Server
}

func (p Pair) ccmProgram() string { return "ccm-" + p.CCM }

// Missing returns an error that lists this machine's missing requirements and their fixes, or nil.
func Missing() error {
	var missing []error
	if os.Geteuid() != 0 {
		missing = append(missing, errors.New("namespaces and chroot need root; run it as root"))
	}
	if _, err := exec.LookPath("ip"); err != nil {
		missing = append(missing, fmt.Errorf("ip is not in PATH; apt-get install iproute2: %w", err))
	}
	for _, p := range Pairs() {
		for _, name := range []string{p.serverProgram(), p.ccmProgram()} {
			if _, err := binary(name); err != nil {
				missing = append(missing, err)
			}
		}
	}
	return errors.Join(missing...)
}

// Output runs one of the lab's binaries to its end and returns its output.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	path, err := binary(name)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	return string(out), err
}

func binary(name string) (string, error) { return apart.Binary(name, "real-ccm") }
