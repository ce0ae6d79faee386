package plans

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
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
		var err error
		if text, err = runner.PlanLimits().Gunzip(binary); err != nil {
			return document{}, err
		}
	}
	var doc document
	err := runner.PlanLimits().DecodeJSON(text, &doc)
	return doc, err
}

func put(into *corev1.ConfigMap, doc document) error {
	text, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return fmt.Errorf("write a plan down: %w", err)
	}
	if err := runner.PlanLimits().CheckJSON(text); err != nil {
		return &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: "plan " + doc.Hash, Seen: err.Error(), Wanted: "at most " + runner.PlanLimits().String()}
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
