package controller

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// plans are those of one cluster that somebody may approve: keys of one ConfigMap.
type plans struct {
	kube kubernetes.Interface
	key  Key
	now  func() time.Time
}

func (c *Controller) plans(key Key) plans { return plans{c.kube, key, c.o.Clock.Now} }

// document is a plan as `awsmigrate rke2 plan -o json` prints it, without what is for
// people; --plan takes it.
type document struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Target     journal.Target `json:"target"`
	Hash       string         `json:"hash"`
	Made       time.Time      `json:"made"`
	runner.WholePlan
}

const (
	keptPlans = 3
	// plainPlan is how large a plan is kept readable with kubectl, in bytes, and mostPlans
	// what all of them may have in one ConfigMap.
	plainPlan = 256 << 10
	mostPlans = 1<<20 - 16<<10
	packed    = ".gz"
)

// name is the ConfigMap, beside the journal's.
func (p plans) name() string { return journal.Name(p.key.Name) + "-plan" }

// keyOf is the key of a plan by its hash.
func keyOf(hash string) string { return strings.TrimPrefix(hash, "sha256:") + ".json" }

// settle says which plan an approval of now would be one of, and writes down a new one.
// The approved plan stays the one in force as long as what would be done is what is left
// of it.
func (p plans) settle(ctx context.Context, seen session.Assessment, approvedHash string) (planned, error) {
	hash, err := seen.Plan.Hash()
	if err != nil || !seen.Says.Pending() {
		return planned{}, err
	}
	stored, err := p.load(ctx)
	if err != nil {
		return planned{}, err
	}
	if approved := p.find(stored, approvedHash, seen.Target); settled(approved, seen) {
		return planned{hash: approvedHash, inForce: approved, ref: p.ref(stored, approvedHash)}, nil
	}
	if p.find(stored, hash, seen.Target) == nil {
		if stored, err = p.add(ctx, stored, document{APIVersion: "awsmigrate.io/v1", Kind: "Plan", Target: seen.Target, Hash: hash, Made: p.now().UTC().Truncate(time.Second), WholePlan: seen.Plan}, approvedHash); err != nil {
			return planned{tooBig: fault.HasReason(err, reasonPlanTooLarge)}, onlyOthers(err)
		}
	}
	now := planned{hash: hash, ref: p.ref(stored, hash)}
	if hash == approvedHash {
		now.inForce = p.find(stored, hash, seen.Target)
	}
	return now, nil
}

const reasonPlanTooLarge = "PlanTooLarge"

// onlyOthers leaves out what the status has a reason for.
func onlyOthers(err error) error {
	if fault.HasReason(err, reasonPlanTooLarge) {
		return nil
	}
	return err
}

func (p plans) ref(stored *corev1.ConfigMap, hash string) *v1alpha1.Reference {
	key := keyOf(hash)
	if _, is := stored.BinaryData[key+packed]; is {
		key += packed
	}
	return &v1alpha1.Reference{Name: p.name(), Key: key}
}

// load is the ConfigMap, without a version where there is none yet.
func (p plans) load(ctx context.Context) (*corev1.ConfigMap, error) {
	cm, err := p.kube.CoreV1().ConfigMaps(p.key.Namespace).Get(ctx, p.name(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.key.Namespace, Name: p.name(), Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}}}, nil
	}
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "PlansUnread", Object: p.object(), Seen: "could not be read", Err: err}
	}
	return cm, nil
}

func (p plans) object() string { return fmt.Sprintf("ConfigMap %s/%s", p.key.Namespace, p.name()) }

// find is the plan of a hash, of which somebody may have changed a character; nil: there
// is none that is what its hash says, for this cluster.
func (p plans) find(stored *corev1.ConfigMap, hash string, target journal.Target) *runner.WholePlan {
	if hash == "" {
		return nil
	}
	doc, err := read(stored, keyOf(hash))
	if err != nil || doc.Target != target {
		return nil
	}
	if is, err := doc.WholePlan.Hash(); err != nil || is != hash {
		return nil
	}
	return &doc.WholePlan
}

