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

// document is a plan as it is published: as `awsmigrate rke2 plan -o json` prints it, so
// that --plan takes it, without what changes while everything that is written stays the
// same. Its name is the SHA-256 of its text: an approval covers every word.
type document struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Target     journal.Target `json:"target"`
	Hash       string         `json:"hash"` // of what is written alone, as the command line names a plan
	// Edition counts the changed texts that were found under the names of earlier editions.
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

// published returns the text of a document, and the hash by which it is approved.
func (d document) published() (text []byte, hash string, err error) {
	if text, err = json.MarshalIndent(d, "", " "); err != nil {
		return nil, "", fmt.Errorf("write a plan down: %w", err)
	}
	return text, hashOf(text), nil
}

func hashOf(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

const (
	// plainPlan is how large a plan is kept readable with kubectl, in bytes.
	plainPlan = 256 << 10
	packed    = ".gz"
)

// keyOf is the key of a plan by its hash.
func keyOf(hash string) string { return strings.TrimPrefix(hash, "sha256:") + ".json" }

// read returns the plan under a key. A text that is not the one that the key names is an
// error, and so are two texts.
func read(stored *corev1.ConfigMap, key string) (document, error) {
	plain, is := stored.Data[key]
	text := []byte(plain)
	if binary, too := stored.BinaryData[key+packed]; too {
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

// put adds a published text, in place of every text under its key.
func put(into *corev1.ConfigMap, hash string, text []byte) error {
	if err := runner.PlanLimits().CheckJSON(text); err != nil {
		return &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: "plan " + hash, Seen: err.Error(), Wanted: "at most " + runner.PlanLimits().String()}
	}
	delete(into.Data, keyOf(hash))
	delete(into.BinaryData, keyOf(hash)+packed)
	if len(text) <= plainPlan {
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
	into.BinaryData[keyOf(hash)+packed] = b.Bytes()
	return nil
}
