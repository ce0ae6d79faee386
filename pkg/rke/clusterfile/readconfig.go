package clusterfile

import (
	"bytes"

	yaml2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// readConfig decodes as rke does: with yaml.v2 into structures, so that duplicates are merged,
// arguments keep their text and booleans must be booleans
// (rancher/rke:cluster/cluster.go@v1.5.9 ParseConfig).
func readConfig(written []byte) (Config, *refusal) {
	var c Config
	var other struct {
		CloudProvider otherProviders `yaml:"cloud_provider"`
	}
	text, err := asRKEPrepares(written)
	if err == nil {
		err = yaml2.Unmarshal(text, &other)
	}
	if err == nil {
		err = yaml2.Unmarshal(text, &c)
	}
	if err != nil {
		r := &refusal{
			reason: ReasonNotForRKE, line: yamltext.ErrorLine(err), seen: "rke cannot read it", wanted: "values of the kinds that rke takes", err: yamltext.OneLine(err),
		}
		if len(text) > 0 && !bytes.Equal(text, written) {
			r.line = 0 // a line of the encoded text, not of the file
		}
		return Config{}, r
	}
	c.SystemImagesKubernetes = c.SystemImages["kubernetes"]
	c.CloudProvider.Blocks = other.CloudProvider.names()
	return c, nil
}

// asRKEPrepares returns the text that rke decodes. It is the file's text except with a custom
// encryption configuration. rke then removes that and encodes the rest again through JSON, so
// that 1.50 becomes 1.5 and yes becomes true
// (rancher/rke:cluster/encryption.go@v1.5.9 resolveCustomEncryptionConfig).
func asRKEPrepares(text []byte) ([]byte, error) {
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	services, _ := all["services"].(map[string]any)
	api, _ := services["kube-api"].(map[string]any)
	encryption, _ := api["secrets_encryption_config"].(map[string]any)
	if custom, _ := encryption["custom_config"].(map[string]any); custom == nil {
		return text, nil
	}
	delete(encryption, "custom_config")
	return yaml.Marshal(all)
}
