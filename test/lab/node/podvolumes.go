package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// tokenRefresh is well within the 3607 s that pods request.
const tokenRefresh = 40 * time.Minute

// podVolumes holds a pod's volumes on the disk.
type podVolumes struct {
	w          *podWorker
	dirs       map[string]string // volume → folder
	tokens     []tokenFile
	kubeconfig string // for the pod's service account, or empty without a token
}

type tokenFile struct {
	path   string
	source corev1.ServiceAccountTokenProjection
}

// api returns the client of the pod's current kubelet. The Node authorizer gives it only the
// objects that the pod refers to.
func (w *podWorker) api() kubernetes.Interface {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.client
}

func (w *podWorker) materialise(ctx context.Context) (*podVolumes, error) {
	v := &podVolumes{w: w, dirs: map[string]string{}}
	for _, volume := range w.pod.Spec.Volumes {
		if err := v.add(ctx, volume); err != nil {
			return nil, fmt.Errorf("MountVolume.SetUp failed for volume %q : %w", volume.Name, err)
		}
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	return v, v.writeKubeconfig()
}

func (v *podVolumes) add(ctx context.Context, volume corev1.Volume) error {
	dir := filepath.Join(v.w.dir, "volumes", volume.Name)
	v.dirs[volume.Name] = dir
	if volume.HostPath != nil {
		v.dirs[volume.Name] = v.w.m.a.fs.path(volume.HostPath.Path)
		return os.MkdirAll(filepath.Dir(v.dirs[volume.Name]), 0o755)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	switch {
	case volume.EmptyDir != nil:
		return nil
	case volume.ConfigMap != nil:
		values, err := v.w.configMap(ctx, volume.ConfigMap.Name, isTrue(volume.ConfigMap.Optional))
		return orElse(err, func() error { return writeKeys(dir, noConfigKey, values, volume.ConfigMap.Items) })
	case volume.Secret != nil:
		values, err := v.w.secret(ctx, volume.Secret.SecretName, isTrue(volume.Secret.Optional))
		return orElse(err, func() error { return writeKeys(dir, noSecretKey, values, volume.Secret.Items) })
	case volume.DownwardAPI != nil:
		return v.downward(dir, volume.DownwardAPI.Items)
	case volume.Projected != nil:
		for _, source := range volume.Projected.Sources {
			if err := v.project(ctx, dir, source); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("the lab knows configMap, secret, downwardAPI, projected, emptyDir and hostPath volumes only")
}

func (v *podVolumes) project(ctx context.Context, dir string, source corev1.VolumeProjection) error {
	switch {
	case source.ConfigMap != nil:
		values, err := v.w.configMap(ctx, source.ConfigMap.Name, isTrue(source.ConfigMap.Optional))
		return orElse(err, func() error { return writeKeys(dir, noConfigKey, values, source.ConfigMap.Items) })
	case source.Secret != nil:
		values, err := v.w.secret(ctx, source.Secret.Name, isTrue(source.Secret.Optional))
		return orElse(err, func() error { return writeKeys(dir, noSecretKey, values, source.Secret.Items) })
	case source.DownwardAPI != nil:
		return v.downward(dir, source.DownwardAPI.Items)
	case source.ServiceAccountToken != nil:
		token := tokenFile{filepath.Join(dir, source.ServiceAccountToken.Path), *source.ServiceAccountToken}
		v.tokens = append(v.tokens, token)
		return v.writeToken(ctx, token)
	}
	return nil
}

func (v *podVolumes) downward(dir string, items []corev1.DownwardAPIVolumeFile) error {
	for _, item := range items {
		if item.FieldRef == nil {
			return fmt.Errorf("file %s: the lab knows fieldRef only", item.Path)
		}
		value, err := v.w.field(item.FieldRef.FieldPath)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, item.Path), value); err != nil {
			return err
		}
	}
	return nil
}

// writeToken requests a token of the pod's service account, bound to the pod.
func (v *podVolumes) writeToken(ctx context.Context, token tokenFile) error {
	pod := v.w.pod
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: token.source.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if token.source.Audience != "" {
		request.Spec.Audiences = []string{token.source.Audience}
	}
	answer, err := v.w.api().CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("token of service account %s/%s: %w", pod.Namespace, pod.Spec.ServiceAccountName, err)
	}
	return writeFile(token.path, answer.Status.Token)
}

func (v *podVolumes) keepToken(ctx context.Context) {
	for wait(ctx, v.w.m.a.c.Clock, tokenRefresh) {
		for _, token := range v.tokens {
			if err := v.writeToken(ctx, token); err != nil && ctx.Err() == nil {
				v.w.m.a.logf("pod %s/%s: %v", v.w.pod.Namespace, v.w.pod.Name, err)
			}
		}
	}
}

// writeKubeconfig replaces the in-cluster configuration: it has the pod's token, and the API
// address in the pod's environment or else the balanced one.
func (v *podVolumes) writeKubeconfig() error {
	if len(v.tokens) == 0 {
		return nil
	}
	a := v.w.m.a
	server := "https://" + a.c.BalancedAddress
	for _, container := range v.w.pod.Spec.Containers {
		for _, e := range container.Env {
			if e.Name == "KUBERNETES_SERVICE_HOST" && (e.Value == "127.0.0.1" || e.Value == "localhost") {
				server = "https://" + a.c.IP + ":6443"
			}
		}
	}
	file := filepath.Join(v.w.dir, "kubeconfig")
	v.kubeconfig = file
	return writeFile(file, string(tokenKubeconfig(server, a.c.CA.CertPEM, v.tokens[0].path)))
}

// The kubelet's words for a missing key (kubernetes/kubernetes@v1.26.13:pkg/volume/{secret,configmap}).
const (
	noSecretKey = "references non-existent secret key"
	noConfigKey = "configmap references non-existent config key"
)

// writeKeys writes the values of a Secret or ConfigMap to a folder; none says that a key is missing.
func writeKeys(dir, none string, values map[string]string, items []corev1.KeyToPath) error {
	if len(items) == 0 {
		for key, value := range values {
			if err := writeFile(filepath.Join(dir, key), value); err != nil {
				return err
			}
		}
		return nil
	}
	for _, item := range items {
		value, ok := values[item.Key]
		if !ok {
			return fmt.Errorf("%s: %s", none, item.Key)
		}
		if err := writeFile(filepath.Join(dir, item.Path), value); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

func orElse(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}
