package runview

import (
	"bytes"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Differences are named, and an unread part does not count as unchanged.
func TestCompared(t *testing.T) {
	for want, c := range map[string]runner.Compared{
		"nodes unchanged: 6 (names, UIDs)":                         {Kind: "nodes", By: "names, UIDs", Same: 6, Of: 6},
		"nodes unchanged: 5 of 6 (names); different or gone: ip-1": {Kind: "nodes", By: "names", Same: 5, Of: 6, Others: []string{"ip-1"}},
		"nodes could not be compared: the services are away":       {Kind: "nodes", By: "names", Same: 6, Of: 6, Unread: "the services are away"},
		"load balancers unchanged: 0 (no Service of that type)":    {Kind: "load balancers", By: "no Service of that type"},
	} {
		if got := comparedText(c); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	var out bytes.Buffer
	writeCompared(console.NewScreen(console.Streams{}, &out), []runner.Compared{{Kind: "nodes", By: "names", Same: 1, Of: 1}, {Kind: "addresses of nodes", By: "first", Of: 6}, {Kind: "load balancers", Unread: "no"}})
	if want := "same   nodes unchanged: 1 (names)\ndiff   addresses of nodes unchanged: none of 6 (first); verify says what differs\nunread load balancers could not be compared: no\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	writeCompared(console.NewScreen(console.Streams{}, &out), []runner.Compared{{Kind: "nodes", Unread: "no journal"}, {Kind: "load balancers", Unread: "no journal"}})
	if want := "unread nodes and load balancers could not be compared: no journal\n"; out.String() != want {
		t.Errorf("a shared reason is printed once: %q", out.String())
	}
}
