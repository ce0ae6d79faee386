package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientretry "k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// ending is the suffix of a record's key; the prefix names its runs.
	ending = ".jsonl.gz"
	// between separates two runs of one record.
	between = "_"
	// partOf labels an object with records. It differs from the label of journals: a list of
	// journals must not read every record.
	partOf = "app.kubernetes.io/part-of"
	// storeTimeout limits the storing of a record after its run has ended.
	storeTimeout = 10 * time.Second
)

// Store keeps the records of one cluster's runs, in a ConfigMap.
type Store struct {
	Client    kubernetes.Interface
	Namespace string
	Cluster   string // the cluster of the journal
	Clock     clock.Clock
}

// Name returns the name of the ConfigMap with the records of a cluster's runs.
func Name(cluster string) string { return wellknown.ObjectName(wellknown.Record, cluster) }

// Keeps reports whether name is the name of such a ConfigMap.
func Keeps(name string) bool { return strings.HasPrefix(name, Name("")) }

func (s Store) name() string { return Name(s.Cluster) }

// Object returns the name of the object with the records, for people.
func (s Store) Object() string { return fmt.Sprintf("ConfigMap %s/%s", s.Namespace, s.name()) }

// Keep stores the record of some runs of one process, in the order of their begin. It replaces
// the record of the first of them, and as many of the oldest records as necessary.
func (s Store) Keep(ctx context.Context, runs []string, packed []byte) error {
	key := keyOf(runs)
	if len(packed) > maxTotal {
		return fmt.Errorf("keep the record of run %s in %s: it has %d bytes, wanted at most %d", key, s.Object(), len(packed), maxTotal)
	}
	err := retry.Do(ctx, s.Clock, storeTimeout, "the record of the run to be kept", func(ctx context.Context) error {
		return clientretry.OnError(clientretry.DefaultBackoff, moved, func() error { return s.keep(ctx, key, packed) })
	})
	if err != nil {
		return fmt.Errorf("keep the record of the run in %s: %w", s.Object(), err)
	}
	return nil
}

func (s Store) keep(ctx context.Context, key string, packed []byte) error {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	all := s.Client.CoreV1().ConfigMaps(s.Namespace)
	now, err := s.read(ctx)
	switch {
	case err != nil:
		return err
	case now == nil:
		_, err := all.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.name(), Labels: map[string]string{partOf: wellknown.FieldManager, wellknown.ContentLabel: string(wellknown.Record)},
				Annotations: map[string]string{wellknown.ClusterNote: s.Cluster}},
			BinaryData: map[string][]byte{key: packed},
		}, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
		return err
	}
	binary := map[string]any{key: packed}
	for _, old := range dropped(sizes(now), key, len(packed)) {
		binary[old] = nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": now.ResourceVersion}, "binaryData": binary})
	if err != nil {
		return err
	}
	_, err = all.Patch(ctx, s.name(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
	return err
}

// moved reports whether another process wrote meanwhile. Each run has its own key, so a repeated
// write loses nothing.
func moved(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// read returns the object, or nil if it does not exist.
func (s Store) read(ctx context.Context) (*corev1.ConfigMap, error) {
	now, err := s.Client.CoreV1().ConfigMaps(s.Namespace).Get(ctx, s.name(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !wellknown.Belongs(now.Labels, now.Annotations, wellknown.Record, s.Cluster):
		return nil, &fault.Error{Class: fault.Usage, Reason: "ForeignRecords", Object: s.Object(), Seen: "does not hold the records of this cluster's runs",
			Wanted: fmt.Sprintf("label %s=%s and annotation %s=%s", wellknown.ContentLabel, wellknown.Record, wellknown.ClusterNote, s.Cluster),
			Fix:    "find the owner of this object, and move its content to another name"}
	}
	return now, nil
}

// Records holds stored records.
type Records struct{ byKey map[string][]byte }

// Load reads the records; it returns no records if the object does not exist.
func (s Store) Load(ctx context.Context) (Records, error) {
	ctx, cancel := retry.Request(ctx)
	defer cancel()
	now, err := s.read(ctx)
	if err != nil {
		return Records{}, fmt.Errorf("read the records of runs: %w", err)
	}
	if now == nil {
		return Records{}, nil
	}
	return Of(now), nil
}

// Of returns the records in an object that was already read.
func Of(cm *corev1.ConfigMap) Records {
	all := Records{byKey: map[string][]byte{}}
	for key, packed := range cm.BinaryData {
		if strings.HasSuffix(key, ending) {
			all.byKey[key] = packed
		}
	}
	return all
}

// Holds reports whether an object holds records.
func Holds(cm *corev1.ConfigMap) bool {
	return cm.Labels[partOf] == wellknown.FieldManager && len(Of(cm).byKey) > 0
}

// Runs returns the runs that have a record, oldest first.
func (r Records) Runs() []string {
	var all []string
	for _, key := range inOrder(r.byKey) {
		all = append(all, runsOf(key)...)
	}
	return all
}

// ErrNone means that a run has no record.
var ErrNone = errors.New("no record is kept of it")

// Of returns the packed record of a run.
func (r Records) Of(run string) ([]byte, error) {
	for key, packed := range r.byKey {
		if slices.Contains(runsOf(key), run) {
			return packed, nil
		}
	}
	return nil, fmt.Errorf("run %s: %w", run, ErrNone)
}
