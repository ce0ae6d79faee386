package rke

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v2"
)

// Decode parses cluster.yml as rke does, with yaml.v2 and not strictly. Unknown keys are
// dropped. A repeated key of a struct is merged; of a map the last one wins. Documents after
// the first are ignored (rancher/rke:cluster/cluster.go ParseConfig@v1.5.10).
func Decode(text []byte) (Config, error) {
	var c Config
	if err := yaml.Unmarshal(text, &c); err != nil {
		return c, err
	}
	// The further passes of rke's that decode into generic maps fail on some files
	// that the first accepts.
	var generic map[string]any
	if err := yaml.Unmarshal(text, &generic); err != nil {
		return c, fmt.Errorf("error unmarshalling: %w", err)
	}
	return c, nil
}

// clone returns a deep copy.
func (c Config) clone() Config {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // a Config always encodes
	}
	var out Config
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}
