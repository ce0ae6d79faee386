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
