package podstarter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// accountPath is the folder in which client-go looks for a pod's service account
// (kubernetes/client-go:rest/config.go@v0.26.13).
const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// nowhere is a path that does not exist and that no user, not even root, can create.
const nowhere = "/proc/of-the-container"

// ProcessName returns the supervisor's name of a container's process.
func ProcessName(pod, container string) string { return pod + "_" + container }

// LogFile returns the file with a container's output.
func LogFile(dir, pod, container string) string {
	return filepath.Join(dir, "logs", ProcessName(pod, container)+".log")
}

// process returns the container as a process of this machine.
func (p *pod) process(ctx context.Context, c corev1.Container, volumes map[string]string) (proc.Spec, error) {
	program, ok := p.s.Programs[c.Image]
	if !ok {
		return proc.Spec{}, fmt.Errorf("image %s: the lab's table does not have it", c.Image)
	}
	if len(c.Command) > 0 {
		return proc.Spec{}, errors.New("a command of its own: the lab starts the image's program")
	}
	env, err := p.environment(ctx, c)
	if err != nil {
		return proc.Spec{}, err
	}
	var spec proc.Spec
	i, is, err := readImage(program)
	switch {
	case err != nil:
		return spec, err
	case is:
		spec, err = p.containerSpec(c, i, env, volumes)
	default:
		spec, err = p.hostProgram(c, program, env, volumes)
	}
	spec.Name, spec.Kind, spec.Log, spec.Hostname = ProcessName(p.spec.Name, c.Name), Kind, LogFile(p.s.Dir, p.spec.Name, c.Name), p.spec.Name
	return spec, err
}

// hostProgram returns a program that runs as the container but sees the machine's file system.
func (p *pod) hostProgram(c corev1.Container, program string, env []string, volumes map[string]string) (proc.Spec, error) {
	inside := rewriter(c, volumes)
	nothing := []string{"HOME=" + nowhere, "TMPDIR=" + nowhere, "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "XDG_DATA_HOME="}
	spec := proc.Spec{Path: program, Env: append(nothing, env...)}
	for _, argument := range c.Args {
		spec.Args = append(spec.Args, inside(argument))
	}
	account := inside(accountPath)
	if account == accountPath {
		return spec, nil // the pod has no token
	}
	kubeconfig, err := p.kubeconfig(c.Name, account)
	spec.Env = append(spec.Env, "KUBECONFIG="+kubeconfig)
	return spec, err
}

// rewriter replaces mount paths at the beginning of a path by the folders of the volumes.
func rewriter(c corev1.Container, volumes map[string]string) func(string) string {
	return func(text string) string {
		for _, mount := range c.VolumeMounts {
			path := regexp.MustCompile(`(^|[\s=])` + regexp.QuoteMeta(mount.MountPath) + `(/|\s|$)`)
			text = path.ReplaceAllString(text, "${1}"+volumes[mount.Name]+"${2}")
		}
		return text
	}
}

// kubeconfig replaces the in-cluster configuration: it names the same files, and its token is
// reread from its file.
func (p *pod) kubeconfig(container, account string) (string, error) {
	path := filepath.Join(p.dir, "kubeconfig-"+container)
	return path, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{"in-cluster": {Server: p.s.API.Host, CertificateAuthority: filepath.Join(account, "ca.crt")}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"pod": {TokenFile: filepath.Join(account, "token")}},
		Contexts:  map[string]*clientcmdapi.Context{"pod": {Cluster: "in-cluster", AuthInfo: "pod"}}, CurrentContext: "pod",
	}, path)
}

// environment returns the variables that the kubelet gives a container. The only Service in the
// cluster is the API server's.
func (p *pod) environment(ctx context.Context, c corev1.Container) ([]string, error) {
	server, err := url.Parse(p.s.API.Host)
	if err != nil {
		return nil, err
	}
	env := append([]string{"KUBERNETES_SERVICE_HOST=" + server.Hostname(), "KUBERNETES_SERVICE_PORT=" + server.Port()}, p.s.Env...)
	for _, from := range c.EnvFrom {
		if from.SecretRef == nil {
			return nil, errors.New("the lab knows envFrom of Secrets only")
		}
		secret, err := p.s.client.CoreV1().Secrets(p.spec.Namespace).Get(ctx, from.SecretRef.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, value := range secret.Data {
			env = append(env, from.Prefix+name+"="+string(value))
		}
	}
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom != nil {
			if value, err = p.valueFrom(c, e.ValueFrom); err != nil {
				return nil, fmt.Errorf("variable %s: %w", e.Name, err)
			}
		}
		env = append(env, e.Name+"="+value)
	}
	return env, os.MkdirAll(filepath.Join(p.s.Dir, "logs"), 0o755)
}

// valueFrom returns a value of the downward API of a container.
func (p *pod) valueFrom(c corev1.Container, from *corev1.EnvVarSource) (string, error) {
	if ref := from.ResourceFieldRef; ref != nil && ref.Resource == "limits.memory" {
		return strconv.FormatInt(c.Resources.Limits.Memory().Value(), 10), nil
	}
	return p.field(from.FieldRef)
}

// field returns a value of the downward API of a pod.
func (p *pod) field(ref *corev1.ObjectFieldSelector) (string, error) {
	if ref == nil {
		return "", errors.New("the lab knows fieldRef and limits.memory only")
	}
	value, ok := map[string]string{
		"metadata.name": p.spec.Name, "metadata.namespace": p.spec.Namespace, "metadata.uid": string(p.spec.UID),
		"spec.nodeName": p.spec.Spec.NodeName, "spec.serviceAccountName": p.spec.Spec.ServiceAccountName,
	}[ref.FieldPath]
	if !ok {
		return "", fmt.Errorf("the lab does not know the field %s", ref.FieldPath)
	}
	return value, nil
}
