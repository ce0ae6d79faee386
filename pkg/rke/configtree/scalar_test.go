package configtree

import "testing"

func TestScalars(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1": 1, "-3": -3, "0x10": 16, "0o17": 15, "1.5": 1.5, "1e3": 1000, "9223372036854775808": 9223372036854775808} {
		if got, ok := Number(text); !ok || got != want {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "a", "NaN", "nan", "1,5", "1 "} {
		if got, ok := Number(text); ok {
			t.Errorf("%q is a number: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"true": true, "Yes": true, "ON": true, "y": true, "false": false, "No": false, "off": false, "N": false} {
		if got, ok := Bool(text); !ok || got != want {
			t.Errorf("%q: %t, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "1", "t", "0", "maybe"} {
		if _, ok := Bool(text); ok {
			t.Errorf("%q is a boolean", text)
		}
	}
}
