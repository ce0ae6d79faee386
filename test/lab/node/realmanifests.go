package node

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// stage holds the static pods that RKE2 writes when something answers.
type stage struct {
	ready string // URL that answers before; empty: none
	pods  []string
}

// stages are in order. A machine that does not run etcd does not wait for it, and its way to an API
// server leads to another machine.
func (k *kubelet) stages() []stage {
	etcd := stage{"", []string{Etcd}}
	server := stage{"http://127.0.0.1:2381/health?serializable=true", []string{KubeAPIServer}}
	if _, runs := k.static(Etcd); !runs {
		server.ready = ""
	}
	return []stage{etcd, server, {"https://127.0.0.1:6443/readyz", []string{KubeControllerManager, KubeScheduler, CloudControllerManager, kubeProxy}}}
}

func (k *kubelet) static(component string) (StaticPod, bool) {
	i := slices.IndexFunc(k.rendering.Static, func(s StaticPod) bool { return s.Component == component })
	if i < 0 {
		return StaticPod{}, false
	}
	return k.rendering.Static[i], true
}

// layManifests does what RKE2's executor does before the kubelet starts: it removes the manifests
// of components that are not configured, and that of kube-apiserver, which it writes again when etcd
// answers. After a restart of the service etcd answers at once, so no kubelet sees the gap. Source:
// rancher/rke2:pkg/podexecutor/staticpod.go@v1.26.15+rke2r1.
func (k *kubelet) layManifests(ctx context.Context) error {
	for _, component := range []string{Etcd, KubeAPIServer, KubeControllerManager, KubeScheduler, CloudControllerManager, kubeProxy} {
		if _, keep := k.static(component); component == KubeAPIServer || !keep {
			if err := k.a.fs.remove(manifestFile(component)); err != nil {
				return err
			}
		}
	}
	for _, next := range k.stages()[:2] {
		if ready, err := k.answers(ctx, next.ready); err != nil || !ready {
			return err
		}
		if err := k.writeStage(next); err != nil {
			return err
		}
	}
	return nil
}

// writeManifests writes all static pods: etcd at once, kube-apiserver when etcd answers, the others
// when the API server does.
func (k *kubelet) writeManifests(ctx context.Context) error {
	for _, next := range k.stages() {
		for {
			ready, err := k.answers(ctx, next.ready)
			if err != nil {
				return err
			}
			if ready {
				break
			}
			if !wait(ctx, k.a.c.Clock, readyPeriod) {
				return ctx.Err()
			}
		}
		if err := k.writeStage(next); err != nil {
			return err
		}
	}
	k.written.Store(true)
	return nil
}

// readyPeriod is the period of asking a component whether it is ready.
const readyPeriod = time.Second

// answers reports whether the URL answers on the machine. An empty one does.
func (k *kubelet) answers(ctx context.Context, url string) (bool, error) {
	if url == "" {
		return true, nil
	}
	pair, err := k.a.adminCertificate()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return httpCheckVia(k.a.c.Real.Dial, url, nil, pair)(ctx) == nil, nil
}

// answerTimeout bounds the answer of a component on the same machine.
const answerTimeout = 5 * time.Second

func (k *kubelet) writeStage(s stage) error {
	for _, component := range s.pods {
		if pod, ok := k.static(component); ok {
			if err := k.writeManifest(pod); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *kubelet) writeManifest(s StaticPod) error {
	raw, err := yaml.Marshal(manifest(s, k.rendering.Version, k.a.fs))
	if err != nil {
		return err
	}
	return k.a.fs.write(manifestFile(s.Component), raw)
}

func manifestFile(component string) string { return path.Join(ManifestDir, component+".yaml") }

// manifestUID returns the UID in a component's manifest, or empty without one.
func (a *Agent) manifestUID(component string) (string, error) {
	raw, err := a.fs.read(manifestFile(component))
	if err != nil || raw == nil {
		return "", err
	}
	var pod corev1.Pod
	if err := yaml.Unmarshal(raw, &pod); err != nil {
		return "", fmt.Errorf("%s: %w", manifestFile(component), err)
	}
	return string(pod.UID), nil
}
