package rkestate

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const maxMemory = 128 << 20

func hostsOf(n int) string {
	return `{"desiredState":{"rkeConfig":{"nodes":[{}` + strings.Repeat(",{}", n-1) + `]}}}`
}

func TestParse_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	at := limits().Values - 4
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"hosts at the limit": {hostsOf(at), false},
		"hosts beyond":       {hostsOf(10 * at), true},
		"bytes beyond":       {`{"a":"` + strings.Repeat("a", 10*limits().Bytes) + `"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() { _, err = Parse("Secret a/b", []byte(tt.text)) })
			t.Logf("%d MB: %v", used>>20, err)
			if used > maxMemory || !tt.refused && err != nil {
				t.Errorf("%d MB, %v", used>>20, err)
			}
			if tt.refused {
				faulty.WantClass(t, err, fault.CouldNotLook, "Secret a/b", "has more than", limits().String())
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(hostsOf(2)))
	f.Add([]byte(`{"currentState":{"rkeConfig":{"a":[[],{}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if used := faulty.Allocated(func() { _, _ = Parse("o", text) }); used > maxMemory {
			t.Errorf("%d MB for %d bytes", used>>20, len(text))
		}
	})
}
