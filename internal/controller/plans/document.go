package plans

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// document is a published plan. It has the form of `awsmigrate rke2 plan -o json`, so that --plan
// accepts it. It omits parts that vary while the changes stay the same. The SHA-256 of its text
// is its name, so an approval covers every word.
type document struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Target     journal.Target `json:"target"`
	Hash       string         `json:"hash"` // covers only the changes, as on the command line
	// Edition counts the earlier editions whose published text was altered.
	Edition int `json:"edition,omitempty"`
	runner.WholePlan
}

// documentOf returns the first edition of a plan.
func documentOf(seen session.Assessment) (document, error) {
	hash, err := seen.Plan.Hash()
	doc := document{APIVersion: "awsmigrate.io/v1", Kind: "Plan", Target: seen.Target, Hash: hash, WholePlan: seen.Plan}
	doc.Steps = make([]runner.PlannedStep, 0, len(seen.Plan.Steps))
	for _, step := range seen.Plan.Steps {
		kind := step.State.Kind
		one := runner.PlannedStep{Info: step.Info, State: runner.State{Kind: kind}}
		if kind == runner.Todo || kind == runner.InProgress {
			one.Summary, one.Changes, one.Notes = step.Summary, step.Changes, step.Notes
		}
		doc.Steps = append(doc.Steps, one)
	}
	return doc, err
}

// encode returns the text of a document and the hash that approves it.
func (d document) encode() (text []byte, hash string, err error) {
	if text, err = json.MarshalIndent(d, "", " "); err != nil {
		return nil, "", fmt.Errorf("write a plan down: %w", err)
	}
	return text, hashOf(text), nil
}

func hashOf(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

const (
	// maxPlainPlan is the maximum size of a plan that is stored uncompressed, readable with kubectl,
	// in bytes.
	maxPlainPlan = 256 << 10
	packedSuffix = ".gz"
)

// keyOf returns the key of a plan with the given hash.
func keyOf(hash string) string { return strings.TrimPrefix(hash, "sha256:") + ".json" }

// read returns the plan under a key. It returns an error if the text does not match the key, or
// the key has two texts.
func read(stored *corev1.ConfigMap, key string) (document, error) {
	plain, is := stored.Data[key]
	text := []byte(plain)
	if binary, too := stored.BinaryData[key+packedSuffix]; too {
		if is {
			return document{}, fmt.Errorf("key %s has two texts", key)
		}
		var err error
		if text, err = runner.PlanLimits().Gunzip(binary); err != nil {
			return document{}, err
		}
	}
	if keyOf(hashOf(text)) != key {
		return document{}, fmt.Errorf("key %s has a text that it does not name", key)
	}
	var doc document
	err := runner.PlanLimits().DecodeJSON(text, &doc)
	return doc, err
}

// put stores a published text and replaces every text under its key.
func put(into *corev1.ConfigMap, hash string, text []byte) error {
	if err := runner.PlanLimits().CheckJSON(text); err != nil {
		return &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: "plan " + hash, Seen: err.Error(), Wanted: "at most " + runner.PlanLimits().String()}
	}
	delete(into.Data, keyOf(hash))
	delete(into.BinaryData, keyOf(hash)+packedSuffix)
	if len(text) <= maxPlainPlan {
		if into.Data == nil {
			into.Data = map[string]string{}
		}
		into.Data[keyOf(hash)] = string(text)
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
	into.BinaryData[keyOf(hash)+packedSuffix] = b.Bytes()
	return nil
}
