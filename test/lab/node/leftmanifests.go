package node

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// ManifestDir is the folder in which a machine's kubelet looks for static pods. RKE2's own
// static pods have no file there, so every file is a user's.
const ManifestDir = agentDir + "/pod-manifests"

// manifestPoll is short for a kubelet, which also learns of changes by inotify.
const manifestPoll = time.Second

// leftManifests runs the manifests that a user left in ManifestDir, and ends each when its file
// is deleted.
func (k *kubelet) leftManifests(ctx context.Context) {
	said := ""
	for ok := true; ok; ok = wait(ctx, k.a.c.Clock, manifestPoll) {
		pods, err := k.a.fs.leftManifests()
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != said && text != "" {
			k.a.logf("kubelet: manifests: %v", err)
		}
		said = text
		k.s.static.applyLeft(pods)
	}
}

// leftManifests reads the pods of ManifestDir. One that cannot run does not keep the others
// from running.
func (m machineFS) leftManifests() ([]*corev1.Pod, error) {
	entries, err := os.ReadDir(m.path(ManifestDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var pods []*corev1.Pod
	errs := []error{err}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || entry.IsDir() {
			continue // as a kubelet does
		}
		raw, err := os.ReadFile(filepath.Join(m.path(ManifestDir), entry.Name()))
		var pod *corev1.Pod
		if err == nil {
			pod, err = leftManifest(raw, path.Join(ManifestDir, entry.Name()))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", entry.Name(), err))
			continue
		}
		pods = append(pods, pod)
	}
	return pods, errors.Join(errs...)
}

// RemoveManifests deletes every file in ManifestDir.
func (a *Agent) RemoveManifests() error { return os.RemoveAll(a.fs.path(ManifestDir)) }

// leftManifest returns the pod of a file. Its UID is the hash of content and path unless the
// file sets one (kubernetes/kubernetes:pkg/kubelet/config/common.go@v1.26.13).
func leftManifest(raw []byte, place string) (*corev1.Pod, error) {
	var pod corev1.Pod
	if err := yaml.Unmarshal(raw, &pod); err != nil {
		return nil, err
	}
	if pod.Namespace != metav1.NamespaceSystem || len(pod.Spec.Containers) != 1 {
		return nil, fmt.Errorf("a pod in namespace %q with %d containers: the lab runs one container in %s", pod.Namespace, len(pod.Spec.Containers), metav1.NamespaceSystem)
	}
	if startedBy(&pod) != KubeControllerManager {
		return nil, fmt.Errorf("command %q: the lab runs %s alone from a file", startedBy(&pod), KubeControllerManager)
	}
	if pod.UID == "" {
		sum := md5.Sum(append(slices.Clone(raw), []byte("file:"+place)...))
		pod.UID = types.UID(hex.EncodeToString(sum[:]))
	}
	return &pod, nil
}

// startedBy returns the program that a pod's container starts.
func startedBy(pod *corev1.Pod) string {
	if command := pod.Spec.Containers[0].Command; len(command) > 0 {
		return path.Base(command[0])
	}
	return ""
}

// applyLeft makes the running left pods match the files. It returns when those without a file
// have ended.
func (s *staticPods) applyLeft(pods []*corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]*corev1.Pod{}
	for _, pod := range pods {
		wanted[pod.Name] = pod
	}
	for name, old := range s.left {
		if pod := wanted[name]; pod == nil || pod.UID != old.manifest.UID {
			s.a.logf("%s: its file is gone or another, stopping", name)
			old.stop()
			delete(s.left, name)
		}
	}
	for name, pod := range wanted {
		if s.left[name] == nil && s.ctx.Err() == nil {
			s.a.logf("%s: starting from a file, manifest %s", name, pod.UID)
			s.left[name] = s.startLeft(pod)
		}
	}
}

// startLeft runs the pod of a file without its probes: it is ready while it runs.
func (s *staticPods) startLeft(pod *corev1.Pod) *staticPod {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	started := &staticPod{manifest: pod, seen: s.a.c.Clock.Now(), stop: func() { cancel(); <-done }}
	container := pod.Spec.Containers[0]
	log := filepath.Join(s.a.dir, "log", pod.Name+".log")
	started.task = &task{
		clock: s.a.c.Clock, policy: corev1.RestartPolicyAlways, backOff: s.a.c.Timing.BackOff, relist: s.a.c.Timing.Relist, grace: s.a.c.Timing.Grace,
		onChange: s.a.changed, tail: func() string { return "" }, kubelet: &s.a.kubeletRuns,
		start: func(int) (process, error) {
			return s.a.startComponent(startedBy(pod), imageVersion(container.Image), container.Args, log)
		},
	}
	go func() {
		defer close(done)
		started.task.run(ctx)
	}()
	return started
}
