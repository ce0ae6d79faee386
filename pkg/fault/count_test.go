package fault

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 etcd members", 1: "1 etcd member", 6: "6 etcd members"} {
		if got := Count(n, "etcd member"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
