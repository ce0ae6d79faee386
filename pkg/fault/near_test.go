package fault

import (
	"errors"
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	steps := []string{"install-ccm", "undo-install-ccm", "cordon", "uncordon", "verify", "lease-access"}
	for _, tt := range []struct {
		word  string
		known []string
		want  []string
	}{
		{"install-cmm", steps, []string{"install-ccm"}},
		{"Instal-CCM", steps, []string{"install-ccm"}},
		{"install", steps, []string{"install-ccm"}},
		{"cordno", steps, []string{"cordon"}},
		{"dmeo", []string{"demo", "prod"}, []string{"demo"}},
		{"prod-1", []string{"prod-2", "prod-3"}, []string{"prod-2", "prod-3"}},
		{"uncordon-nodes", steps, nil},
		{"", steps, nil},
		{"P9", []string{"P0", "P1", "P2", "P3", "P4", "P5"}, nil},
		{"dev", []string{"dex", "abc"}, []string{"dex"}},
		{"abc", []string{"xyc"}, nil},
		{"demo", nil, nil},
	} {
		if got := nearest(tt.word, tt.known); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := DidYouMean("prod-1", []string{"prod-3", "prod-2"}); got != "did you mean prod-2 or prod-3?" {
		t.Error(got)
	}
	if got := DidYouMean("other", []string{"prod"}); got != "" {
		t.Error(got)
	}
}

// The second of two errors counts if only it names what was meant.
func TestNearer(t *testing.T) {
	near, far, plain := &Error{Object: "near", Near: true}, &Error{Object: "far"}, errors.New("plain")
	for name, tt := range map[string]struct{ first, second, want error }{
		"only second near": {far, near, near},
		"both near":        {near, &Error{Near: true}, near},
		"only first near":  {near, far, near},
		"neither near":     {far, plain, far},
		"first unknown":    {plain, near, near},
		"second nil":       {far, nil, far},
	} {
		if got := Nearer(tt.first, tt.second); !errors.Is(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
