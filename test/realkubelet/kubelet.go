package realkubelet

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

const (
	// NodeName is the Node of the machine.
	NodeName = "real"
	// manifests is the folder of static pods.
	manifests = Place + "/manifests"
)

// kubeletConfig keeps the kubelet from managing the machine: no cgroups of pods, no iptables, no
// eviction, no disks.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: %d
readOnlyPort: 0
healthzBindAddress: 127.0.0.1
healthzPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
staticPodPath: %s
resolvConf: ""
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
localStorageCapacityIsolation: false
makeIPTablesUtilChains: false
oomScoreAdj: 0
evictionHard: {memory.available: "0%%", nodefs.available: "0%%", imagefs.available: "0%%", nodefs.inodesFree: "0%%"}
imageGCHighThresholdPercent: 100
`

// newKubelet returns a kubelet with an RKE2 machine's defaults for everything that decides when an
// end is reported: the polling of containers and of orphans.
func newKubelet(kubeconfig, logs string) (*program, error) {
	path, err := binary(kubeletProgram)
	if err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	config := Place + "/kubelet.yaml"
	if err := os.MkdirAll(manifests, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of static pods: %w", err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, kubeletConfig, port, manifests), 0o644); err != nil {
		return nil, fmt.Errorf("write the kubelet's configuration: %w", err)
	}
	return &program{path: path, log: filepath.Join(logs, "kubelet.log"), args: []string{
		"--config=" + config, "--kubeconfig=" + kubeconfig, "--root-dir=" + Place + "/kubelet", "--cert-dir=" + Place + "/kubelet/pki",
		"--container-runtime-endpoint=unix://" + containerdSocket, "--hostname-override=" + NodeName, "--v=4",
	}}, nil
}

// FreePort returns a free port of the loopback address.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
