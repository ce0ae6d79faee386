package node

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A shut gate blocks every caller, and an opened one releases them all.
func TestGate(t *testing.T) {
	var g gate
	if !g.pass(t.Context()) || g.isShut() {
		t.Error("a new gate is shut")
	}
	g.shut()
	g.shut()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if g.pass(gone) || !g.isShut() {
		t.Error("passed a gate that is shut")
	}
	passed := make(chan bool)
	go func() { passed <- g.pass(t.Context()) }()
	g.open()
	g.open()
	if !<-passed || g.isShut() {
		t.Error("did not pass a gate that was opened")
	}
}

// A container that ends while its kubelet is frozen is restarted once the kubelet continues.
func TestNothingStartsUnderAFrozenKubelet(t *testing.T) {
	s := script(t, corev1.RestartPolicyAlways)
	first := s.next(t)
	s.kubelet.shut()
	first.end(1)
	s.until(t, "ended", func(x taskState) bool { return !x.Running && x.Last != nil })
	select {
	case <-s.starts:
		t.Fatal("started again by a frozen kubelet")
	default:
	}
	s.kubelet.open()
	s.next(t)
}

// A process that its kubelet no longer knows is not restarted.
func TestLeftProcessEndsForGood(t *testing.T) {
	s := script(t, corev1.RestartPolicyAlways)
	first := s.next(t)
	s.left.Store(true)
	first.end(1)
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		t.Fatal("it did not end")
	}
	if len(s.starts) > 0 || !s.snapshot().Ended {
		t.Errorf("%d further starts, %+v", len(s.starts), s.snapshot())
	}
}
