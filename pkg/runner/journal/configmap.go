package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	keyText   = "journal.json"
	keyPacked = "journal.json.gz"
	keySum    = "sha256"
)

// ConfigMap stores a Journal in one ConfigMap.
type ConfigMap struct {
	client    kubernetes.Interface
	namespace string
	name      string
	target    Target

	// Clock and Budget may be set before the first use: the clock that times the waits, and the
	// time after which a commit stops retrying (default 5 min).
	Clock  clock.Clock
	Budget time.Duration
}

// NewConfigMap returns the journal of target in the ConfigMap namespace/name (see Name). The
// journal refuses a ConfigMap that belongs to another cluster.
func NewConfigMap(client kubernetes.Interface, namespace, name string, target Target) *ConfigMap {
	return &ConfigMap{
		client: client, namespace: namespace, name: name, target: target,
		Clock: clock.RealClock{}, Budget: retry.Outage,
	}
}

func (j *ConfigMap) object() string {
	return fmt.Sprintf("ConfigMap %s/%s", j.namespace, j.name)
}

// Load implements Journal.
func (j *ConfigMap) Load(ctx context.Context) (State, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	cm, err := j.client.CoreV1().ConfigMaps(j.namespace).Get(ctx, j.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return State{}, nil
	}
	if err != nil {
		return State{}, readFault(j.object(), err)
	}
	return j.decode(cm)
}

// readFault returns the fault of a failed read. After it, nothing is known about the journal,
// whichever error the API returned.
func readFault(object string, err error) error {
	if retry.Unauthorized(err) {
		return fault.Unauthorized("the journal, "+object, err)
	}
	f := &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "the journal could not be read",
		Fix: "run the same command again once the API answers", Err: err}
	if retry.Denied(err) {
		f.Reason, f.Seen, f.Fix = fault.ReasonForbidden, "the journal may not be read with these credentials", "docs/permissions.md has the rule: get on this ConfigMap; "+
			"awsmigrate verify --access=run with the same --cluster names every missing right"
	}
	return f
}

func (j *ConfigMap) decode(cm *corev1.ConfigMap) (State, error) {
	st, err := Kept(j.object(), cm)
	if err != nil {
		return State{}, err
	}
	if st.Target.UID != j.target.UID {
		return State{}, j.foreignFault(st.Target)
	}
	st.Version = cm.ResourceVersion
	return st, nil
}

// foreignFault returns the error for a journal of another cluster. The ConfigMap may only be deleted
// if it belongs to an earlier cluster of the same name.
func (j *ConfigMap) foreignFault(of Target) error {
	e := &fault.Error{
		Class: fault.Usage, Reason: "JournalOfAnotherCluster", Object: j.object(),
		Seen:   fmt.Sprintf("the journal belongs to cluster %q, whose kube-system has UID %s", of.Name, of.UID),
		Wanted: fmt.Sprintf("UID %s, which %s has", j.target.UID, j.target.Name),
		Fix:    "check the cluster name and the kubeconfig; if the old cluster of this name is gone, delete the ConfigMap",
	}
	if of.Name != j.target.Name {
		e.Fix = fmt.Sprintf("check the cluster name and the kubeconfig; keep the ConfigMap: cluster %q may need it", of.Name)
	}
	return e
}

// Commit implements Journal.
func (j *ConfigMap) Commit(ctx context.Context, st *State) error {
	if j.target.UID == "" {
		return &fault.Error{Reason: "NoClusterUID", Object: j.object(), Seen: "the UID of the cluster's kube-system is not known, so the journal cannot be pinned to it"}
	}
	st.Target = j.target
	content, err := encode(*st, j.object())
	if err != nil {
		return err
	}
	// Conflicts are retried here too, so that one function decides what may be retried: settle
	// turns a conflict into a definite answer.
	return retry.Do(ctx, j.Clock, j.Budget, "the journal to be written", func(ctx context.Context) error {
		version, err := j.write(ctx, content, st.Version)
		if err != nil {
			version, err = j.settle(ctx, st, err)
		}
		if err != nil {
			return err
		}
		st.Version = version
		return nil
	})
}

