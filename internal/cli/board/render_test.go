package board

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden file: %v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: want (-), got (+):\n%s", path, diff)
	}
}

func TestGoldenFrames(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120, 200, 240} {
		for name, look := range map[string]Look{"": {Unicode: true}, "-ascii": {}, "-colour": {Unicode: true, Colour: true}} {
			look.Width = width
			text := strings.Join(Render(sample(), after(550), look), "\n") + "\n"
			golden(t, fmt.Sprintf("frame-%d%s.txt", width, name), strings.ReplaceAll(text, "\x1b", "␛"))
		}
	}
}

// Whoever sees the mark of a machine of which nothing shows what it runs finds what it
// means, by name and by number, and nowhere else.
func TestUnseenMachinesAreExplained(t *testing.T) {
	const why = "recorded once all have been visited"
	for states, want := range map[string]bool{"?>?": true, "x??": true, "xxx": false, "x>.": false} {
		for _, width := range []int{40, 60, 120, 240} {
			s := sample().After(rolling(550, states, "...", nil))
			text := strings.Join(strings.Fields(strings.Join(Render(s, after(551), Look{Unicode: true, Width: width}), " ")), " ")
			if strings.Contains(text, why) != want {
				t.Errorf("%s in %d columns: %s", states, width, text)
			}
			counts := renderer{State: s, setter: newSetter(Look{Unicode: true, Width: width}), now: after(551)}.counts()
			if strings.Contains(strings.Join(strings.Fields(strings.Join(counts, " ")), " "), why) != want {
				t.Errorf("%s by number in %d columns: %v", states, width, counts)
			}
		}
	}
}
