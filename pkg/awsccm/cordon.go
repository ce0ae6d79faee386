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

// cordonedBy is the annotation that tells our cordon from a user's. Its value
// is the id of the run that set it.
const cordonedBy = downstream.AnnotationOurs

// CordonState says whose a node's cordon is.
type CordonState string

const (
	// Schedulable has no cordon.
	Schedulable CordonState = "schedulable"
	// CordonedByUs is unschedulable with our annotation.
	CordonedByUs CordonState = "cordoned by awsmigrate"
	// CordonedByOther is unschedulable without it. Never ours to change.
	CordonedByOther CordonState = "cordoned by somebody else"
	// CordonLost has our annotation, and somebody made it schedulable.
	CordonLost CordonState = "cordon of awsmigrate was removed by somebody else"
)

// CordonOf reads the state of a node with these annotations.
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

// Cordon makes a schedulable node unschedulable and marks that as ours, in one
// patch: two could be torn apart, and a cordon without mark would stay for
// ever. A node already cordoned, by whomever, is left as it is. It returns the
// state after the call.
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

// Uncordon undoes Cordon where our annotation is, and only there. It reports
// whether it wrote. A Node that is gone needs nothing.
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

// RestoreUser cordons again a node whose user's cordon a roll has removed. uid
// is of the Node the user had cordoned: a Node that took its name since is
// another machine and is left alone, as is one that is gone. It reports whether
// it wrote.
func RestoreUser(ctx context.Context, nodes corev1client.NodeInterface, name string, uid types.UID) (bool, error) {
	wrote := false
	err := onFreshNode(ctx, nodes, name, func(node *corev1.Node) *nodePatch {
		if wrote = node.UID == uid && CordonOf(node.Annotations, node.Spec.Unschedulable) != CordonedByOther; !wrote {
			return nil
		}
		// Without our annotation: a cordon that is the user's must survive Uncordon.
		return &nodePatch{unschedulable: true}
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, nodeError("restore the user's cordon of", name, err)
	}
	return wrote && err == nil, nil
}

// freshTries bounds how often a Node that moves between read and patch is read
// again. Kubelets write a Node's status every few seconds at most.
const freshTries = 5

// onFreshNode reads a Node, asks what to change, and changes that very state;
// when the Node moved meanwhile it asks again.
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
		if err == nil || !apierrors.IsConflict(err) || try == freshTries {
			return err
		}
	}
}

// nodePatch sets our annotation (nil removes it) and unschedulable together.
type nodePatch struct {
	mark          *string
	unschedulable bool
}

func (p nodePatch) on(node *corev1.Node) ([]byte, error) {
	// null removes the field, as kubectl uncordon leaves it.
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
