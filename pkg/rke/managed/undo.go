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

// takeBack returns the edit that takes back the newest edit of a step that is still in
// force. If the configuration has something of the step that no inverse takes back, it
// returns an error that says so.
func (b *Backend) takeBack(ctx context.Context, seen migration.Snapshot, config map[string]any, step journal.StepID) (Edit, error) {
	for _, intent := range seen.Record.ToTakeBack(step, clusterOf(seen).object()) {
		inverse, err := parseInverses(intent.Inverse)
		if err != nil {
			return Edit{}, seen.Record.Foreign(intent, err)
		}
		edit, err := TakeBack(clusterOf(seen).object(), config, inverse, func(sha256 string) (any, error) { return b.kept(ctx, sha256) })
		if err != nil || !edit.Empty() {
			return edit, err
		}
	}
	if found := inForce(config, step); found != "" {
		return Edit{}, rke.NoEditToUndo(clusterOf(seen).object(), found, step,
			"put the values from before "+string(step)+" back in Rancher, by hand or from a backup; then run again")
	}
	return Edit{Config: config}, nil
}

// inForce describes what a configuration has of an editing step, or returns "" if it has
// nothing of it.
func inForce(config map[string]any, step journal.StepID) string {
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

// keptName is the Secret that keeps a part of the configuration from before an
// edit: it may hold credentials, and the journal must not.
func (b *Backend) keptName(sha256 string) string {
	return journal.Name(b.id) + "-" + sha256[:12]
}

const keptKey = "value.json"

// keep puts away what an edit takes out and the journal may not hold.
func (b *Backend) keep(ctx context.Context, tx *runner.Tx, edit Edit) error {
	for _, el := range edit.Elements {
		before, isMap := el.Before.(map[string]any)
		if !isMap || el.Pruned {
			continue
		}
		sum, raw, err := digestOf(before)
		if err != nil {
			return err
		}
		object := "Secret " + b.id + "/" + b.keptName(sum)
		if err := keptLimits().CheckJSON(raw); err != nil { // an undo could not read it
			return &fault.Error{Class: fault.Check, Reason: "KeptValueTooLarge", Object: object, Seen: "the value to keep for an undo " + err.Error(), Wanted: "at most " + keptLimits().String()}
		}
		secret := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
			"metadata":   map[string]any{"name": b.keptName(sum), "labels": map[string]any{"app.kubernetes.io/managed-by": wellknown.FieldManager}},
			"stringData": map[string]any{keptKey: string(raw)}}}
		intent := journal.Intent{What: "keep a part of the configuration for an undo in " + object, Object: object, Token: sum}
		if err := tx.Effect(ctx, intent, func(ctx context.Context) error {
			_, err := b.deps.Management.Resource(secrets).Namespace(b.id).Create(ctx, secret, metav1.CreateOptions{FieldManager: wellknown.FieldManager})
			if apierrors.IsAlreadyExists(err) {
				return nil // of an earlier run: its name is the content's digest
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// keptLimits are the limits of what is kept. An awsCloudProvider has 30 values.
func keptLimits() bounded.Limits { return bounded.Limits{Bytes: 256 << 10, Values: 1 << 12} }

// kept finds it again, and trusts nothing but its digest.
func (b *Backend) kept(ctx context.Context, sha256 string) (any, error) {
	object := "Secret " + b.id + "/" + b.keptName(sha256)
	o, err := b.deps.Management.Resource(secrets).Namespace(b.id).Get(ctx, b.keptName(sha256), metav1.GetOptions{})
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
		err = keptLimits().DecodeJSON(secret.Data[keptKey], &value)
	}
	if err == nil {
		var sum string
		if sum, _, err = digestOf(value); err == nil && (value == nil || sum != sha256) {
			err = fmt.Errorf("SHA-256 %s", sum)
		}
	}
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "KeptValueChanged", Object: object, Seen: "does not hold what awsmigrate put there",
			Wanted: "SHA-256 " + sha256, Fix: "put awsCloudProvider back by hand as it was, then run again", Err: err}
	}
	return value, nil
}
