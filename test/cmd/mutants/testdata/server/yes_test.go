package server

import "testing"

func TestYes(t *testing.T) {
	if !Yes() {
		t.Error("no")
	}
}
