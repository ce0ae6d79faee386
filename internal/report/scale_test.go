package report

import (
	"testing"
	"time"
)

// A record of hours shows the seconds in which something happens, in order.
func TestScaleCutsWhatIsQuiet(t *testing.T) {
	until := noon.Add(8 * time.Hour)
	some := []time.Time{noon.Add(4 * time.Hour), noon.Add(4*time.Hour + 15*time.Second)}
	s := newScale(noon, until, 100, 800, some)
	if len(s.pieces) != 5 || !s.pieces[1].cut || !s.pieces[3].cut {
		t.Fatalf("pieces %+v", s.pieces)
	}
	if width := s.at(some[1]) - s.at(some[0]); width < 50 {
		t.Errorf("15 s of 8 h are %.1f pixels wide", width)
	}
	last := 0.0
	for at := noon; !at.After(until); at = at.Add(time.Minute) {
		if x := s.at(at); x < last || x < 100 || x > 800.001 {
			t.Fatalf("%s is at %.1f, behind %.1f", at, x, last)
		} else {
			last = x
		}
	}
	if x := s.at(until.Add(time.Hour)); x < 799.9 || x > 800.1 {
		t.Errorf("what is later is at %.1f", x)
	}
}

func TestScaleOfShortAndBusyRecords(t *testing.T) {
	var busy []time.Time
	for i := range 480 {
		busy = append(busy, noon.Add(time.Duration(i)*time.Minute))
	}
	for name, s := range map[string]scale{
		"a minute": newScale(noon, after(60), 100, 800, nil),
		"busy":     newScale(noon, noon.Add(8*time.Hour), 100, 800, busy),
		"a moment": newScale(noon, noon, 100, 800, nil),
		"nothing":  newScale(time.Time{}, time.Time{}, 100, 800, nil),
	} {
		if len(s.pieces) != 1 {
			t.Errorf("%s: pieces %+v", name, s.pieces)
		}
		s.ticks()
	}
}

// Ticks are round moments with room for their text, of any length of a record.
func TestTicks(t *testing.T) {
	for _, length := range []time.Duration{2 * time.Second, 17 * time.Second, time.Minute, 40 * time.Minute, 7 * time.Hour, 9 * 24 * time.Hour, 400 * 24 * time.Hour, 90_000 * time.Hour} {
		s := newScale(noon.Add(300*time.Millisecond), noon.Add(length), 100, 800, nil)
		ticks := s.ticks()
		if len(ticks) == 0 || len(ticks) > 12 {
			t.Errorf("%s: %d ticks", length, len(ticks))
		}
		for i, k := range ticks[min(1, len(ticks)):] {
			if k.x-ticks[i].x < narrowest {
				t.Errorf("%s: ticks at %.1f and %.1f", length, ticks[i].x, k.x)
			}
		}
	}
}

func TestRows(t *testing.T) {
	packed := rows([]mark{whole(0, 10, "k0", "a"), whole(5, 15, "k0", "b"), whole(10, 20, "k0", "c"), whole(11, 12, "k0", "d"), whole(11, 14, "k0", "e")}, 3)
	if len(packed) != 3 || len(packed[0]) != 2 || len(packed[1])+len(packed[2]) != 3 {
		t.Errorf("rows %+v", packed)
	}
}

// Marks that are too many are joined with what they say, and nothing is left out of the count.
func TestBounded(t *testing.T) {
	var all []mark
	for i := range 1000 {
		all = append(all, whole(laneLeft+float64(i)/2, laneLeft+float64(i)/2+1, []string{"k0", "c0"}[i%2], "fact"))
	}
	facts := 0
	joined := bounded(all)
	for _, m := range joined {
		facts += len(m.facts) + m.more
	}
	if len(joined) > mostMarks+1 || facts != 1000 || joined[0].parts[0].class != crowded {
		t.Errorf("%d marks with %d facts, the first is %+v", len(joined), facts, joined[0])
	}
}
