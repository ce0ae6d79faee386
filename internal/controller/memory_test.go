package controller

import "testing"

func TestTight(t *testing.T) {
	for _, tt := range []struct {
		limit int64
		used  uint64
		want  bool
	}{{0, 1 << 40, false}, {1000, 899, false}, {1000, 900, true}, {1000, 2000, true}} {
		if got := (Options{Memory: tt.limit}).tight(tt.used); got != tt.want {
			t.Errorf("%d of %d: %t", tt.used, tt.limit, got)
		}
	}
	if used := inUse(); used < 1<<20 || used > 1<<40 {
		t.Errorf("%d bytes are in use", used)
	}
}
