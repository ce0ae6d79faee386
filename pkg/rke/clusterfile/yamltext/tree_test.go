package yamltext

import "testing"

// The proof of an edit compares dumps. Texts with different meanings must differ, and the order
// of keys alone must not matter.
func TestDump_otherMeaning_differs(t *testing.T) {
	texts := []string{
		"a: {}", "a: []", "a: ''", "a: '1'", "a: 1", "a: true", "a: 'true'", "b: {}",
		"a: [x]", "a: [y]", "a: [x, y]", "a: [y, x]", "a: [[x]]", "a: [{x: y}]", "a: {x: y}", "a: {x: z}", "a: {x: y, z: x}", "a: {x: [y]}",
	}
	dumps := func(text string) (both [2]string) {
		t.Helper()
		d, err := Parse("x.yml", []byte(text+"\n"), Reader{})
		if err != nil {
			t.Fatal(text, err)
		}
		for i, as := range dialects() {
			both[i] = dump(as.of(d))
		}
		return both
	}
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			for decoder, one := range dumps(a) {
				if one == dumps(b)[decoder] {
					t.Errorf("decoder %d: %q and %q look the same", decoder, a, b)
				}
			}
		}
	}
	if dumps("a: {x: y, z: w}") != dumps("a: {z: w, x: y}") {
		t.Error("the order of keys makes a difference")
	}
}
