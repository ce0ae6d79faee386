// Package schemas writes docs/schema: JSON Schemas of the documents that the command line
// prints.
package schemas

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Folder holds the schemas, a file for each kind of document.
const Folder = "docs/schema"

// Files returns the schemas by path. Comments in the sources below root, the folder of the
// repository, become descriptions.
func Files(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	described := &comments{root: root, packages: map[string]bool{}, fields: map[string]string{}}
	for kind, document := range cli.Documents() {
		text, err := schemaOf(kind, document, described)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", kind, err)
		}
		files[Folder+"/"+kind+".json"] = text
	}
	return files, nil
}

// schemaOf returns the schema of a document of a kind.
func schemaOf(kind string, document any, described *comments) ([]byte, error) {
	names := &namer{types: map[string]reflect.Type{}}
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: special, Namer: names.name, LookupComment: described.of}
	schema := reflector.Reflect(document)
	schema.Title = kind
	schema.Properties.Set("apiVersion", &jsonschema.Schema{Const: view.APIVersion})
	schema.Properties.Set("kind", &jsonschema.Schema{Const: kind})
	text, err := json.Marshal(schema)
	if err := errors.Join(err, names.err, described.err); err != nil {
		return nil, err
	}
	var sorted any // by key: the order of fields in the code is of no account
	if err := json.Unmarshal(text, &sorted); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(sorted, "", "  ")
	return append(text, '\n'), err
}

// namer names definitions.
type namer struct {
	types map[string]reflect.Type // of structs, by name
	err   error
}

// name returns the name of a type's definition. Only structs have short names: the library
// looks for a definition of any type by its name, before it looks at the type.
func (n *namer) name(t reflect.Type) string {
	switch {
	case t.Name() == "":
		return ""
	case t.Kind() != reflect.Struct:
		return t.String()
	}
	name := cmp.Or(published()[t], t.Name())
	if other, known := n.types[name]; known && other != t {
		n.err = fmt.Errorf("types %s and %s have one name", t, other)
	}
	n.types[name] = t
	return name
}

// special returns the schema of a type that is written otherwise than its kind, or nil.
func special(t reflect.Type) *jsonschema.Schema {
	if values, closed := enums()[t]; closed {
		return &jsonschema.Schema{Type: "string", Enum: values}
	}
	if t != reflect.TypeFor[time.Time]() && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// enums returns the values of string types that have no other ones.
func enums() map[reflect.Type][]any {
	return map[reflect.Type][]any{
		reflect.TypeFor[runner.StateKind](): {runner.Todo, runner.InProgress, runner.Done, runner.Skipped, runner.Always},
		reflect.TypeFor[runner.Outcome](): {runner.WasDone, runner.WasSkipped, runner.Finished, runner.Planned,
			runner.Stopped, runner.Halted, runner.NotReached},
		reflect.TypeFor[naming.Basis]():           {naming.OfFile, naming.OfTools, naming.Unknown},
		reflect.TypeFor[access.Purpose]():         {access.Audit, access.Run},
		reflect.TypeFor[inventory.State]():        values(inventory.States()),
		reflect.TypeFor[wellknown.Distribution](): values(wellknown.Distributions()),
		reflect.TypeFor[rollout.WaveState]():      {rollout.WaveWaiting, rollout.WaveActive, rollout.WaveSoaking, rollout.WaveStopped, rollout.WaveDone},
		reflect.TypeFor[v1alpha1.Goal]():          {v1alpha1.GoalAudit, v1alpha1.GoalMigrate, v1alpha1.GoalUndo},
		reflect.TypeFor[verify.Status]():          {verify.OK, verify.Warn, verify.Fail, verify.Skip, verify.Unknown},
		reflect.TypeFor[runner.EventType](): {runner.RunStarted, runner.LockTaken, runner.StepDone, runner.StepSkipped,
			runner.StepStarted, runner.StepWaiting, runner.StepWarning, runner.StepFinished, runner.StepFailed,
			runner.RolloutPaused, runner.Interrupting, runner.HungUp, runner.RunFinished},
	}
}

func values[T any](list []T) []any {
	all := make([]any, len(list))
	for i, value := range list {
		all[i] = value
	}
	return all
}

// published returns the names of definitions whose types have another name in Go: a
// published name stays when code is renamed.
func published() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[verifyview.AuditTarget](): "auditTarget",
		reflect.TypeFor[view.FaultDocument]():     "faultDocument",
	}
}