// write stores content if the object is at version, and returns the new version.
func (j *ConfigMap) write(ctx context.Context, content storedJournal, version string) (string, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	cms := j.client.CoreV1().ConfigMaps(j.namespace)
	if version == "" {
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: j.name, Namespace: j.namespace, Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager, wellknown.InBackup: "true"}},
			Data:       map[string]string{keySum: content.sum},
		}
		if content.packed != nil {
			cm.BinaryData = map[string][]byte{keyPacked: content.packed}
		} else {
			cm.Data[keyText] = content.text
		}
		out, err := cms.Create(ctx, cm, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
		if err != nil {
			return "", fmt.Errorf("create the journal, %s: %w", j.object(), err)
		}
		return out.ResourceVersion, nil
	}
	patch, err := mergePatch(content, version)
	if err != nil {
		return "", err
	}
	out, err := cms.Patch(ctx, j.name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
	if err != nil {
		return "", fmt.Errorf("write the journal, %s: %w", j.object(), err)
	}
	return out.ResourceVersion, nil
}

// mergePatch changes only this package's keys, so that labels and owners set by others stay. The
// label puts the journal into the same Rancher backup as its Cluster, because a restore of only
// one of them would be inconsistent. The resourceVersion is a precondition.
func mergePatch(content storedJournal, version string) ([]byte, error) {
	data := map[string]any{keySum: content.sum, keyText: nil}
	binary := map[string]any{keyPacked: nil}
	if content.packed != nil {
		binary[keyPacked] = content.packed
	} else {
		data[keyText] = content.text
	}
	return json.Marshal(map[string]any{
		"metadata":   map[string]any{"resourceVersion": version, "labels": map[string]string{wellknown.InBackup: "true"}},
		"data":       data,
		"binaryData": binary,
	})
}

// settle finds out what happened to a write that failed with cause. It returns the version under
// which the commit landed, or an error. It returns cause itself if cause is final, or if nothing
// was written and a retry is safe.
func (j *ConfigMap) settle(ctx context.Context, st *State, cause error) (string, error) {
	gone := st.Version != "" && apierrors.IsNotFound(cause)
	if !gone && !apierrors.IsConflict(cause) && !apierrors.IsAlreadyExists(cause) && !retry.Transient(cause) {
		return "", cause
	}
	now, err := j.Load(ctx)
	switch {
	case err != nil:
		return "", err
	case now.Version == "" && st.Version != "":
		return "", &fault.Error{
			Class: fault.Stale, Reason: "JournalDeleted", Object: j.object(),
			Seen: "the journal was deleted while this run was under way", Fix: "run the same command again", Err: cause,
		}
	case now.Version == st.Version && retry.Transient(cause):
		return "", cause
	case now.Version != st.Version && now.Commit == st.Commit:
		return now.Version, nil
	case now.Version == st.Version:
		return "", fmt.Errorf("%s: conflict without a concurrent write: %w", j.object(), cause)
	}
	return "", Moved(j.object(), now, cause)
}

// Moved returns the fault of a commit that another run preceded; now is the stored state.
func Moved(object string, now State, cause error) error {
	e := &fault.Error{
		Class: fault.Stale, Reason: "JournalMoved", Object: object,
		Seen: fmt.Sprintf("another run wrote the journal (commit %s)", now.Commit),
		Fix:  "run the same command again: it goes on from what the cluster shows", Err: cause,
	}
	if n := len(now.Runs); n > 0 {
		e.Seen = fmt.Sprintf("run %s of %s wrote the journal (commit %s)", now.Runs[n-1].ID, now.Runs[n-1].Who, now.Commit)
	}
	return e
}
