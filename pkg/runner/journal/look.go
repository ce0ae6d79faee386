package journal

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Look reads the journal in the ConfigMap namespace/name without access to its cluster. The
// second result is false if the ConfigMap does not exist. The journal may belong to another
// cluster, which State.Target names, so callers must not change a cluster because of it. An error
// is a *fault.Error that names the object.
func Look(ctx context.Context, client kubernetes.Interface, namespace, name string) (State, bool, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	object := fmt.Sprintf("ConfigMap %s/%s", namespace, name)
	cm, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return State{}, false, nil
	}
	if err != nil {
		return State{}, false, readFault(object, err)
	}
	state, err := Kept(object, cm)
	return state, err == nil, err
}

// Holds reports whether a ConfigMap has data under a journal's keys.
func Holds(cm *corev1.ConfigMap) bool {
	return cm.Data[keyText] != "" || len(cm.BinaryData[keyPacked]) > 0
}

// Kept returns the journal in a ConfigMap, which may also come from a file. object names it in
// messages.
func Kept(object string, cm *corev1.ConfigMap) (State, error) {
	_, text := cm.Data[keyText]
	_, packed := cm.BinaryData[keyPacked]
	_, sum := cm.Data[keySum]
	if !text && !packed && !sum {
		return State{}, notJournalFault(object, "holds no journal")
	}
	return decode(storedJournal{text: cm.Data[keyText], packed: cm.BinaryData[keyPacked], sum: cm.Data[keySum]}, object)
}
