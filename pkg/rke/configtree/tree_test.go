package configtree

import "testing"

func TestOf(t *testing.T) {
	tree := Of([]byte("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\nc: {p: 1}\nc: {q: 2}\nd: 1\nd: 2\ne: *x\nf: ~\n"))
	if got := In(tree, "b"); got["k"] != Text("1") || got["l"] != Text("3") {
		t.Errorf("merge key: %v", got)
	}
	if got := In(tree, "c"); got["p"] != Text("1") || got["q"] != Text("2") {
		t.Errorf("duplicates: %v", got)
	}
	if tree["d"] != Text("2") || In(tree, "e")["k"] != Text("1") || tree["f"] != nil {
		t.Errorf("%v", tree)
	}
	if got := Of([]byte("a: &a [*a]\nb: &b {<<: *b, c: 1}\n")); In(got, "b")["c"] != Text("1") {
		t.Errorf("an anchor inside itself: %v", got)
	}
	for _, none := range []string{"", "- a", "\t", "a"} {
		if got := Of([]byte(none)); got != nil {
			t.Errorf("%q: %v", none, got)
		}
	}
}
