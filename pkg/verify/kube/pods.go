package kube

import (
	"context"
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// staticPods reads the pods with the label of RKE2's and kubeadm's controller managers, in all
// namespaces, so that look-alikes are included.
func (r Reader) staticPods(ctx context.Context) verify.Read[[]downstream.Pod] {
	opts := metav1.ListOptions{LabelSelector: "component in (kube-controller-manager, cloud-controller-manager)"}
	return r.pods(ctx, "pods of controller managers", metav1.NamespaceAll, opts)
}

// etcds reads the etcd members that run as static pods, without their containers.
func (r Reader) etcds(ctx context.Context) verify.Read[[]downstream.Pod] {
	pods := r.pods(ctx, "pods of etcd", wellknown.System, metav1.ListOptions{LabelSelector: "component=etcd"})
	for i := range pods.Value {
		pods.Value[i].Containers = nil
	}
	return pods
}

func (r Reader) pods(ctx context.Context, what, namespace string, opts metav1.ListOptions) verify.Read[[]downstream.Pod] {
	pods, err := r.listPods(ctx, namespace, opts)
	if err != nil {
		return verify.Failed[[]downstream.Pod](fmt.Errorf("listing %s: %w", what, err))
	}
	return verify.Got(pods)
}

func (r Reader) listPods(ctx context.Context, namespace string, opts metav1.ListOptions) ([]downstream.Pod, error) {
	return listPages(ctx, r, opts, r.Kube.CoreV1().Pods(namespace).List, func(l *corev1.PodList) []downstream.Pod {
		return filter(l.Items, func(p *corev1.Pod) (downstream.Pod, bool) { return convertPod(p), true })
	})
}

// ccm reads the DaemonSets that run a cloud controller manager, then their pods
// and the migration files they mount.
func (r Reader) ccm(ctx context.Context, sets daemonSets, f *downstream.Facts) {
	f.DaemonSets = sets().ccms
	if !f.DaemonSets.OK() {
		f.CCMPods = verify.Failed[[]downstream.Pod](f.DaemonSets.Err)
		f.Migration = verify.Failed[map[string]downstream.MigrationConfig](f.DaemonSets.Err)
		return
	}
	var all []downstream.Pod
	for _, d := range f.DaemonSets.Value {
		opts := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(d.Selector).String()}
		pods := r.pods(ctx, "pods of "+d.String(), d.Namespace, opts)
		if !pods.OK() {
			f.CCMPods = pods
			break
		}
		all = append(all, pods.Value...)
		f.CCMPods = verify.Got(all)
	}
	if len(f.DaemonSets.Value) == 0 {
		f.CCMPods = verify.Got(all)
	}
	f.Migration = r.migrationFiles(ctx, f.DaemonSets.Value)
}

// migrationFiles reads the ConfigMaps behind --leader-migration-config. Files on a host or in a
// Secret are not read.
func (r Reader) migrationFiles(ctx context.Context, sets []downstream.DaemonSet) verify.Read[map[string]downstream.MigrationConfig] {
	found := map[string]downstream.MigrationConfig{}
	for _, d := range sets {
		c, _ := downstream.RunsCCM(d.Containers)
		file := c.Flags().Last(component.LeaderMigrationConfig)
		for _, m := range c.Mounts {
			if file == "" || m.Kind != "ConfigMap" || m.Path != path.Dir(file) && m.Path != file {
				continue
			}
			text, err := r.configMapKey(ctx, d.Namespace, m.Name, path.Base(file))
			if err != nil {
				return verify.Failed[map[string]downstream.MigrationConfig](err)
			}
			found[file] = downstream.MigrationConfig{ConfigMap: d.Namespace + "/" + m.Name, Key: path.Base(file), Text: text}
		}
	}
	return verify.Got(found)
}

func (r Reader) configMapKey(ctx context.Context, namespace, name, key string) (string, error) {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	cm, err := r.Kube.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("reading ConfigMap %s/%s: %w", namespace, name, err)
	}
	text, ok := cm.Data[key]
	if !ok {
		return "", fmt.Errorf("reading ConfigMap %s/%s: it has no key %q", namespace, name, key)
	}
	return text, nil
}

func isNotFound(err error) bool { return apierrors.IsNotFound(err) }
