package kube

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func (r Reader) volumes(ctx context.Context) verify.Read[[]downstream.Volume] {
	return collect(ctx, r, "persistentvolumes", metav1.ListOptions{}, r.Kube.CoreV1().PersistentVolumes().List, func(l *corev1.PersistentVolumeList) []downstream.Volume {
		return filter(l.Items, func(v *corev1.PersistentVolume) (downstream.Volume, bool) {
			inTree := v.Spec.AWSElasticBlockStore != nil
			out := downstream.Volume{Name: v.Name, InTree: inTree}
			if c := v.Spec.ClaimRef; c != nil {
				out.Claim = c.Namespace + "/" + c.Name
			}
			return out, inTree || v.Spec.CSI != nil && v.Spec.CSI.Driver == downstream.CSIEBS
		})
	})
}

func (r Reader) classes(ctx context.Context) verify.Read[[]downstream.StorageClass] {
	return collect(ctx, r, "storageclasses", metav1.ListOptions{}, r.Kube.StorageV1().StorageClasses().List, func(l *storagev1.StorageClassList) []downstream.StorageClass {
		return filter(l.Items, func(c *storagev1.StorageClass) (downstream.StorageClass, bool) {
			return downstream.StorageClass{Name: c.Name, Provisioner: c.Provisioner, Default: c.Annotations[downstream.AnnotationDefaultClass] == "true"}, c.Provisioner == downstream.InTreeEBS || c.Provisioner == downstream.CSIEBS
		})
	})
}

func (r Reader) csiNodes(ctx context.Context) verify.Read[[]downstream.CSINode] {
	return collect(ctx, r, "csinodes", metav1.ListOptions{}, r.Kube.StorageV1().CSINodes().List, func(l *storagev1.CSINodeList) []downstream.CSINode {
		return filter(l.Items, func(n *storagev1.CSINode) (downstream.CSINode, bool) {
			out := downstream.CSINode{Name: n.Name, Migrated: n.Annotations[downstream.AnnotationMigrated]}
			for _, d := range n.Spec.Drivers {
				out.EBS = out.EBS || d.Name == downstream.CSIEBS
			}
			return out, true
		})
	})
}

// ebsDriver returns the EBS CSI driver that a template runs, or nil. Its published image and its
// mirrors have the same last name.
func ebsDriver(spec corev1.PodSpec, ready int32) *downstream.EBSDriver {
	for _, c := range spec.Containers {
		if !strings.Contains(c.Image, "/aws-ebs-csi-driver") {
			continue
		}
		d := &downstream.EBSDriver{Image: cut(c.Image, textLimit), Ready: ready, HostNetwork: spec.HostNetwork}
		for _, e := range c.Env {
			ref := e.ValueFrom
			sure := ref == nil || ref.SecretKeyRef != nil && (ref.SecretKeyRef.Optional == nil || !*ref.SecretKeyRef.Optional)
			d.Identity = d.Identity || e.Name == "AWS_WEB_IDENTITY_TOKEN_FILE" || e.Name == "AWS_ACCESS_KEY_ID" && sure
		}
		return d
	}
	return nil
}
