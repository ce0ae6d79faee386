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
	// ending is that of the key of a record; before it stand the runs that it is of.
	ending = ".jsonl.gz"
	// between stands between two runs of one record.
	between = "_"
	// partOf is the label of an object with records. It has not the one that journals are
	// listed by: whoever lists those would read every record.
	partOf = "app.kubernetes.io/part-of"
	// patience bounds what a run that is over still tries to keep.
	patience = 10 * time.Second
)

// Store keeps the records of one cluster's runs, in a ConfigMap.
type Store struct {
	Client    kubernetes.Interface
	Namespace string
	Cluster   string // whose journal is beside it
	Clock     clock.Clock
}

// Name returns the name of the ConfigMap with the records of a cluster's runs.
func Name(cluster string) string { return wellknown.ObjectName(wellknown.Record, cluster) }

// Keeps reports whether a name is one of Name's.
func Keeps(name string) bool { return strings.HasPrefix(name, Name("")) }

func (s Store) name() string { return Name(s.Cluster) }

// Object names what the records are kept in, for people.
func (s Store) Object() string { return fmt.Sprintf("ConfigMap %s/%s", s.Namespace, s.name()) }

// Keep stores the record of some runs of one process, in the order in which they began. It
// takes the place of that of the first ones among them, and of as many of the oldest
// records as have to go.
func (s Store) Keep(ctx context.Context, runs []string, packed []byte) error {
	key := keyOf(runs)
	if len(packed) > mostOfAll {
		return fmt.Errorf("keep the record of run %s in %s: it has %d bytes, wanted at most %d", key, s.Object(), len(packed), mostOfAll)
	}
	err := retry.Do(ctx, s.Clock, patience, "the record of the run to be kept", func(ctx context.Context) error {
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

// moved says whether somebody else wrote meanwhile: each run has a key of its own, so that
// nothing of it is lost when this one is written again.
func moved(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// read is the object as it is; nil: there is none.
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
			Fix:    "find out who keeps this object, and move what it holds to another name"}
	}
	return now, nil
}

// Records are those that are kept.
type Records struct{ byKey map[string][]byte }

// Load reads the records; none where none was ever kept.
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

// Of are the records in an object that somebody read.
func Of(cm *corev1.ConfigMap) Records {
	all := Records{byKey: map[string][]byte{}}
	for key, packed := range cm.BinaryData {
		if strings.HasSuffix(key, ending) {
			all.byKey[key] = packed
		}
	}
	return all
}

// Holds says whether an object holds records.
func Holds(cm *corev1.ConfigMap) bool {
	return cm.Labels[partOf] == wellknown.FieldManager && len(Of(cm).byKey) > 0
}

// Runs are those that have a record, the oldest first.
func (r Records) Runs() []string {
	var all []string
	for _, key := range inOrder(r.byKey) {
		all = append(all, runsOf(key)...)
	}
	return all
}

// ErrNone says that a run has no record.
var ErrNone = errors.New("no record is kept of it")

// Of is the record of a run, packed.
func (r Records) Of(run string) ([]byte, error) {
	for key, packed := range r.byKey {
		if slices.Contains(runsOf(key), run) {
			return packed, nil
		}
	}
	return nil, fmt.Errorf("run %s: %w", run, ErrNone)
}
