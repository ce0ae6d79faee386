package record

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

var moment = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func some() []Entry {
	return []Entry{
		{At: moment, Header: &Header{Form: Form, Version: "v1", Name: "demo"}},
		{At: moment, Lease: &Lease{Name: "l", UID: "u", ResourceVersion: "7", Holder: "cp-0_a", Renew: moment}},
		{At: moment.Add(time.Second), Checked: &Checked{Versions: map[string]Version{"l": {Sent: moment, ResourceVersion: "7"}}}},
		{At: moment.Add(2 * time.Second), Pod: &Pod{Name: "p", UID: "p", Containers: []Container{{ID: "<c&>", State: Running}}}},
		{At: moment.Add(2 * time.Second), Run: &Run{ID: "r", Position: "P0"}},
		{At: moment.Add(2 * time.Second), Step: &Step{Run: "r", ID: "enable", Outcome: Finished}},
		{At: moment.Add(3 * time.Second), End: &End{Why: "asked to"}},
	}
}

func written(t *testing.T, all []Entry) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	for _, e := range all {
		if err := w.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func read(text string) (all []Entry, torn []Torn, err error) {
	torn, err = Read(strings.NewReader(text), func(e Entry) error { all = append(all, e); return nil })
	return all, torn, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	text := written(t, some())
	got, torn, err := read(text)
	if diff := cmp.Diff(some(), got); diff != "" || len(torn) > 0 || err != nil {
		t.Errorf("read %v, %v; want (-), got (+):\n%s", torn, err, diff)
	}
	if n := strings.Count(text, "\n"); n != len(some()) {
		t.Errorf("%d lines", n)
	}
}

// Every kind of entry is written and read as one of its kind.
func TestEveryKindIsRead(t *testing.T) {
	all := []Entry{some()[0]}
	kinds := reflect.TypeFor[Entry]()
	for i := range kinds.NumField() {
		if field := kinds.Field(i); field.Type.Kind() == reflect.Pointer {
			e := Entry{At: some()[0].At}
			reflect.ValueOf(&e).Elem().Field(i).Set(reflect.New(field.Type.Elem()))
			all = append(all, e)
		}
	}
	got, torn, err := read(written(t, all))
	if diff := cmp.Diff(all, got); diff != "" || len(torn) > 0 || err != nil {
		t.Errorf("read %v, %v; want (-), got (+):\n%s", torn, err, diff)
	}
}

// The torn last line of a killed recorder is named, and the rest is read.
func TestTornLastLine(t *testing.T) {
	text := written(t, some())
	for cut := len(text) - 2; cut > strings.LastIndex(strings.TrimSpace(text), "\n")+1; cut-- {
		got, torn, err := read(text[:cut])
		if err != nil || len(got) != len(some())-1 || len(torn) != 1 || torn[0].Line != len(some()) {
			t.Fatalf("cut at %d: %d entries, %v, %v", cut, len(got), torn, err)
		}
	}
}

// The content of a lost line is unknown: it counts as a gap.
func TestTornLineInTheMiddle(t *testing.T) {
	lines := strings.SplitAfter(written(t, some()), "\n")
	lines[2] = "{\"at\":\n"
	got, torn, err := read(strings.Join(lines, ""))
	if err != nil || len(torn) != 1 || torn[0].Line != 3 {
		t.Fatalf("%v, %v", torn, err)
	}
	missed := map[Stream]bool{}
	for _, e := range got {
		if e.Missed != nil && e.Missed.Lost && e.Missed.From.Equal(moment) && e.Missed.Until.Equal(moment.Add(2*time.Second)) {
			missed[e.Missed.Stream] = true
		}
	}
	if !missed[Leases] || !missed[Pods] {
		t.Errorf("missed %v", missed)
	}
}

func TestWhatIsNoRecord(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "text": "hello\n", "another form": `{"at":"2024-05-01T12:00:00Z","header":{"form":"x/v9"}}` + "\n",
		"no header": `{"at":"2024-05-01T12:00:00Z","end":{}}` + "\n", "one long line": strings.Repeat("x", maxLine+9),
	} {
		if _, _, err := read(text); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two records in one file are refused: the clocks of their recorders are not comparable, and the
// time between them was not watched. Reordered entries are refused as well.
func TestSeveralRecords(t *testing.T) {
	text := written(t, some())
	for name, joined := range map[string]string{
		"one behind the other": text + text,
		"a later one":          text + strings.ReplaceAll(text, "T12:", "T13:"),
	} {
		if _, _, err := read(joined); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	blind := []Entry{some()[0], some()[4], some()[0]} // a run's entries before its recorder could watch
	blind[2].At = moment.Add(2 * time.Second)
	if _, torn, err := read(written(t, append(blind, some()[3:]...))); err != nil || len(torn) > 0 {
		t.Errorf("a second header before the first watch: %v, %v", torn, err)
	}
	lines := strings.SplitAfter(text, "\n")
	got, torn, err := read(lines[0] + lines[3] + lines[1] + lines[5])
	if err != nil || len(torn) != 1 || torn[0].Line != 3 || len(got) != 2+4+1 || got[2].Missed == nil {
		t.Errorf("out of order: %+v, %v, %v", got, torn, err)
	}
}

// A line that is too long for memory is skipped, and the following ones are read.
func TestLongLine(t *testing.T) {
	text := written(t, some()[:1]) + strings.Repeat("x", maxLine+9) + "\n" + written(t, some()[1:])
	if got, torn, err := read(text); err != nil || len(torn) != 1 || got[len(got)-1].End == nil {
		t.Errorf("%d entries, %v, %v", len(got), torn, err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestFullDisk(t *testing.T) {
	if err := NewWriter(failing{}).Put(some()[0]); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"at":"2024-05-01T12:00:00Z","header":{"form":"` + Form + `"}}` + "\n{\n" + `{"at":"2024-05-01T12:00:01Z","end":{}}`))
	f.Add([]byte("\n\n\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		torn, err := Read(bytes.NewReader(text), func(e Entry) error {
			if n++; e.kinds() != 1 || e.At.IsZero() && e.Missed == nil {
				t.Errorf("handed out %+v", e)
			}
			return nil
		})
		if err == nil && n == 0 {
			t.Errorf("nothing was read, and nothing said: %v", torn)
		}
	})
}
