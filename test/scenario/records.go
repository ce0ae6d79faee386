package scenario

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// records are awsmigrate's objects next to the Cluster: journal and lock.
const recordName = "awsmigrate-" + clusterName

func configMaps() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
}

func leases() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
}

// Records lists the existing objects of awsmigrate.
func (l *Lab) Records(ctx context.Context) ([]string, error) {
	var there []string
	for _, kind := range []schema.GroupVersionResource{configMaps(), leases()} {
		_, err := l.Management.Resource(kind).Namespace(clusterNamespace).Get(ctx, recordName, metav1.GetOptions{})
		switch {
		case err == nil:
			there = append(there, kind.Resource+"/"+recordName)
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return there, nil
}

// ForgetJournal deletes the journal, as an accident would.
func (l *Lab) ForgetJournal(ctx context.Context) error {
	err := l.Management.Resource(configMaps()).Namespace(clusterNamespace).Delete(ctx, recordName, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// LockHolder returns the holder of the lock, or an empty string if it is free.
func (l *Lab) LockHolder(ctx context.Context) (string, error) {
	o, err := l.Management.Resource(leases()).Namespace(clusterNamespace).Get(ctx, recordName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the lock: %w", err)
	}
	holder, _, _ := unstructured.NestedString(o.Object, "spec", "holderIdentity")
	return holder, nil
}