func read(stored *corev1.ConfigMap, key string) (document, error) {
	text := []byte(stored.Data[key])
	if binary, is := stored.BinaryData[key+packed]; is {
		r, err := gzip.NewReader(bytes.NewReader(binary))
		if err != nil {
			return document{}, err
		}
		if text, err = io.ReadAll(io.LimitReader(r, 64<<20)); err != nil {
			return document{}, err
		}
	}
	var doc document
	return doc, json.Unmarshal(text, &doc)
}

// add writes a plan down and leaves out the oldest, but never the approved one.
func (p plans) add(ctx context.Context, stored *corev1.ConfigMap, doc document, approved string) (*corev1.ConfigMap, error) {
	next := stored.DeepCopy()
	p.prune(next, keyOf(approved))
	if err := put(next, doc); err != nil {
		return stored, err
	}
	if size := sizeOf(next); size > mostPlans {
		return stored, &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: p.object(), Seen: fmt.Sprintf("the plans have %d bytes", size), Wanted: fmt.Sprintf("at most %d", mostPlans)}
	}
	return p.write(ctx, stored, next)
}

// write makes the ConfigMap, or changes it if nobody wrote since.
func (p plans) write(ctx context.Context, from, to *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	var written *corev1.ConfigMap
	var err error
	if from.ResourceVersion == "" {
		written, err = p.kube.CoreV1().ConfigMaps(p.key.Namespace).Create(ctx, to, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
	} else {
		written, err = p.patch(ctx, from, to)
	}
	if err != nil {
		return from, &fault.Error{Class: fault.CouldNotLook, Reason: "PlanUnwritten", Object: p.object(), Seen: "could not be written", Err: err}
	}
	return written, nil
}

// patch writes what differs, if nobody wrote since.
func (p plans) patch(ctx context.Context, from, to *corev1.ConfigMap) (*corev1.ConfigMap, error) {
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
	return p.kube.CoreV1().ConfigMaps(p.key.Namespace).Patch(ctx, p.name(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: wellknown.FieldManager})
}

func put(into *corev1.ConfigMap, doc document) error {
	text, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return fmt.Errorf("write a plan down: %w", err)
	}
	if len(text) <= plainPlan {
		if into.Data == nil {
			into.Data = map[string]string{}
		}
		into.Data[keyOf(doc.Hash)] = string(text)
		return nil
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("compress a plan: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("compress a plan: %w", err)
	}
	if into.BinaryData == nil {
		into.BinaryData = map[string][]byte{}
	}
	into.BinaryData[keyOf(doc.Hash)+packed] = b.Bytes()
	return nil
}

// prune leaves room for one more.
func (p plans) prune(cm *corev1.ConfigMap, approved string) {
	type old struct {
		key  string
		made time.Time
	}
	var all []old
	for _, key := range keysOf(cm) {
		doc, err := read(cm, key)
		if err != nil {
			doc.Made = time.Time{} // what cannot be read goes first
		}
		if key != approved {
			all = append(all, old{key, doc.Made})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return b.made.Compare(a.made) })
	for _, gone := range all[min(len(all), keptPlans-2):] {
		delete(cm.Data, gone.key)
		delete(cm.BinaryData, gone.key+packed)
	}
}

// ofHash are the keys of plans by their hash. What else is in the ConfigMap, such as the
// plan of a Job, is somebody else's.
var ofHash = regexp.MustCompile(`^[0-9a-f]{64}\.json$`)

func keysOf(cm *corev1.ConfigMap) []string {
	var keys []string
	for key := range cm.Data {
		keys = append(keys, key)
	}
	for key := range cm.BinaryData {
		keys = append(keys, strings.TrimSuffix(key, packed))
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !ofHash.MatchString(key) })
}

func sizeOf(cm *corev1.ConfigMap) int {
	size := 0
	for key, text := range cm.Data {
		size += len(key) + len(text)
	}
	for key, binary := range cm.BinaryData {
		size += len(key) + len(binary)
	}
	return size
}
