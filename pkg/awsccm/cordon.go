package awsccm

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// cordonedBy is the annotation that marks our cordons. Its value is the ID of the run that set
// it.
const cordonedBy = downstream.AnnotationOurs

// CordonState describes whether a node is cordoned, and by whom.
type CordonState string

const (
	// Schedulable means that the node has no cordon.
	Schedulable CordonState = "schedulable"
	// CordonedByUs means unschedulable with our annotation.
	CordonedByUs CordonState = "cordoned by awsmigrate"
	// CordonedByOther means unschedulable without our annotation. We never change such a node.
	CordonedByOther CordonState = "cordoned by another user"
	// CordonLost means that the node has our annotation but was made schedulable by another
	// writer.
	CordonLost CordonState = "cordon of awsmigrate was removed by another user"
)

// CordonOf returns the state of a node with these annotations.
func CordonOf(annotations map[string]string, unschedulable bool) CordonState {
	_, ours := annotations[cordonedBy]
	switch {
	case unschedulable && ours:
		return CordonedByUs
	case unschedulable:
		return CordonedByOther
	case ours:
		return CordonLost
	}
	return Schedulable
}

// Cordon makes a schedulable node unschedulable and marks that as ours, in one patch. With two
// patches, an interruption could leave a cordon without a mark, which would remain forever.
// Cordon does not change a node that is already cordoned. It returns the state after the call.
func Cordon(ctx context.Context, nodes corev1client.NodeInterface, name, run string) (CordonState, error) {
	state := Schedulable
	err := onFreshNode(ctx, nodes, name, func(node *corev1.Node) *nodePatch {
		if state = CordonOf(node.Annotations, node.Spec.Unschedulable); node.Spec.Unschedulable {
			return nil
		}
		state = CordonedByUs
		return &nodePatch{mark: &run, unschedulable: true}
	})
	if err != nil {
		return "", nodeError("cordon", name, err)
	}
	return state, nil
}

// Uncordon undoes Cordon only if our annotation is set. It reports whether it wrote. It does
// nothing if the Node no longer exists.
func Uncordon(ctx context.Context, nodes corev1client.NodeInterface, name string) (bool, error) {
	wrote := false
	err := onFreshNode(ctx, nodes, name, func(node *corev1.Node) *nodePatch {
		if _, wrote = node.Annotations[cordonedBy]; !wrote {
			return nil
		}
		return &nodePatch{}
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, nodeError("uncordon", name, err)
	}
	return wrote && err == nil, nil
}

// RestoreUser cordons a node again after a rollout removed the user's cordon. uid is that of the
// Node that the user had cordoned: RestoreUser skips a newer Node with the same name, which is
// another machine, and a Node that no longer exists. It reports whether it wrote.
func RestoreUser(ctx context.Context, nodes corev1client.NodeInterface, name string, uid types.UID) (bool, error) {
	wrote := false
	err := onFreshNode(ctx, nodes, name, func(node *corev1.Node) *nodePatch {
		if wrote = node.UID == uid && CordonOf(node.Annotations, node.Spec.Unschedulable) != CordonedByOther; !wrote {
			return nil
		}
		// Without our annotation, so that the user's cordon survives Uncordon.
		return &nodePatch{unschedulable: true}
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, nodeError("restore the user's cordon of", name, err)
	}
	return wrote && err == nil, nil
}

// maxFreshTries is the maximum number of reads of a Node that changes between read and patch.
// Kubelets write a Node's status every few seconds at most.
const maxFreshTries = 5

// onFreshNode reads a Node, calls decide, and patches exactly that version. If the Node changed
// meanwhile, it tries again.
func onFreshNode(ctx context.Context, nodes corev1client.NodeInterface, name string, decide func(*corev1.Node) *nodePatch) error {
	for try := 1; ; try++ {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change := decide(node)
		if change == nil {
			return nil
		}
		body, err := change.on(node)
		if err != nil {
			return err
		}
		_, err = nodes.Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
		if err == nil || !apierrors.IsConflict(err) || try == maxFreshTries {
			return err
		}
	}
}

// nodePatch sets unschedulable and our annotation, or removes the annotation if nil.
type nodePatch struct {
	mark          *string
	unschedulable bool
}

func (p nodePatch) on(node *corev1.Node) ([]byte, error) {
	// null removes the field, as kubectl uncordon does.
	var spec any
	if p.unschedulable {
		spec = true
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{
			"uid":             node.UID,
			"resourceVersion": node.ResourceVersion,
			"annotations":     map[string]any{cordonedBy: p.mark},
		},
		"spec": map[string]any{"unschedulable": spec},
	})
}

func nodeError(verb, name string, err error) error {
	return fmt.Errorf("%s Node %s: %w", verb, name, CouldNotLook(err))
}
