package sample

import "testing"

func TestTested(t *testing.T) {
	if !Tested(1, 2) || Tested(2, 2) || Tested(2, 1) {
		t.Error("not below")
	}
}

func TestAbove(t *testing.T) {
	if !Above(4) || Above(-1) {
		t.Error("what is below counts wrong")
	}
}
