package rollouts

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// readManifest returns the rollout of a manifest. It refuses fields that the kind does not have,
// and values that the API server would refuse.
func readManifest(path string) (*v1alpha1.MigrationRollout, error) {
	text, err := target.ReadYAMLFile("--file", path)
	if err != nil {
		return nil, err
	}
	document, err := onlyDocument(text)
	if err != nil {
		return nil, invalidManifest(path, "one MigrationRollout", err)
	}
	r, err := decode(document)
	if err != nil {
		return nil, invalidManifest(path, "a MigrationRollout of "+v1alpha1.SchemeGroupVersion.String(), err)
	}
	if wrong := validate(r); len(wrong) > 0 {
		return nil, invalidManifest(path, "values that the kind allows", wrong.ToAggregate())
	}
	return r, nil
}

func invalidManifest(path, wanted string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: "InvalidManifest", Object: "file " + path, Seen: "is no valid manifest", Wanted: wanted, Err: err}
}

// onlyDocument returns the YAML document of a text that has no other.
func onlyDocument(text string) ([]byte, error) {
	var found [][]byte
	for in := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text))); ; {
		document, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if !isBlank(document) {
			found = append(found, document)
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("it is empty")
	case 1:
		return found[0], nil
	}
	return nil, errors.New("it has several documents")
}

// isBlank reports whether a document has only comments.
func isBlank(document []byte) bool {
	for line := range bytes.Lines(document) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && string(line) != "---" {
			return false
		}
	}
	return true
}

// rolloutName is the kind of a rollout.
const rolloutName = "MigrationRollout"

func decode(document []byte) (*v1alpha1.MigrationRollout, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	object, found, err := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true}).Decode(document, nil, nil)
	if found != nil && found.Kind != "" && found.Kind != rolloutName { // its unknown fields mean nothing
		return nil, errors.New("its kind is " + found.Kind)
	}
	if err != nil {
		return nil, err
	}
	r, is := object.(*v1alpha1.MigrationRollout)
	if !is {
		return nil, errors.New("its kind is not " + rolloutName)
	}
	return r, nil
}

// validate returns the violated rules of the kind and of its metadata.
func validate(r *v1alpha1.MigrationRollout) field.ErrorList {
	wrong := r.Validate()
	if r.Name == "" {
		wrong = append(wrong, field.Required(field.NewPath("metadata", "name"), ""))
	}
	return wrong
}
