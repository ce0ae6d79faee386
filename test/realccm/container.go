package realccm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// podUser is the user of the chart's pod. Its container cannot write to its root.
const podUser = 65532

// container is a running CCM.
type container struct {
	root, log string
	cmd       *exec.Cmd
	done      chan struct{}
}

// image describes what a container finds in its root besides the mounts.
type image struct {
	program string            // path on this machine
	hosts   string            // /etc/hosts
	trust   []byte            // its trust store, PEM
	host    map[string][]byte // files of the machine, by path
}

// newContainer prepares the root of the chart's DaemonSet and starts its program. Both end with the
// test.
func newContainer(tb testing.TB, c *Cluster, objects []unstructured.Unstructured, set *appsv1.DaemonSet, img image) (*container, error) {
	tb.Helper()
	root := tb.TempDir()
	k := &container{root: root, done: make(chan struct{})}
	var err error
	if k.log, err = logFile(root); err != nil {
		return nil, err
	}
	if err := errors.Join(k.fill(tb.Context(), c, img), k.mount(objects, set, img), os.Chmod(root, 0o755)); err != nil {
		return nil, err
	}
	return k, k.start(set, objects)
}

// logsVariable names a folder that keeps the logs.
const logsVariable = "AWSMIGRATE_REAL_CCM_LOGS"

func logFile(root string) (string, error) {
	dir := os.Getenv(logsVariable)
	if dir == "" {
		return filepath.Join(root, "log"), nil
	}
	f, err := os.CreateTemp(dir, "ccm-*.log")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// fill writes the image's files and the token of the pod's service account.
func (k *container) fill(ctx context.Context, c *Cluster, img image) error {
	program, err := os.ReadFile(img.program)
	if err != nil {
		return err
	}
	seconds := int64(3600)
	token, err := c.Client.CoreV1().ServiceAccounts(wellknown.System).CreateToken(ctx, "cloud-controller-manager",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(c.server.Config().CAFile)
	if err != nil {
		return err
	}
	const secrets = "/var/run/secrets/kubernetes.io/serviceaccount/"
	return errors.Join(k.write("/ccm", program, 0o755), k.write("/etc/hosts", []byte(img.hosts), 0o644),
		k.write("/etc/ssl/certs/ca-certificates.crt", img.trust, 0o644),
		k.write(secrets+"token", []byte(token.Status.Token), 0o644), k.write(secrets+"ca.crt", ca, 0o644))
}

func (k *container) write(path string, content []byte, mode os.FileMode) error {
	path = filepath.Join(k.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, mode)
}

// mount writes the files of the container's mounts.
func (k *container) mount(objects []unstructured.Unstructured, set *appsv1.DaemonSet, img image) error {
	volumes := map[string]corev1.VolumeSource{}
	for _, v := range set.Spec.Template.Spec.Volumes {
		volumes[v.Name] = v.VolumeSource
	}
	for _, m := range set.Spec.Template.Spec.Containers[0].VolumeMounts {
		files := map[string][]byte{}
		switch v := volumes[m.Name]; {
		case v.ConfigMap != nil:
			for name, text := range dataOf(objects, "ConfigMap", v.ConfigMap.Name) {
				files["/"+name] = []byte(text)
			}
		case v.Secret != nil:
			content, err := secretOf(objects, v.Secret.SecretName)
			if err != nil {
				return err
			}
			for name, text := range content {
				files["/"+name] = []byte(text)
			}
		case v.HostPath != nil:
			for name, text := range img.host {
				if rest, below := strings.CutPrefix(name, v.HostPath.Path); below && (rest == "" || rest[0] == '/') {
					files[rest] = text
				}
			}
		}
		for name, content := range files {
			if err := k.write(m.MountPath+name, content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataOf returns the data of a rendered object.
func dataOf(objects []unstructured.Unstructured, kind, name string) map[string]string {
	for i := range objects {
		if objects[i].GetKind() == kind && objects[i].GetName() == name {
			data, _, _ := unstructured.NestedStringMap(objects[i].Object, "data")
			return data
		}
	}
	return nil
}

func secretOf(objects []unstructured.Unstructured, name string) (map[string]string, error) {
	content := map[string]string{}
	for key, text := range dataOf(objects, "Secret", name) {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("decode %s of Secret %s: %w", key, name, err)
		}
		content[key] = string(raw)
	}
	return content, nil
}

func (k *container) start(set *appsv1.DaemonSet, objects []unstructured.Unstructured) error {
	env, err := environment(set.Spec.Template.Spec.Containers[0].Env, objects)
	if err != nil {
		return err
	}
	out, err := os.Create(k.log)
	if err != nil {
		return err
	}
	defer out.Close() // the child has a copy
	k.cmd = exec.Command("/ccm", set.Spec.Template.Spec.Containers[0].Args...)
	k.cmd.Env, k.cmd.Stdout, k.cmd.Stderr, k.cmd.Dir = env, out, out, "/"
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: k.root, Credential: &syscall.Credential{Uid: podUser, Gid: podUser}, Pdeathsig: syscall.SIGKILL}
	if err := k.cmd.Start(); err != nil {
		return err
	}
	go func() {
		defer close(k.done)
		_ = k.cmd.Wait() // ended on purpose, or seen by the test
	}()
	return nil
}

// environment returns a container's variables as its kubelet sets them.
func environment(vars []corev1.EnvVar, objects []unstructured.Unstructured) ([]string, error) {
	known := map[string]string{"KUBERNETES_SERVICE_HOST": serviceIP, "KUBERNETES_SERVICE_PORT": "443"}
	for _, v := range vars {
		if v.ValueFrom == nil {
			known[v.Name] = expand(v.Value, known)
			continue
		}
		content, err := secretOf(objects, v.ValueFrom.SecretKeyRef.Name)
		if err != nil {
			return nil, err
		}
		known[v.Name] = content[v.ValueFrom.SecretKeyRef.Key]
	}
	env := []string{"PATH=/"}
	for name, value := range known {
		env = append(env, name+"="+value)
	}
	return env, nil
}

// expand replaces $(NAME) by the value of an earlier variable, and $$ by $
// (kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go@v1.26.13).
func expand(text string, known map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		end := strings.IndexByte(text[i:], ')')
		switch {
		case text[i+1] == '$':
			out.WriteByte('$')
			i++
		case text[i+1] == '(' && end > 0:
			name := text[i+2 : i+end]
			value, found := known[name]
			if !found {
				value = "$(" + name + ")"
			}
			out.WriteString(value)
			i += end
		default:
			out.WriteByte('$')
		}
	}
	return out.String()
}

// stop ends the program.
func (k *container) stop() {
	_ = k.cmd.Process.Kill() // it may have ended
	<-k.done
}

// lastError returns the last line of the log that reports an error.
func (k *container) lastError() string {
	f, err := os.Open(k.log)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 8<<20))
	if err != nil {
		return err.Error()
	}
	last := ""
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "E") || strings.HasPrefix(line, "F") || strings.HasPrefix(line, "Error") || strings.HasPrefix(line, "error") {
			last = line
		}
	}
	return last
}
