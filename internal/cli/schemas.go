package cli

import (
	"fmt"
	"reflect"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/schema"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

const module = "github.com/awsmigrate/awsmigrate"

// documents are all that the command line prints under -o other than text, by
// kind.
func documents() map[string]any {
	return map[string]any{
		"Plan": planDocument{}, "RunResult": runview.RunResultDocument{}, "Status": view.StatusDocument{}, "Explanation": view.Explanation{},
		"Version": versionInfo{}, "Error": view.ErrorDocument{}, "AuditReport": verifyview.AuditDocument{}, "Event": runview.EventDocument{},
		"ClusterList": view.ListDocument{}, "Access": verifyview.AccessDocument{}, "History": view.HistoryDocument{},
	}
}

// Schemas are the JSON Schemas of all documents, by file name. root is the
// folder of the sources, whose comments become descriptions.
func Schemas(root string) (map[string][]byte, error) {
	comments := map[string]string{}
	for _, pkg := range []string{"/internal/access", "/internal/build", "/internal/cli", "/internal/cli/view", "/internal/cli/view/runview", "/internal/cli/view/verifyview", "/internal/inventory", "/pkg/runner", "/pkg/runner/journal", "/pkg/verify", "/pkg/rke/naming"} {
		if err := schema.Comments(root, module, module+pkg, comments); err != nil {
			return nil, err
		}
	}
	files := map[string][]byte{}
	for kind, document := range documents() {
		generator := schema.Generator{Enums: enums(), Names: definitions(), Comments: comments, Consts: map[string]string{"apiVersion": view.APIVersion, "kind": kind}}
		text, err := generator.Of(kind, document)
		if err != nil {
			return nil, fmt.Errorf("kind %s: %w", kind, err)
		}
		files[kind+".json"] = text
	}
	return files, nil
}

// enums are the string types that machines may rely on having these values only.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[runner.StateKind](): names(runner.Todo, runner.InProgress, runner.Done, runner.Skipped, runner.Always),
		reflect.TypeFor[runner.Outcome](): names(runner.WasDone, runner.WasSkipped, runner.Finished, runner.Planned,
			runner.Stopped, runner.Halted, runner.NotReached),
		reflect.TypeFor[naming.Basis]():    names(naming.OfFile, naming.OfTools, naming.Unknown),
		reflect.TypeFor[access.Purpose]():  names(access.Audit, access.Run),
		reflect.TypeFor[inventory.State](): names(inventory.States()...),
		reflect.TypeFor[verify.Status]():   names(verify.OK, verify.Warn, verify.Fail, verify.Skip, verify.Unknown),
		reflect.TypeFor[runner.EventType](): names(runner.RunStarted, runner.LockTaken, runner.StepDone, runner.StepSkipped,
			runner.StepStarted, runner.StepWaiting, runner.StepWarning, runner.StepFinished, runner.StepFailed,
			runner.BrakePulled, runner.Interrupting, runner.HungUp, runner.RunFinished),
	}
}

func names[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}

// definitions are the names in the schemas of types that have another one in Go: a
// published name stays when code is renamed.
func definitions() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[verifyview.AuditTarget](): "auditTarget",
		reflect.TypeFor[view.FaultDocument]():     "faultDocument",
	}
}
