package terminal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/cli/board"
)

// The screen shows the last printed lines, below them the last frame alone, and the cursor at its
// beginning. That holds for any sequence of drawing, printing and resizing.
func TestPainter_anySequence_showsOneFrame(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		at := New(40+random.IntN(200), 30)
		painter := board.Painter{Screen: at}
		var stay []string
		for step := range 40 {
			switch random.IntN(5) {
			case 0:
				painter.Clear()
				line := fmt.Sprintf("line %d %s", len(stay), strings.Repeat("x", 1+random.IntN(20)))
				stay = append(stay, line)
				fmt.Fprintln(at, line)
			case 1:
				at.Resize(40 + random.IntN(200))
			}
			frame := frameOf(random, at.Width())
			painter.Draw(frame, at.Width())
			want := append(slices.Clone(stay), frame...)
			got := at.Lines()
			for len(got) > 0 && got[len(got)-1] == "" {
				got = got[:len(got)-1]
			}
			if missing := len(want) - at.Height(); missing > 0 {
				want = want[missing:]
			}
			if len(got) < len(want) && len(stay) > 0 { // an earlier, taller frame has moved lines out of sight
				want = want[len(want)-len(got):]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, step %d: wanted (-), seen (+):\n%s", seed, step, diff)
			}
			if line, column := at.Cursor(); line != len(got)-len(frame) || column != 0 {
				t.Fatalf("seed %d, step %d: the cursor is at line %d, column %d of %d lines", seed, step, line, column, len(got))
			}
		}
		painter.Clear()
		if seen := strings.TrimRight(strings.Join(at.Lines(), "\n"), "\n"); strings.Contains(seen, "frame") {
			t.Fatalf("seed %d: left behind:\n%s", seed, seen)
		}
	}
}

// frameOf returns some lines, including full ones.
func frameOf(random *rand.Rand, width int) []string {
	frame := make([]string, 1+random.IntN(8))
	for i := range frame {
		text := fmt.Sprintf("frame %d ", random.IntN(1000))
		frame[i] = text + strings.Repeat("=", random.IntN(width-len(text))+1)
		if random.IntN(3) == 0 {
			frame[i] = text + strings.Repeat("#", width-len(text))
		}
	}
	return frame
}
