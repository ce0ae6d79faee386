package plans

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// mostMemory is the maximum memory for decoding one plan, including garbage.
const mostMemory = 104 << 20

func packedPlan(t *testing.T, text string) *corev1.ConfigMap {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &corev1.ConfigMap{BinaryData: map[string][]byte{packedKey(text) + packedSuffix: b.Bytes()}}
}

func packedKey(text string) string { return keyOf(hashOf([]byte(text))) }

func planOfSize(n int) string {
	return `{"steps":[{}` + strings.Repeat(",{}", n-1) + `]}`
}

func TestRead_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	at := runner.PlanLimits().Values - 2
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"steps at the limit": {planOfSize(at), false},
		"steps beyond":       {planOfSize(10 * at), true},
		"changes beyond":     {`{"steps":[{"changes":[{}` + strings.Repeat(",{}", 10*at) + `]}]}`, true},
		"a text beyond":      {`{"hash":"` + strings.Repeat("a", 10*runner.PlanLimits().Bytes) + `"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			cm := packedPlan(t, tt.text)
			var err error
			used := faulty.Allocated(func() { _, err = read(cm, packedKey(tt.text)) })
			t.Logf("%d MB: %v", used>>20, err)
			if used > mostMemory || bounded.Exceeded(err) != tt.refused || err != nil && !tt.refused {
				t.Errorf("%d MB, %v", used>>20, err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(planOfSize(3)))
	f.Add([]byte(planOfSize(10 * runner.PlanLimits().Values)))
	f.Fuzz(func(t *testing.T, text []byte) {
		cm := packedPlan(t, string(text))
		if used := faulty.Allocated(func() { _, _ = read(cm, packedKey(string(text))) }); used > mostMemory {
			t.Errorf("%d MB for %d bytes", used>>20, len(text))
		}
	})
}

// A plan that could not be read again is not written.
func TestPut_moreThanReadable_isTooLarge(t *testing.T) {
	var cm corev1.ConfigMap
	doc := document{WholePlan: runner.WholePlan{Steps: make([]runner.PlannedStep, runner.PlanLimits().Values)}}
	text, hash, err := doc.encode()
	if err != nil {
		t.Fatal(err)
	}
	err = put(&cm, hash, text)
	if !fault.HasReason(err, reasonPlanTooLarge) || len(cm.Data)+len(cm.BinaryData) > 0 {
		t.Errorf("%v", err)
	}
}
