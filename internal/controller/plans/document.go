package plans

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

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
	// plainPlan is how large a plan is kept readable with kubectl, in bytes.
	plainPlan = 256 << 10
	packed    = ".gz"
)

// keyOf is the key of a plan by its hash.
func keyOf(hash string) string { return strings.TrimPrefix(hash, "sha256:") + ".json" }

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
