package plans

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Store holds the plans of one cluster that can be approved, as keys of one ConfigMap.
type Store struct {
	Client kubernetes.Interface
	Key    types.NamespacedName // of the cluster
}

// name returns the name of the ConfigMap.
func (p Store) name() string { return wellknown.ObjectName(wellknown.Plans, p.Key.Name) }

func (p Store) object() string { return fmt.Sprintf("ConfigMap %s/%s", p.Key.Namespace, p.name()) }

// load returns the ConfigMap, without a version if it does not exist yet.
func (p Store) load(ctx context.Context) (*corev1.ConfigMap, error) {
	cm, err := p.Client.CoreV1().ConfigMaps(p.Key.Namespace).Get(ctx, p.name(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.Key.Namespace, Name: p.name(),
			Labels:      map[string]string{wellknown.ManagedBy: wellknown.FieldManager, wellknown.ContentLabel: string(wellknown.Plans)},
			Annotations: map[string]string{wellknown.ClusterNote: p.Key.Name}}}, nil
	}
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "PlansUnread", Object: p.object(), Seen: "could not be read", Err: err}
	}
	if !wellknown.Belongs(cm.Labels, cm.Annotations, wellknown.Plans, p.Key.Name) {
		return nil, &fault.Error{Class: fault.Usage, Reason: "ForeignPlans", Object: p.object(), Seen: "does not hold the plans of this cluster",
			Wanted: fmt.Sprintf("label %s=%s and annotation %s=%s", wellknown.ContentLabel, wellknown.Plans, wellknown.ClusterNote, p.Key.Name),
			Fix:    "find the owner of this object, and move its content to another name"}
	}
	return cm, nil
}

// write creates the ConfigMap, or changes it if it is unchanged since it was read.
func (p Store) write(ctx context.Context, from, to *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	var written *corev1.ConfigMap
	var err error
	if from.ResourceVersion == "" {
		written, err = p.Client.CoreV1().ConfigMaps(p.Key.Namespace).Create(ctx, to, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
	} else {
		written, err = p.patch(ctx, from, to)
	}
	if err != nil {
		return from, &fault.Error{Class: fault.CouldNotLook, Reason: "PlanUnwritten", Object: p.object(), Seen: "could not be written", Err: err}
	}
	return written, nil
}

// patch writes the difference, if the ConfigMap is unchanged since it was read.
func (p Store) patch(ctx context.Context, from, to *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	before, err := json.Marshal(corev1.ConfigMap{Data: from.Data, BinaryData: from.BinaryData})
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(corev1.ConfigMap{Data: to.Data, BinaryData: to.BinaryData, ObjectMeta: metav1.ObjectMeta{ResourceVersion: from.ResourceVersion}})
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		return nil, err
	}
	return p.Client.CoreV1().ConfigMaps(p.Key.Namespace).Patch(ctx, p.name(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
}
