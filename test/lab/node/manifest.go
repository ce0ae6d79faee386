package node

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	kubernetesImage = "index.docker.io/rancher/hardened-kubernetes:%s-build20240117"
	etcdImage       = "index.docker.io/rancher/hardened-etcd:v3.5.9-k3s1-build20230802"
	ccmImage        = "index.docker.io/rancher/rke2-cloud-provider:v1.28.2-build20231016"
)

// manifest returns the static pod that RKE2 writes for a component, with the folders and files of the
// machine that it mounts. Its UID is the hash of its content
// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1), or of its path in releases with fixed
// UIDs.
func manifest(s StaticPod, version string, m machineFS) *corev1.Pod {
	dirs, files := mounted(s, m)
	var contents [][]byte
	for _, file := range files {
		content, _ := m.read(file) // a missing one is found by the kubelet
		contents = append(contents, content)
	}
	pod := unnamedManifest(s, version, contents)
	hostPaths(pod, "dir", corev1.HostPathDirectoryOrCreate, false, dirs)
	hostPaths(pod, "file", corev1.HostPathFile, true, files)
	pod.UID = types.UID(manifestHash(pod))
	if fixesUID(version) {
		fixUID(pod)
	}
	return pod
}

// unnamedManifest is the static pod without UID and mounts. files are the contents of those that it
// depends on.
func unnamedManifest(s StaticPod, version string, files [][]byte) *corev1.Pod {
	sum := sha256.New()
	for _, file := range files {
		sum.Write(file)
	}
	privileged := s.Component == kubeProxy
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: s.Component, Namespace: metav1.NamespaceSystem,
			Labels: map[string]string{"component": s.Component, "tier": "control-plane"},
		},
		Spec: corev1.PodSpec{
			HostNetwork:       true,
			PriorityClassName: "system-cluster-critical",
			Containers: []corev1.Container{{
				Name: s.Component, Image: staticImage(s.Component, version),
				Command: []string{s.Component}, Args: s.Args,
				Env:             []corev1.EnvVar{{Name: "FILE_HASH", Value: hex.EncodeToString(sum.Sum(nil))}},
				Resources:       staticResources(s.Component),
				LivenessProbe:   staticProbe(s.Component, 10, 15, 8, 10),
				ReadinessProbe:  staticProbe(s.Component, 0, 15, 3, 1),
				StartupProbe:    staticProbe(s.Component, 10, 5, 24, 10),
				ImagePullPolicy: corev1.PullIfNotPresent,
				SecurityContext: &corev1.SecurityContext{Privileged: &privileged},
			}},
		},
	}
}

// podHash is the variable that distinguishes manifests with the same UID.
const podHash = "POD_HASH"

// fixUID gives a static pod a UID that does not depend on its content, so that a kubelet
// replaces its container in place (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.7+rke2r1).
func fixUID(pod *corev1.Pod) {
	env := &pod.Spec.Containers[0].Env
	*env = append(*env, corev1.EnvVar{Name: podHash, Value: string(pod.UID)})
	sum := md5.Sum([]byte(manifestPath(pod)))
	pod.UID = types.UID(hex.EncodeToString(sum[:]))
}

// sameManifest reports whether a kubelet has nothing to do.
func sameManifest(a, b *corev1.Pod) bool {
	return a.UID == b.UID && slices.Equal(a.Spec.Containers[0].Env, b.Spec.Containers[0].Env)
}

func manifestPath(pod *corev1.Pod) string {
	return path.Join(ManifestDir, pod.Name+".yaml")
}

func manifestHash(pod *corev1.Pod) string {
	raw, err := json.Marshal(pod)
	if err != nil {
		panic(err) // a Pod always encodes
	}
	sum := md5.Sum(append(raw, []byte("file:"+manifestPath(pod))...))
	return hex.EncodeToString(sum[:])
}

func staticImage(component, version string) string {
	switch component {
	case Etcd:
		return etcdImage
	case CloudControllerManager:
		return ccmImage
	}
	return fmt.Sprintf(kubernetesImage, strings.ReplaceAll(version, "+", "-"))
}

func staticResources(component string) corev1.ResourceRequirements {
	requests := map[string][2]string{
		KubeAPIServer: {"250m", "1Gi"}, KubeScheduler: {"100m", "128Mi"}, KubeControllerManager: {"200m", "256Mi"},
		Etcd: {"200m", "512Mi"}, CloudControllerManager: {"100m", "128Mi"}, kubeProxy: {"250m", "128Mi"},
	}[component]
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(requests[0]), corev1.ResourceMemory: resource.MustParse(requests[1]),
	}}
}

// staticPort returns the port on which a component serves /healthz. RKE2 probes its API server
// by kubectl in the container, here by the same path over HTTP.
func staticPort(component string) (port int32, scheme corev1.URIScheme, urlPath string) {
	switch component {
	case KubeAPIServer:
		return 6443, corev1.URISchemeHTTPS, "/readyz"
	case KubeControllerManager:
		return 10257, corev1.URISchemeHTTPS, "/healthz"
	case KubeScheduler:
		return 10259, corev1.URISchemeHTTPS, "/healthz"
	case CloudControllerManager:
		return 10258, corev1.URISchemeHTTPS, "/healthz"
	case kubeProxy:
		return 10256, corev1.URISchemeHTTP, "/healthz"
	default:
		return 2381, corev1.URISchemeHTTP, "/health?serializable=true"
	}
}

func staticProbe(component string, delay, timeout, failures, period int32) *corev1.Probe {
	probe := &corev1.Probe{InitialDelaySeconds: delay, TimeoutSeconds: timeout, FailureThreshold: failures, PeriodSeconds: period, SuccessThreshold: 1}
	port, scheme, urlPath := staticPort(component)
	if component == KubeAPIServer {
		kind := "livez"
		if delay == 0 {
			kind = "readyz"
		}
		probe.Exec = &corev1.ExecAction{Command: []string{"kubectl", "get", fmt.Sprintf("--server=https://localhost:%d/", port),
			"--client-certificate=" + tlsFile("client-kube-apiserver.crt"), "--client-key=" + tlsFile("client-kube-apiserver.key"),
			"--certificate-authority=" + tlsFile("server-ca.crt"), "--raw=/" + kind}}
		return probe
	}
	probe.HTTPGet = &corev1.HTTPGetAction{Host: "localhost", Path: urlPath, Port: intstr.FromInt32(port), Scheme: scheme}
	return probe
}
