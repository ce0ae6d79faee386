package board

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list without blanks breaks between its items, and a name only if no line has room for it.
func TestLines_longWord_brokenBetweenItems(t *testing.T) {
	for text, want := range map[string]string{
		"node(s) demo-workers-78645497b-4sx5w,demo-workers-78645497b-7ggqw": "seen node(s)\n  demo-workers-78645497b-4sx5w,\n  demo-workers-78645497b-7ggqw",
		"https://rancher.example/k8s/clusters/c-m-4779cm29/api/v1/nodes":    "seen https://rancher.example/k8s/\n  clusters/c-m-4779cm29/api/v1/nodes",
	} {
		got := newSetter(Look{Width: 40, Unicode: true}).lines("seen", 9, words(text, none, 0))
		if diff := cmp.Diff(strings.Split(want, "\n"), got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	}
}
