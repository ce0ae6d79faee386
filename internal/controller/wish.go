package controller

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// freeFields returns the fields of a spec that may change during a block of steps, with the
// reason. A change of any other field, including fields added later, ends the block before its
// next step.
func freeFields() map[string]string {
	return map[string]string{"spec.windows": "a window decides when a block begins, and never cuts one"}
}

// changesSince describes how an object differs from the one for which a block was started, or
// returns "" if the whole specs are equal.
func changesSince(begun, now *v1alpha1.ClusterMigration) (string, error) {
	switch {
	case now.UID != begun.UID:
		return "was created again", nil
	case now.DeletionTimestamp != nil:
		return "is being deleted", nil
	}
	before, err := fieldsOf(begun.Spec)
	if err != nil {
		return "", err
	}
	after, err := fieldsOf(now.Spec)
	if err != nil {
		return "", err
	}
	changed := changedFields("spec", before, after)
	changed = slices.DeleteFunc(changed, func(field string) bool { return freeFields()[field] != "" })
	if len(changed) == 0 {
		return "", nil
	}
	return "has changed " + strings.Join(changed, ", ") + " since this block of steps began", nil
}

// fieldsOf returns a spec as an API server stores it. An empty goal equals Audit.
func fieldsOf(spec v1alpha1.ClusterMigrationSpec) (map[string]any, error) {
	spec.Goal = spec.Goal.OrDefault()
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("read the spec of a ClusterMigration: %w", err)
	}
	var fields map[string]any
	return fields, json.Unmarshal(text, &fields)
}

// changedFields names the fields with different values, those of options individually. It names
// no values, because they may be secret.
func changedFields(at string, before, after map[string]any) []string {
	keys := map[string]any{}
	maps.Copy(keys, before)
	maps.Copy(keys, after)
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		field := at + "." + key
		switch {
		case reflect.DeepEqual(before[key], after[key]):
		case field == "spec.options":
			from, _ := before[key].(map[string]any)
			to, _ := after[key].(map[string]any)
			changed = append(changed, changedFields(field, from, to)...)
		default:
			changed = append(changed, field)
		}
	}
	return changed
}
