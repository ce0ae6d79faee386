package yamltext

import "testing"

// No splice of this package breaks the rule, so the test breaks it by hand.
func TestIntact(t *testing.T) {
	before := newSource([]byte("a\nb\nc\n"))
	for _, c := range []struct {
		what, after string
		origins     []int
		ok          bool
	}{
		{"same", "a\nb\nc\n", []int{0, 1, 2}, true},
		{"one less", "a\nc\n", []int{0, 2}, true},
		{"one more", "a\nx\nb\nc\n", []int{0, added, 1, 2}, true},
		{"another text", "a\nB\nc\n", []int{0, 1, 2}, false},
		{"another break", "a\nb\r\nc\n", []int{0, 1, 2}, false},
		{"no last break", "a\nb\nc", []int{0, 1, 2}, false},
		{"another order", "b\na\nc\n", []int{1, 0, 2}, false},
		{"twice", "a\n" + "a\nb\nc\n", []int{0, 0, 1, 2}, false},
		{"lines without an origin", "a\nb\nc\nd\n", []int{0, 1, 2}, false},
	} {
		if err := intact(before, newSource([]byte(c.after)), c.origins); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// Each of the two decoders must be able to reject an edit.
func TestProve_otherMeaning_error(t *testing.T) {
	doc := func(text string) *Document {
		d, err := Parse("test", []byte(text), Reader{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	set := Set("external-aws", Plain, "cloud_provider", "name")
	before := doc("cloud_provider:\n  name: aws\nx: 1.50\ny: &a b\nz: [~, q]\n")
	for after, ok := range map[string]bool{
		"cloud_provider:\n  name: external-aws\nx: 1.50\ny: &a b\nz: [~, q]\n":           true,
		"cloud_provider: {name: 'external-aws'}\nz: [null, q]\ny: &a b\nx: 1.50\n":       true,
		"cloud_provider:\n  name: aws\nx: 1.50\ny: &a b\nz: [~, q]\n":                    false,
		"cloud_provider:\n  name: external-aws\nx: 1.5\ny: &a b\nz: [~, q]\n":            false, // yaml.v2 reads the same number
		"cloud_provider:\n  name: external-aws\nx: 1.50\ny: b\nz: [~, q]\n":              false,
		"cloud_provider:\n  name: external-aws\nx: 1.50\ny: &a b\nz: [q]\n":              false,
		"cloud_provider:\n  name: external-aws\nx: 1.50\ny: &a b\nz: ['', q]\n":          false,
		"cloud_provider:\n  name: external-aws\n  w: 1\nx: 1.50\ny: &a b\nz: [~, q]\n":   false,
		"cloud_provider:\n  name: external-aws\nx: \"1.50\"\ny: &a b\nz: [~, q]\n":       false,
		"cloud_provider:\n  name: external-aws\nx: 1.50\ny: &a b\nz: [~, q]\nz2: null\n": false,
	} {
		if err := prove(before, doc(after), set); (err == nil) != ok {
			t.Errorf("%v for\n%s", err, after)
		}
	}
}
