package controller

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Two processes with the same identity both lead. So only processes of one container share it,
// because they never run at the same time.
func TestCandidate(t *testing.T) {
	desk := session.Actor{User: "ann", Host: "desk"}
	pod := func(uid string) session.Actor {
		return session.Actor{User: "65534", Host: "awsmigrate-7f", Pod: lock.Pod{UID: uid, Container: "awsmigrate"}}
	}
	for name, c := range map[string]struct {
		one, other         session.Actor
		onePID, anotherPID int
		same               bool
	}{
		"two processes of a desk":          {desk, desk, 10, 11, false},
		"the next process of a pod":        {pod("a"), pod("a"), 1, 1, true},
		"another process in the container": {pod("a"), pod("a"), 1, 20, true},
		"two pods on one host's network":   {pod("a"), pod("b"), 1, 1, false},
	} {
		if same := candidate(c.one, c.onePID) == candidate(c.other, c.anotherPID); same != c.same {
			t.Errorf("%s: the same name: %t", name, same)
		}
	}
}

// A process that ends must not sound as if its rollouts were still watched.
func TestStoppedText(t *testing.T) {
	if text := stoppedText(true); !strings.Contains(text, "neither watched nor paused") {
		t.Error(text)
	}
	if text := stoppedText(false); !strings.Contains(text, "of this process continue") {
		t.Error(text)
	}
}
