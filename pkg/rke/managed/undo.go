package managed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var secrets = kubeschema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// undoStep returns the edit that undoes the newest edit of a step that the configuration still
// contains. It returns an error if the configuration has traces of the step that no inverse
// covers.
func (b *Backend) undoStep(ctx context.Context, snap migration.Snapshot, config map[string]any, step journal.StepID) (Edit, error) {
	for _, intent := range snap.Record.IntentsToUndo(step, clusterOf(snap).object()) {
		inverse, err := parseInverses(intent.Inverse)
		if err != nil {
			return Edit{}, snap.Record.Foreign(intent, err)
		}
		edit, err := TakeBack(clusterOf(snap).object(), config, inverse, func(sha256 string) (any, error) { return b.loadStored(ctx, sha256) })
		if err != nil || !edit.Empty() {
			return edit, err
		}
	}
	if found := stepTrace(config, step); found != "" {
		return Edit{}, rke.NoEditToUndo(clusterOf(snap).object(), found, step,
			"restore the values from before "+string(step)+" in Rancher, by hand or from a backup; then run again")
	}
	return Edit{Config: config}, nil
}

// stepTrace describes the trace of an editing step in a configuration, or returns empty.
func stepTrace(config map[string]any, step journal.StepID) string {
	switch step {
	case migration.StepEnable:
		if value, set := mapAt(config, flagPath()[:3])[keyFlag]; set {
			return fmt.Sprintf("has spec.%s.%s=%v", rkeConfigKey, strings.Join(flagPath(), "."), value)
		}
	case migration.StepSwitch:
		if name := mapAt(config, []string{"cloudProvider"})["name"]; name == rkestate.ProviderExternal {
			return fmt.Sprintf("has spec.%s.cloudProvider.name=%v", rkeConfigKey, name)
		}
	}
	return ""
}

// storedName returns the name of the Secret that stores a part of the configuration from before
// an edit. It can contain credentials, which the journal must not hold.
func (b *Backend) storedName(sha256 string) string {
	return journal.Name(b.id) + "-" + sha256[:12]
}

const storedKey = "value.json"

// storeRemoved stores the removed values of an edit that the journal must not hold.
func (b *Backend) storeRemoved(ctx context.Context, tx *runner.Tx, edit Edit) error {
	for _, el := range edit.Elements {
		before, isMap := el.Before.(map[string]any)
		if !isMap || el.Pruned {
			continue
		}
		sum, raw, err := digestOf(before)
		if err != nil {
			return err
		}
		object := "Secret " + b.id + "/" + b.storedName(sum)
		if err := storedLimits().CheckJSON(raw); err != nil { // an undo could not read it
			return &fault.Error{Class: fault.Check, Reason: "KeptValueTooLarge", Object: object, Seen: "the value to keep for an undo " + err.Error(), Wanted: "at most " + storedLimits().String()}
		}
		secret := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
			"metadata":   map[string]any{"name": b.storedName(sum), "labels": map[string]any{"app.kubernetes.io/managed-by": wellknown.FieldManager}},
			"stringData": map[string]any{storedKey: string(raw)}}}
		intent := journal.Intent{What: "keep a part of the configuration for an undo in " + object, Object: object, Token: sum}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := b.deps.Management.Resource(secrets).Namespace(b.id).Create(ctx, secret, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
			if apierrors.IsAlreadyExists(err) {
				return nil // from an earlier run: the name contains the digest of the content
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// storedLimits returns the limits of a stored value. An awsCloudProvider has 30 values.
func storedLimits() bounded.Limits { return bounded.Limits{Bytes: 256 << 10, Values: 1 << 12} }

// loadStored returns the stored value with a digest. It returns an error if the content does not
// match the digest.
func (b *Backend) loadStored(ctx context.Context, sha256 string) (any, error) {
	object := "Secret " + b.id + "/" + b.storedName(sha256)
	o, err := b.deps.Management.Resource(secrets).Namespace(b.id).Get(ctx, b.storedName(sha256), metav1.GetOptions{})
	if err != nil {
		return nil, migration.CouldNotRead(object, err)
	}
	var secret struct {
		Data map[string][]byte `json:"data"`
	}
	var value map[string]any
	raw, err := o.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(raw, &secret)
	}
	if err == nil {
		err = storedLimits().DecodeJSON(secret.Data[storedKey], &value)
	}
	if err == nil {
		var sum string
		if sum, _, err = digestOf(value); err == nil && (value == nil || sum != sha256) {
			err = fmt.Errorf("SHA-256 %s", sum)
		}
	}
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "KeptValueChanged", Object: object, Seen: "does not hold the value that awsmigrate stored",
			Wanted: "SHA-256 " + sha256, Fix: "restore awsCloudProvider by hand, then run again", Err: err}
	}
	return value, nil
}
