package node

import (
	"fmt"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// etcdNameFile has the member's name. Servers with etcd mount it into the pods of the control plane.
const etcdNameFile = etcdDir + "/name"

// mounted returns the folders and files of the machine that a component sees
// (rancher/rke2:pkg/podexecutor/staticpod.go@v1.26.15+rke2r1).
func mounted(s StaticPod, m machineFS) (dirs, files []string) {
	switch s.Component {
	case Etcd: // its folder has the only file that its arguments name
		return []string{etcdDir}, []string{
			tlsFile("etcd/server-client.crt"), tlsFile("etcd/server-client.key"), tlsFile("etcd/server-ca.crt"),
			tlsFile("etcd/peer-server-client.crt"), tlsFile("etcd/peer-server-client.key"), tlsFile("etcd/peer-ca.crt"),
		}
	case kubeProxy:
		return nil, m.namedFiles(s.Args)
	case KubeAPIServer, KubeControllerManager, CloudControllerManager:
		dirs = []string{"/etc/ssl/certs"}
	}
	if s.Component != CloudControllerManager && m.exists(etcdNameFile) {
		files = append(files, etcdNameFile)
	}
	return dirs, append(files, m.namedFiles(s.Args)...)
}

// namedFiles returns the files that arguments name, in order (readFiles of RKE2). Their hash is in
// FILE_HASH, so that a manifest changes when such a file does.
func (m machineFS) namedFiles(args []string) []string {
	var out []string
	for _, argument := range args {
		_, value, given := strings.Cut(argument, "=")
		if !given || !strings.HasPrefix(value, "/") {
			continue
		}
		if info, err := os.Stat(m.path(value)); err == nil && !info.IsDir() {
			out = append(out, value)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hostPaths adds the folders and files that a static pod mounts
// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1, addVolumes).
func hostPaths(pod *corev1.Pod, kind string, of corev1.HostPathType, readOnly bool, paths []string) {
	container := &pod.Spec.Containers[0]
	for i, p := range paths {
		name := fmt.Sprintf("%s%d", kind, i)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{
			Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: p, Type: &of}},
		})
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: readOnly, MountPath: p})
	}
}
