package target

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// fileLimits are the limits of a file that a flag names. Chart values and cloud configs have less
// than 100 kB and 2,000 values.
func fileLimits() bounded.Limits { return bounded.Limits{Bytes: 1 << 20, Values: 1 << 15} }

func readFileFlag(flag, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := fileLimits().ReadFile(path)
	if bounded.Exceeded(err) {
		return "", &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag " + flag, Seen: path + " " + err.Error(), Wanted: fmt.Sprintf("at most %d bytes", fileLimits().Bytes)}
	}
	if err != nil {
		return "", &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag " + flag, Seen: "file " + path + " cannot be read", Fix: "correct the path after " + flag, Err: err}
	}
	return string(text), nil
}

// ReadYAMLFile returns the text of a file that a flag names. It returns an error if the text exceeds
// the limits of such files.
func ReadYAMLFile(flag, path string) (string, error) {
	text, err := readFileFlag(flag, path)
	if err != nil {
		return "", err
	}
	if err := fileLimits().CheckYAML([]byte(text)); err != nil {
		return "", &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag " + flag, Seen: path + " " + err.Error(), Wanted: "at most " + fileLimits().String()}
	}
	return text, nil
}

// readValues merges value files in order, later ones winning, as Helm does.
func readValues(paths []string) (map[string]any, error) {
	merged := map[string]any{}
	for _, path := range paths {
		text, err := readFileFlag("--values", path)
		if err != nil {
			return nil, err
		}
		if err := fileLimits().CheckYAML([]byte(text)); err != nil {
			return nil, &fault.Error{Class: fault.Usage, Reason: "InvalidValues", Object: "values file " + path, Seen: err.Error(), Wanted: "at most " + fileLimits().String()}
		}
		var values map[string]any
		if err := yaml.UnmarshalStrict([]byte(text), &values); err != nil {
			return nil, &fault.Error{Class: fault.Usage, Reason: "InvalidValues", Object: "values file " + path, Seen: "not a YAML map", Err: err}
		}
		mergeValues(merged, values)
	}
	return merged, nil
}

func mergeValues(into, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		have, haveMap := into[key].(map[string]any)
		if isMap && haveMap {
			mergeValues(have, inner)
			continue
		}
		into[key] = value
	}
}
