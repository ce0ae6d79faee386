package e2e

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

// likeAPod gives the program $2 the environment of a container: the files of a service account,
// from the folder $1, where client-go expects them, and a read-only root file system and /tmp.
const likeAPod = `set -e
account=/var/run/secrets/kubernetes.io/serviceaccount
mount -t tmpfs pod /var/run
mkdir -p $account
cp "$1/token" "$1/ca.crt" "$1/namespace" $account
cp "$2" /var/run/program
shift 2
mount -t tmpfs -o ro pod /tmp
mount -o remount,bind,ro /
if touch /tmp/file 2>/dev/null || touch /file 2>/dev/null; then echo "this file system can be written"; exit 99; fi
exec /var/run/program "$@"`

// TestInClusterConfiguration gives awsmigrate what a pod has, without a kubeconfig and without
// a writable folder. It finds the API server and is authenticated there. Whether an image works
// in a pod of the lab is tested by the slow suite.
func TestInClusterConfiguration(t *testing.T) {
	t.Parallel()
	server := apiserver.New(t, apiserver.Options{})
	config := server.Config()
	address, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	account := t.TempDir()
	authority, err := os.ReadFile(config.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"token": config.BearerToken, "ca.crt": string(authority), "namespace": "fleet-default"} {
		if err := os.WriteFile(filepath.Join(account, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := filepath.Abs("../../bin/awsmigrate")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"rke2", "--cluster", "demo", "--namespace", "fleet-default", "--yes", "--edits", "apply", "-o", "jsonl"},
		{"rke2", "plan", "--cluster", "demo"},
	} {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", likeAPod, "sh", account, program}, command...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "KUBERNETES_SERVICE_HOST=" + address.Hostname(), "KUBERNETES_SERVICE_PORT=" + address.Port()}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		// The server is not Rancher's. Only an authenticated client learns that.
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(out.String(), "does not serve clusters.provisioning.cattle.io") {
			t.Errorf("%v: %v\n%s", command, err, out.String())
		}
	}
}
